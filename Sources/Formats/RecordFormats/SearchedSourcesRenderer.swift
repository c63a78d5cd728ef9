package import AggregatorCore
package import Asking

/// Writes the answers of several sources: rows in their common order, or one document with the answers in the order of the sources.
package struct SearchedSourcesRenderer {
  /// Writes a row for each record, in a format for rows; nil for JSON.
  private var rows: (any Renderer)?
  /// True when one object is around the envelopes of all sources; otherwise each record has a line.
  private let isObject: Bool
  private var output: JSONOutput
  private let envelope: Envelope
  /// The results that came before their turn, by the indices of their sources.
  private var early: [Int: SearchedSource] = [:]
  private var written = 0
  private let moment: Moment
  /// The sum of the answers so far. The weakest verdict counts for all.
  private var summary = Summary()

  /// The weakest verdict of the sources; nil before the first has answered.
  package var verdict: Verdict? { summary.verdict }

  /// Writes with `rows`. Without them it writes JSON, which is one object unless it is `inLines`.
  package init(
    rows: (any Renderer)?, inLines isInLines: Bool, text: String, limit: Int?, at moment: Moment, into sink: any Sink
  ) {
    (self.rows, isObject, self.moment) = (rows, rows == nil && !isInLines, moment)
    (output, envelope) = (JSONOutput(into: sink), Envelope(source: "", text: text, limit: limit))
  }

  /// A text for a person about what did not fit; nil if everything did.
  package var shortage: String? { rows?.shortage }

  package mutating func begin() throws {
    try rows?.begin(nil)
    guard isObject else { return }
    output.writer.beginObject()
    output.write([Member(name: "query", value: envelope.query)])
    output.writer.key("sources")
    output.writer.beginArray()
    try output.send()
  }

  /// Counts the results of some sources.
  package mutating func note(_ results: SearchedSources) {
    for result in results.all.values {
      let (verdict, own) = (result.summary.verdict ?? .unverifiable, summary.verdict)
      summary.verdict = own.map { $0.strength < verdict.strength ? $0 : verdict } ?? verdict
      summary.skipped += result.summary.skipped
      summary.misfits += result.summary.misfits
      summary.given += result.found.count
    }
  }

  /// The answer of one source as an object.
  package func document(of result: SearchedSource) -> Value {
    let items = Member(name: "items", value: .list(result.found.map(\.value)))
    let own = Envelope(source: result.source, text: envelope.text, limit: envelope.limit)
    return .object(own.head(result.summary.origin) + [items] + own.tail(result.summary))
  }

  /// Writes the results of some sources.
  package mutating func print(_ results: SearchedSources) throws {
    note(results)
    if rows != nil {
      let records = ShownRecord.rows(results.found, of: Found.fields, at: moment)
      try rows?.print(records)
    } else if isObject {
      early.merge(results.all) { $1 }
      while let result = early.removeValue(forKey: written) {
        output.writer.write(document(of: result))
        try output.send()
        written += 1
      }
    } else {
      for found in results.found {
        output.writer.write(
          .object([Member(name: "source", value: .text(found.source)), Member(name: "item", value: found.value)]))
        output.writer.endLine()
        try output.send()
      }
    }
  }

  package mutating func end() throws {
    try rows?.end(summary)
    guard isObject else { return }
    output.writer.endArray()
    output.writer.endObject()
    output.writer.endLine()
    try output.send()
  }
}
