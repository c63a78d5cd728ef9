public import AggregatorCore
public import Asking

/// Writes the records of one answer as they come.
public protocol Renderer {
  /// What did not fit, for a person; known when the last record is written, nil where everything did.
  var shortage: String? { get }

  /// The first records are about to come, from there.
  mutating func begin(_ origin: Origin?) throws
  /// These will be printed, one after the other: for a layout that has to know them.
  mutating func expect(_ records: [ShownRecord])
  /// Writes these.
  mutating func print(_ records: [ShownRecord]) throws
  /// From now on records are marked with the fields of them that a person has edited, by their ids, where the format has room for that.
  mutating func mark(_ edits: [String: [FieldPath]])
  /// No more will come.
  mutating func end(_ summary: Summary?) throws
}

extension Renderer {
  public var shortage: String? { nil }
  public mutating func begin(_ origin: Origin?) throws {}
  public mutating func expect(_ records: [ShownRecord]) {}
  public mutating func mark(_ edits: [String: [FieldPath]]) {}
  public mutating func end(_ summary: Summary?) throws {}
}

/// A text for each record, one after the other.
package struct TextRenderer: Renderer {
  private let sink: any Sink
  /// What stands before the first, between two, and in place of all where there are none.
  private let header, separator, nothing: String
  private let text: (ShownRecord) -> String
  private var isEmpty = true
  /// What is left out of every record.
  private let lack: String?

  package init(
    into sink: any Sink, header: String = "", separator: String = "", nothing: String = "", lacking lack: String? = nil,
    _ text: @escaping (ShownRecord) -> String
  ) {
    self.lack = lack
    (self.sink, self.header, self.separator, self.nothing, self.text) = (sink, header, separator, nothing, text)
  }

  public var shortage: String? { isEmpty ? nil : lack }

  /// Records of several lines each, with an empty one between them.
  package init(into sink: any Sink, blocks lines: @escaping (ShownRecord) -> [String]) {
    self.init(into: sink, separator: "\n") { lines($0).map { $0 + "\n" }.joined() }
  }

  public mutating func begin(_ origin: Origin?) throws { try sink.write(header) }

  public mutating func print(_ records: [ShownRecord]) throws {
    for record in records {
      try sink.write((isEmpty ? "" : separator) + text(record))
      isEmpty = false
    }
  }

  public mutating func end(_ summary: Summary?) throws { if isEmpty { try sink.write(nothing) } }
}

/// A value as a person reads it: one line, without control sequences; a list with commas.
package func shownText(_ value: Value) -> String { Printable.clean(value.plainText) }

/// Where bytes go: a stream, a file, an answer over HTTP, a test's array.
public protocol Sink: Sendable {
  /// Takes the next bytes.
  func write(_ bytes: [UInt8]) throws
}

extension Sink {
  /// Takes the next text, in UTF-8.
  public func write(_ text: String) throws { try write(Array(text.utf8)) }
}

extension Columns {
  /// Tabs between values; what would break a line becomes a space.
  func tsv(_ record: ShownRecord) -> String { textValues(of: record).map(shownText).joined(separator: "\t") + "\n" }

  var tsvHeader: String { inText.map(\.leaf.shownName).joined(separator: "\t") + "\n" }

  /// RFC 4180 with line feeds: quotes where they are needed, lists as JSON. It is cleaned for a reader that obeys control sequences.
  func csv(_ record: ShownRecord, isCleaned: Bool) -> String {
    csv(zip(inData, dataValues(of: record)).map { csvText($1, isText: $0.leaf.isText) }, isCleaned)
  }

  func csvHeader(isCleaned: Bool) -> String { csv(inData.map(\.leaf.path.text), isCleaned) }

  private func csv(_ texts: [String], _ isCleaned: Bool) -> String {
    CSVLine.of(isCleaned ? texts.map { Printable.clean($0, lines: .kept) } : texts)
  }
}

/// A value as csv has it: as JSON where it is a list, and where a text in a column of anything would be read as something else.
private func csvText(_ value: Value, isText: Bool) -> String {
  switch value {
  case .list, .object: break
  case .text(let text) where !isText && (try? JSON(Array(text.utf8))) != nil: break
  default: return value.plainText
  }
  return jsonText(value)
}

/// A value as JSON on one line.
package func jsonText(_ value: Value) -> String {
  var writer = JSONWriter()
  writer.write(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// Writes rows as RFC 4180 has them, with line feeds: quotes where they are needed.
package enum CSVLine {
  package static func of(_ values: [String]) -> String {
    // A blank line would be no row at all.
    if values.count == 1, let value = values.first, value.utf8.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
      return "\"\(value)\"\n"
    }
    return values.map(quoted).joined(separator: ",") + "\n"
  }

  private static let special = Array(",\"\r\n".utf8)

  private static func quoted(_ value: String) -> String {
    value.utf8.contains(where: special.contains) ? "\"\(value.replacingEach("\"", with: "\"\""))\"" : value
  }
}
