/// A format for programs: what is written is the same wherever it goes.
public enum DataFormat: String, CaseIterable, Sendable {
  /// One document for all records.
  case json
  /// A record a line, in JSON.
  case ndjson
  /// The same with a last line that tells the end.
  case framed
  /// RFC 4180 with line feeds, lists as JSON.
  case csv
  /// Tabs between values, as people read them.
  case tsv
  /// A list, which a reader of YAML 1.1 and one of 1.2 understand alike.
  case yaml
}

/// What JSON puts around records.
public enum Enclosure: Sendable {
  /// An object that says how the answer came about, too.
  case envelope(Envelope)
  /// A list.
  case array
  /// Nothing: there is one record.
  case none
  /// Nothing: each has a line of its own.
  case lines
  /// An object a record, each on a line, and one that tells the end: without that line it is not all.
  case frames
}

extension DataFormat {
  /// What writes records in this format. `hasHeader`: tsv begins with the names of its columns; `hasMark`: csv begins with a byte-order mark;
  /// `isCleaned`: csv is for a reader that obeys control sequences. `lack` is what a person is told that tsv leaves out.
  public func renderer(
    _ columns: Columns, into sink: any Sink, in enclosure: Enclosure = .array, hasHeader: Bool = false, hasMark: Bool = false,
    isCleaned: Bool = false, lacking lack: String? = nil
  ) -> any Renderer {
    switch self {
    case .json: JSONRenderer(columns, in: enclosure, into: sink)
    case .ndjson: JSONRenderer(columns, in: .lines, into: sink)
    case .framed: JSONRenderer(columns, in: .frames, into: sink)
    case .csv:
      TextRenderer(into: sink, header: (hasMark ? "\u{FEFF}" : "") + columns.csvHeader(isCleaned: isCleaned)) {
        columns.csv($0, isCleaned: isCleaned)
      }
    case .tsv: TextRenderer(into: sink, header: hasHeader ? columns.tsvHeader : "", lacking: lack) { columns.tsv($0) }
    case .yaml:
      switch enclosure {
      case .none: TextRenderer(into: sink) { YAML.document(columns.value(of: $0), isAlone: true) }
      default: TextRenderer(into: sink, nothing: "[]\n") { YAML.document(columns.value(of: $0), isAlone: false) }
      }
    }
  }
}
