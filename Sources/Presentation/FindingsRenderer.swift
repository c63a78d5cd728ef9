package import AggregatorCore

/// What one of several sources answered, whatever its records are made of.
package struct Finding: Sendable {
  package let envelope: Envelope
  /// Nil where it could not answer; the verdict says why.
  package let origin: Origin?
  /// The records, a row each for people.
  package private(set) var rows: [FoundRecord]
  /// The same as the source's own items.
  package private(set) var items: [Value]
  /// How well each matches; nil for what only the service can tell why it found it.
  package private(set) var ranks: [MatchRank?]
  package private(set) var summary: Summary

  package init<Item>(
    _ items: [Item], matching text: String, of schema: Schema<Item>, from envelope: Envelope, _ summary: Summary, at moment: Moment
  ) {
    let fields = schema.fields.filter { !$0.outline.isDetail }
    let matcher = Matcher(text, in: schema)
    self.envelope = envelope
    self.summary = summary
    origin = summary.origin
    rows = items.map { FoundRecord($0, of: schema, from: envelope.source, at: moment) }
    self.items = items.map { item in .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) }) }
    ranks = items.map { matcher.rank($0) }
  }

  /// The finding of a source that could not answer.
  package init(_ error: SourceError, from envelope: Envelope) {
    self.envelope = envelope
    (origin, rows, items, ranks) = (nil, [], [], [])
    var summary = Summary()
    summary.verdict = .partial(.failed(error))
    self.summary = summary
  }

  /// The same with those records alone; what is left out bounds it.
  fileprivate func keeping(_ indices: Set<Int>) -> Finding {
    guard indices.count < rows.count else { return self }
    var finding = self
    let kept = rows.indices.filter(indices.contains)
    (finding.rows, finding.items, finding.ranks) = (kept.map { rows[$0] }, kept.map { items[$0] }, kept.map { ranks[$0] })
    finding.summary.given = kept.count
    if summary.verdict == .complete || summary.verdict == .unverifiable {
      (finding.summary.verdict, finding.summary.total) = (.bounded, summary.total ?? summary.given)
    }
    return finding
  }
}

/// The best of what several sources have found, at most so many: where they match alike, the best of each source first, then the second.
package struct BestFindings {
  private struct Place: Hashable, Comparable {
    let rank: Int
    let index: Int
    let source: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.rank, left.index, left.source) < (right.rank, right.index, right.source)
    }
  }

  private let limit: Int?
  private var best: [Place] = []

  package init(limit: Int?) { self.limit = limit }

  /// Of findings that came now, by their sources' numbers, what is among the best of all so far; and the records in their common order, each
  /// as its source and its number among those that are left of its finding.
  package mutating func add(_ findings: [Int: Finding]) -> (findings: [Int: Finding], order: [(source: Int, index: Int)]) {
    let new = Set(
      findings.flatMap { source, finding in
        finding.ranks.enumerated().map { Place(rank: $0.element?.place ?? .max, index: $0.offset, source: source) }
      })
    best = Array((best + new).sorted().prefix(limit ?? .max))
    let shown = best.filter(new.contains)
    let indices = Dictionary(grouping: shown, by: \.source).mapValues { Set($0.map(\.index)) }
    let left = Dictionary(uniqueKeysWithValues: findings.map { ($0.key, $0.value.keeping(indices[$0.key] ?? [])) })
    return (left, shown.map { place in (place.source, (indices[place.source] ?? []).count { $0 < place.index }) })
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
  private var best: BestFindings
  /// What came before its turn, by its place among the sources.
  private var early: [Int: Finding] = [:]
  private var written = 0

  package init(_ format: Format, _ columns: Columns<FoundRecord>, limit: Int?, for layout: Layout, into sink: any Sink) {
    output = JSONOutput(for: layout, into: sink, inLines: format == .json)
    best = BestFindings(limit: limit)
    switch format {
    case .json: style = .object
    case .ndjson: style = .lines
    default: style = .rows(format.renderer(columns, for: layout, into: sink))
    }
  }

  /// What did not fit, for a person.
  package var shortage: String? { if case .rows(let renderer) = style { renderer.shortage } else { nil } }

  package mutating func begin(_ text: String, limit: Int?) throws {
    switch style {
    case .object:
      output.writer.beginObject()
      output.writer.key("query")
      output.writer.write(Envelope(source: "", text: text, limit: limit).query)
      output.writer.key("sources")
      output.writer.beginArray()
      try output.send()
    case .lines: break
    case .rows(var renderer):
      try renderer.begin(nil)
      style = .rows(renderer)
    }
  }

  /// Writes what some sources have found, by their places among all, as far as it is among the best so far; returned is what was written.
  package mutating func print(_ findings: [Int: Finding]) throws -> [Int: Finding] {
    let (findings, order) = best.add(findings)
    switch style {
    case .object:
      early.merge(findings) { $1 }
      while let finding = early.removeValue(forKey: written) {
        let items = Member(name: "items", value: .list(finding.items))
        output.writer.write(.object(finding.envelope.head(finding.origin) + [items] + finding.envelope.tail(finding.summary)))
        try output.send()
        written += 1
      }
    case .lines:
      for place in order {
        guard let finding = findings[place.source] else { continue }
        output.writer.write(
          .object([
            Member(name: "source", value: .text(finding.envelope.source)), Member(name: "item", value: finding.items[place.index]),
          ]))
        output.writer.endLine()
        try output.send()
      }
    case .rows(var renderer):
      try renderer.print(order.compactMap { findings[$0.source]?.rows[$0.index] })
      style = .rows(renderer)
    }
    return findings
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
