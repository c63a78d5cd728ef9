import AggregatorCore
package import Asking

/// Writes what several sources answered: rows in their common order, or one document with the answers in the sources' own order.
package struct FindingsRenderer {
  private enum Style {
    /// One object around the envelopes of all.
    case object
    case lines
    /// A row for each record, in a format for rows.
    case rows(any Renderer<FoundRecord>)
  }

  private var style: Style
  private var output: JSONOutput
  private let envelope: Envelope
  /// What came before its turn, by its place among the sources.
  private var early: [Int: Finding] = [:]
  private var written = 0

  package init(_ format: Format, _ columns: Columns<FoundRecord>, text: String, limit: Int?, for layout: Layout, into sink: any Sink) {
    output = JSONOutput(for: layout, into: sink, inLines: format == .json)
    envelope = Envelope(source: "", text: text, limit: limit)
    switch format {
    case .json: style = .object
    case .ndjson: style = .lines
    default: style = .rows(format.renderer(columns, for: layout, into: sink))
    }
  }

  /// What did not fit, for a person.
  package var shortage: String? { if case .rows(let renderer) = style { renderer.shortage } else { nil } }

  package mutating func begin() throws {
    switch style {
    case .object:
      output.writer.beginObject()
      output.writer.key("query")
      output.writer.write(envelope.query)
      output.writer.key("sources")
      output.writer.beginArray()
      try output.send()
    case .lines: break
    case .rows(var renderer):
      try renderer.begin(nil)
      style = .rows(renderer)
    }
  }

  /// Writes what some sources have found.
  package mutating func print(_ findings: Findings) throws {
    switch style {
    case .object:
      early.merge(findings.all) { $1 }
      while let finding = early.removeValue(forKey: written) {
        let items = Member(name: "items", value: .list(finding.items))
        let own = Envelope(source: finding.source, text: envelope.text, limit: envelope.limit)
        output.writer.write(.object(own.head(finding.summary.origin) + [items] + own.tail(finding.summary)))
        try output.send()
        written += 1
      }
    case .lines:
      for place in findings.order {
        guard let finding = findings.all[place.source] else { continue }
        output.writer.write(
          .object([Member(name: "source", value: .text(finding.source)), Member(name: "item", value: finding.items[place.index])]))
        output.writer.endLine()
        try output.send()
      }
    case .rows(var renderer):
      try renderer.print(findings.order.compactMap { findings.all[$0.source]?.records[$0.index] })
      style = .rows(renderer)
    }
  }

  package mutating func end() throws {
    switch style {
    case .object:
      output.writer.endArray()
      output.writer.endObject()
      output.writer.endLine()
      try output.send()
    case .lines: break
    case .rows(var renderer):
      try renderer.end(nil)
      style = .rows(renderer)
    }
  }
}
