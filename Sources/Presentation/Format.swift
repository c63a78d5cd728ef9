package import RecordFormats
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
}

extension Format {
  /// What writes records in this format.
  package func renderer(
    _ columns: Columns, for layout: Layout, into sink: any Sink, in enclosure: Enclosure = .array
  ) -> any Renderer {
    if let data = DataFormat(rawValue: rawValue) {
      let isJSON = [.json, .ndjson, .framed].contains(data)
      return data.renderer(
        columns, into: isJSON ? layout.json(into: sink, inLines: data == .json) : sink, in: enclosure,
        hasHeader: layout.hasHeader, hasMark: layout.hasMark, isCleaned: layout.isTerminal, lacking: columns.lacks)
    }
    if self == .cards {
      return TextRenderer(into: sink, blocks: CardLines(columns: columns, width: max(1, layout.width), style: layout.style).of)
    }
    // Of rows that are no changes there is no report.
    return TableRenderer(
      lines: TableLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style), sink: sink)
  }
}

extension TextRenderer {
  /// One record after the other in full, a label and its value for each field, so that a screen reader reads it well.
  package init(labelling columns: Columns, for layout: Layout, into sink: any Sink) {
    let lines = LabelledLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style)
    self.init(into: sink, blocks: { lines.of($0) })
  }
}
