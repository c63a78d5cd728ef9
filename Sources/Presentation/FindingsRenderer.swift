import AggregatorCore
package import Asking

/// Writes what several sources answered: rows in their common order, or one document with the answers in the sources' own order.
package struct FindingsRenderer {
  /// Writes a row for each record, in a format for rows.
  private var rows: (any Renderer<FoundRecord>)?
  /// Whether one object is around the envelopes of all; otherwise each record has a line.
  private let isObject: Bool
  private var output: JSONOutput
  private let envelope: Envelope
  /// What came before its turn, by its place among the sources.
  private var early: [Int: Finding] = [:]
  private var written = 0

  package init(
    _ format: Format, _ columns: Columns<FoundRecord>, text: String, limit: Int?, for layout: Layout, into sink: any Sink
  ) {
    isObject = format == .json
    output = JSONOutput(for: layout, into: sink, inLines: isObject)
    envelope = Envelope(source: "", text: text, limit: limit)
    if !isObject, format != .ndjson { rows = format.renderer(columns, for: layout, into: sink) }
  }

  /// What did not fit, for a person.
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

  /// Writes what some sources have found.
  package mutating func print(_ findings: Findings) throws {
    if rows != nil {
      try rows?.print(findings.order.compactMap { findings.all[$0.source]?.records[$0.index] })
    } else if isObject {
      early.merge(findings.all) { $1 }
      while let finding = early.removeValue(forKey: written) {
        let items = Member(name: "items", value: .list(finding.items))
        let own = Envelope(source: finding.source, text: envelope.text, limit: envelope.limit)
        output.writer.write(.object(own.head(finding.summary.origin) + [items] + own.tail(finding.summary)))
        try output.send()
        written += 1
      }
    } else {
      for place in findings.order {
        guard let finding = findings.all[place.source] else { continue }
        output.writer.write(
          .object([
            Member(name: "source", value: .text(finding.source)), Member(name: "item", value: finding.items[place.index]),
          ]))
        output.writer.endLine()
        try output.send()
      }
    }
  }

  package mutating func end() throws {
    try rows?.end(nil)
    guard isObject else { return }
    output.writer.endArray()
    output.writer.endObject()
    output.writer.endLine()
    try output.send()
  }
}
