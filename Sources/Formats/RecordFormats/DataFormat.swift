/// A format for programs. The output is the same wherever it goes.
public enum DataFormat: String, CaseIterable, Sendable {
  /// One document for all records.
  case json
  /// A record on each line, in JSON.
  case ndjson
  /// The same, with a last line that marks the end.
  case framed
  /// RFC 4180 with line feeds; lists are JSON.
  case csv
  /// Tabs between values, which are written as people read them.
  case tsv
  /// A list that readers of YAML 1.1 and of YAML 1.2 understand alike.
  case yaml
}

/// The JSON around records.
public enum Enclosure: Sendable {
  /// An object that also has the ask, the origin and the verdict.
  case envelope(Envelope)
  /// A list.
  case array
  /// Nothing, because the output is one record.
  case none
  /// Nothing, because each record has a line of its own.
  case lines
  /// An object for each record, on a line of its own, and a last one that marks the end. Without that line the output is incomplete.
  case frames
}

extension DataFormat {
  /// Returns a renderer of records in this format. With `hasHeader` tsv begins with the names of its columns; with
  /// `hasMark` csv begins with a byte-order mark, and no text in it begins a formula; with `isCleaned` csv is safe for a reader that obeys control sequences.
  /// `lack` tells a person what tsv leaves out.
  public func renderer(
    _ columns: Columns, into sink: any Sink, in enclosure: Enclosure = .array, hasHeader: Bool = false, hasMark: Bool = false,
    isCleaned: Bool = false, lacking lack: String? = nil
  ) -> any Renderer {
    switch self {
    case .json: JSONRenderer(columns, in: enclosure, into: sink)
    case .ndjson: JSONRenderer(columns, in: .lines, into: sink)
    case .framed: JSONRenderer(columns, in: .frames, into: sink)
    case .csv:
      TextRenderer(
        into: sink, header: (hasMark ? "\u{FEFF}" : "") + columns.csvHeader(isCleaned: isCleaned, isGuarded: hasMark)
      ) {
        columns.csv($0, isCleaned: isCleaned, isGuarded: hasMark)
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
