package import AggregatorCore

/// What one of several sources answered, whatever its records are made of.
package struct Finding: Sendable {
  package let envelope: Envelope
  /// Nil where it could not answer; the verdict says why.
  package let origin: Origin?
  /// The records, a row each for people.
  package let rows: [FoundRecord]
  /// The same as the source's own items.
  package let items: [Value]
  package let summary: Summary

  package init<Item>(_ items: [Item], of schema: Schema<Item>, from envelope: Envelope, _ summary: Summary, at moment: Moment) {
    let fields = schema.fields.filter { !$0.outline.isDetail }
    self.envelope = envelope
    self.summary = summary
    origin = summary.origin
    rows = items.map { FoundRecord($0, of: schema, from: envelope.source, at: moment) }
    self.items = items.map { item in .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) }) }
  }

  /// The finding of a source that could not answer.
  package init(_ error: SourceError, from envelope: Envelope) {
    self.envelope = envelope
    (origin, rows, items) = (nil, [], [])
    var summary = Summary()
    summary.verdict = .partial(.failed(error))
    self.summary = summary
  }
}

/// A record of any source, by what a person tells it from others.
package struct FoundRecord: SourceItem {
  package let source: String
  package let id: String
  package let title: String?
  package let about: String?
  package let link: String?

  init<Item>(_ item: Item, of schema: Schema<Item>, from source: String, at moment: Moment) {
    func text(_ role: FieldRole) -> String? {
      schema.fields.first { $0.role == role }.map { phrased($0.shown(of: item, at: moment), by: $0.outline.phrase) }.flatMap {
        $0.isEmpty ? nil : $0
      }
    }
    let title = text(.title)
    let about = [FieldRole.subtitle, .qualifier, .badge].compactMap(text).filter { $0 != item.id && $0 != title }
    self.source = source
    id = item.id
    self.title = title
    link = text(.link)
    self.about = about.isEmpty ? nil : about.joined(separator: ", ")
  }

  package static let fields = [
    Field<FoundRecord>("source", .badge, width: .whole) { $0.source },
    Field<FoundRecord>("id", width: .whole) { $0.id },
    Field<FoundRecord>("title", .title) { $0.title },
    Field<FoundRecord>("about", .subtitle) { $0.about },
    Field<FoundRecord>("link", .link, width: .hidden) { $0.link },
  ]
}

/// Writes what several sources answered, as they come; in one document in their own order, which does not depend on who was quick.
package struct FindingsRenderer {
  private enum Style {
    /// One object around the envelopes of all.
    case object
    case lines
    /// A row for each record, in a format for rows.
    case rows(any Renderer<FoundRecord>)
    /// A table for each source: what one has found says nothing of how much room the others need.
    case tables
  }

  private var style: Style
  private var output: JSONOutput
  /// What came before its turn, by its place among the sources.
  private var early: [Int: Finding] = [:]
  private var written = 0
  private let makeTable: () -> any Renderer<FoundRecord>
  /// What did not fit, for a person.
  package private(set) var shortage: String?

  package init(_ format: Format, _ columns: Columns<FoundRecord>, for layout: Layout, into sink: any Sink) {
    makeTable = { Format.table.renderer(columns, for: layout, into: sink) }
    output = JSONOutput(for: layout, into: sink, inLines: format == .json)
    switch format {
    case .json: style = .object
    case .ndjson: style = .lines
    case .table: style = .tables
    default: style = .rows(format.renderer(columns, for: layout, into: sink))
    }
  }

  package mutating func begin(_ text: String, limit: Int?) throws {
    switch style {
    case .object:
      output.writer.beginObject()
      output.writer.key("query")
      output.writer.write(Envelope(source: "", text: text, limit: limit).query)
      output.writer.key("sources")
      output.writer.beginArray()
      try output.send()
    case .lines, .tables: break
    case .rows(var renderer):
      try renderer.begin(nil)
      style = .rows(renderer)
    }
  }

  /// Writes what the source at `place` has found.
  package mutating func print(_ finding: Finding, of place: Int) throws {
    switch style {
    case .object:
      early[place] = finding
      while let finding = early.removeValue(forKey: written) {
        let items = Member(name: "items", value: .list(finding.items))
        output.writer.write(.object(finding.envelope.head(finding.origin) + [items] + finding.envelope.tail(finding.summary)))
        try output.send()
        written += 1
      }
    case .lines:
      for item in finding.items {
        output.writer.write(
          .object([Member(name: "source", value: .text(finding.envelope.source)), Member(name: "item", value: item)]))
        output.writer.endLine()
        try output.send()
      }
    case .rows(var renderer):
      try renderer.print(finding.rows)
      style = .rows(renderer)
    case .tables:
      guard !finding.rows.isEmpty else { return }
      var table = makeTable()
      try table.begin(nil)
      try table.print(finding.rows)
      try table.end(nil)
      shortage = table.shortage ?? shortage
    }
  }

  package mutating func end() throws {
    switch style {
    case .object:
      output.writer.endArray()
      output.writer.endObject()
      output.writer.endLine()
      try output.send()
    case .lines, .tables: break
    case .rows(var renderer):
      try renderer.end(nil)
      shortage = renderer.shortage
      style = .rows(renderer)
    }
  }
}
