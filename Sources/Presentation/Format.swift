package import Exports
package import RecordFormats
package import Terminal

/// The format in which records are written.
package enum Format: String, CaseIterable, Sendable {
  case table, cards, json, ndjson, csv, tsv, yaml, framed, singer
  /// A report for a mail, which only changes have.
  case report
  /// Files that say what they are.
  case parquet, sqlite, html, md

  /// The formats for every kind of rows.
  package static let ofRows = allCases.filter { $0 != .report }

  /// The endings of the names of files, each with its format.
  package static let endings: KeyValuePairs<String, Format> = [
    ".txt": .table, ".json": .json, ".ndjson": .ndjson, ".jsonl": .ndjson, ".csv": .csv, ".tsv": .tsv, ".yaml": .yaml,
    ".yml": .yaml, ".report": .report, ".parquet": .parquet, ".sqlite": .sqlite, ".html": .html, ".md": .md,
  ]

  /// The format with that name, or the format of a file with that name; nil if it is neither.
  package init?(named name: String) {
    let ending = Self.endings.first { name.lowercased().hasSuffix($0.key) }
    guard let format = Format(rawValue: name) ?? ending?.value else { return nil }
    self = format
  }

  /// Advice for the name of a format, or of a file, of a spreadsheet, which no format here is; nil for other names.
  package static func spreadsheet(_ name: String) -> String? {
    let isOne = ["xls", "xlsx", "excel", "ods"].contains { name.lowercased() == $0 || name.lowercased().hasSuffix(".\($0)") }
    return isOne ? "a spreadsheet opens csv: --bom -o FILE.csv" : nil
  }

  /// The format of a file that describes the lists in it; nil for other formats.
  package var ofFile: FileFormat? { FileFormat(rawValue: rawValue) }
}

/// The properties of the output for which records are laid out.
package struct Layout: Sendable {
  /// True when the output is shown on a terminal.
  package var isTerminal: Bool
  /// The width of the terminal in columns; otherwise the width of a page of cards.
  package var width: Int
  package var style: Style
  /// True when tsv begins with the names of its columns.
  package var hasHeader: Bool
  /// True when csv begins with a byte-order mark.
  package var hasMark: Bool
  /// The name of the list in a file.
  package var title: FileTitle
  /// The folder for temporary files.
  package var folder: String

  package init(
    isTerminal: Bool, width: Int, style: Style, hasHeader: Bool = false, hasMark: Bool = false,
    title: FileTitle = FileTitle("records", question: "", isAnswer: false),
    folder: String = "/tmp"
  ) {
    (self.isTerminal, self.width, self.style) = (isTerminal, width, style)
    (self.hasHeader, self.hasMark, self.title, self.folder) = (hasHeader, hasMark, title, folder)
  }
}

extension Format {
  /// Returns a renderer of records in this format.
  package func renderer(
    _ columns: Columns, for layout: Layout, into sink: any Sink, in enclosure: Enclosure = .array
  ) -> any Renderer {
    if let data = DataFormat(rawValue: rawValue) {
      let isJSON = [.json, .ndjson, .framed, .singer].contains(data)
      return data.renderer(
        columns, into: isJSON ? layout.json(into: sink, inLines: data == .json) : sink, in: enclosure,
        hasHeader: layout.hasHeader, hasMark: layout.hasMark, isCleaned: layout.isTerminal, lacking: columns.lacks)
    }
    if let ofFile {
      return ofFile.renderer(
        columns, layout.title, folder: layout.folder, lacking: columns.lacks, into: sink)
    }
    if self == .cards {
      return TextRenderer(into: sink, blocks: CardLines(columns: columns, width: max(1, layout.width), style: layout.style).of)
    }
    // Only changes have a report; other rows are written as a table.
    return TableRenderer(
      lines: TableLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style), sink: sink)
  }
}

extension TextRenderer {
  /// Writes one record after the other in full, with a label and a value for each field, so that a screen reader reads it well.
  package init(labelling columns: Columns, for layout: Layout, into sink: any Sink) {
    let lines = LabelledLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style)
    self.init(into: sink, blocks: { lines.of($0) })
  }
}
