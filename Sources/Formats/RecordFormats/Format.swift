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
}
