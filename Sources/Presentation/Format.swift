import AggregatorCore
package import Terminal

/// How records are written.
package enum Format: String, CaseIterable, Sendable {
  case table, cards, json, ndjson, csv, tsv, yaml, framed
  /// What is news, for a mail: of changes alone.
  case report

  /// The formats that every kind of rows has.
  package static let ofRows = allCases.filter { $0 != .report }

  /// How a file ends that is written so.
  package static let endings: KeyValuePairs<String, Format> = [
    ".txt": .table, ".json": .json, ".ndjson": .ndjson, ".jsonl": .ndjson, ".csv": .csv, ".tsv": .tsv, ".yaml": .yaml,
    ".yml": .yaml, ".report": .report,
  ]

  /// The format of that name, or of a file of that name; nil where it is neither.
  package init?(named name: String) {
    let ending = Self.endings.first { name.lowercased().hasSuffix($0.key) }
    guard let format = Format(rawValue: name) ?? ending?.value else { return nil }
    self = format
  }
}

/// What records are laid out for.
package struct Layout: Sendable {
  /// Whether a terminal shows what is written.
  package var isTerminal: Bool
  /// How wide a terminal is, or a page of cards where there is none.
  package var width: Int
  package var style: Style
  /// Whether tsv begins with the names of its columns.
  package var hasHeader: Bool
  /// Whether csv begins with a byte-order mark.
  package var hasMark: Bool

  package init(isTerminal: Bool, width: Int, style: Style, hasHeader: Bool = false, hasMark: Bool = false) {
    (self.isTerminal, self.width, self.style) = (isTerminal, width, style)
    (self.hasHeader, self.hasMark) = (hasHeader, hasMark)
  }

  /// For whoever is no terminal.
  package static let plain = Layout(isTerminal: false, width: 80, style: Style(isColored: false))
}

/// What JSON puts around records.
package enum Enclosure: Sendable {
  /// An object that says how the answer came about, too.
  case envelope(Envelope)
  case array
  /// Nothing: there is one record.
  case none
  /// Nothing: each has a line of its own.
  case lines
  /// An object a record, each on a line, and one that tells the end: without that line it is not all.
  case frames
}

extension Format {
  /// What writes records in this format.
  package func renderer(
    _ columns: Columns, for layout: Layout, into sink: any Sink, in enclosure: Enclosure = .array
  ) -> any Renderer {
    switch self {
    // Of rows that are no changes there is no report.
    case .table, .report:
      TableRenderer(
        lines: TableLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style), sink: sink)
    case .cards:
      TextRenderer(into: sink, blocks: CardLines(columns: columns, width: max(1, layout.width), style: layout.style).of)
    case .json: JSONRenderer(columns: columns, enclosure: enclosure, output: JSONOutput(for: layout, into: sink))
    case .ndjson: JSONRenderer(columns: columns, enclosure: .lines, output: JSONOutput(for: layout, into: sink, inLines: false))
    case .framed:
      JSONRenderer(columns: columns, enclosure: .frames, output: JSONOutput(for: layout, into: sink, inLines: false))
    case .csv:
      TextRenderer(into: sink, header: (layout.hasMark ? "\u{FEFF}" : "") + columns.csvHeader(isCleaned: layout.isTerminal)) {
        columns.csv($0, isCleaned: layout.isTerminal)
      }
    case .tsv:
      TextRenderer(into: sink, header: layout.hasHeader ? columns.tsvHeader : "", lacking: columns.lacks) { columns.tsv($0) }
    case .yaml:
      switch enclosure {
      case .none: TextRenderer(into: sink) { YAML.document(columns.value(of: $0), isAlone: true) }
      default: TextRenderer(into: sink, nothing: "[]\n") { YAML.document(columns.value(of: $0), isAlone: false) }
      }
    }
  }
}
