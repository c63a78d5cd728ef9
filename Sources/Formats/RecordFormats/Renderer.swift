public import AggregatorCore
public import Asking

/// Writes the records of one answer as they come.
public protocol Renderer {
  /// A text for a person about what did not fit. It is known after the last record; nil if everything fit.
  var shortage: String? { get }

  /// Begins the output, before the first records come from this origin.
  mutating func begin(_ origin: Origin?) throws
  /// Tells which records will be printed, one after the other, for a layout that has to know them.
  mutating func expect(_ records: [ShownRecord])
  /// Writes these records.
  mutating func print(_ records: [ShownRecord]) throws
  /// Marks records from now on with the fields that a person has edited, if the format has room for that. The fields are
  /// given by the ids of the records.
  mutating func mark(_ edits: [String: [FieldPath]])
  /// Takes texts for a person about the answer, for a format that has room for them. They come before its end.
  mutating func remark(_ texts: [String])
  /// Takes members for the end of an answer's JSON, after its verdict.
  mutating func add(_ members: [Member])
  /// Ends the output, after the last record.
  mutating func end(_ summary: Summary?) throws
}

extension Renderer {
  public var shortage: String? { nil }
  public mutating func begin(_ origin: Origin?) throws {}
  public mutating func expect(_ records: [ShownRecord]) {}
  public mutating func mark(_ edits: [String: [FieldPath]]) {}
  public mutating func remark(_ texts: [String]) {}
  public mutating func add(_ members: [Member]) {}
  public mutating func end(_ summary: Summary?) throws {}
}

/// A maker of the renderer for a format of a face.
package struct RendererMaker: Sendable {
  /// Returns a renderer of records with these columns.
  package let renderer: @Sendable (Columns, Enclosure, any Sink) -> any Renderer

  package init(_ renderer: @escaping @Sendable (Columns, Enclosure, any Sink) -> any Renderer) { self.renderer = renderer }
}

/// A text for each record, one after the other.
package struct TextRenderer: Renderer {
  private let sink: any Sink
  /// The text before the first record, the one between two records, and the one in place of all if none came.
  private let header, separator, nothing: String
  private let text: (ShownRecord) -> String
  private var isEmpty = true
  /// A text for a person about what every record leaves out; nil if it is nothing.
  private let lack: String?

  package init(
    into sink: any Sink, header: String = "", separator: String = "", nothing: String = "", lacking lack: String? = nil,
    _ text: @escaping (ShownRecord) -> String
  ) {
    self.lack = lack
    (self.sink, self.header, self.separator, self.nothing, self.text) = (sink, header, separator, nothing, text)
  }

  public var shortage: String? { isEmpty ? nil : lack }

  /// Writes records in several lines each, with an empty line between them.
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

/// Returns a value as a person reads it: on one line, without control sequences, and with commas in a list.
package func shownText(_ value: Value) -> String { Printable.clean(value.plainText) }

/// A destination for bytes: a stream, a file, an answer over HTTP, a test's array.
public protocol Sink: Sendable {
  /// Takes the next bytes.
  func write(_ bytes: [UInt8]) throws
}

extension Sink {
  /// Takes the next text, in UTF-8.
  public func write(_ text: String) throws { try write(Array(text.utf8)) }
}

extension Columns {
  /// Returns a line of values with tabs between them. Anything that would break the line becomes a space.
  func tsv(_ record: ShownRecord) -> String { textValues(of: record).map(shownText).joined(separator: "\t") + "\n" }

  var tsvHeader: String {
    inText.map { headings[$0.leaf.path.text].map { Printable.clean($0) } ?? $0.leaf.shownName }.joined(separator: "\t") + "\n"
  }

  /// Returns a line as in RFC 4180, but with a line feed: with quotes where they are needed, and lists as JSON. `isCleaned` makes it safe
  /// for a reader that obeys control sequences, and `isGuarded` for a spreadsheet that runs formulas.
  func csv(_ record: ShownRecord, isCleaned: Bool, isGuarded: Bool = false) -> String {
    let texts = zip(inData, dataValues(of: record)).map { column, value in
      let text = csvText(value, of: column.leaf)
      return isGuarded && value.text != nil ? FormulaGuard.added(to: text) : text
    }
    return csv(texts, isCleaned, isGuarded)
  }

  func csvHeader(isCleaned: Bool, isGuarded: Bool = false) -> String {
    csv(isGuarded ? dataNames.map { FormulaGuard.added(to: $0) } : dataNames, isCleaned, isGuarded)
  }

  /// The names of the columns of csv.
  package var dataNames: [String] { inData.map { headings[$0.leaf.path.text] ?? $0.leaf.path.text } }

  private func csv(_ texts: [String], _ isCleaned: Bool, _ isGuarded: Bool) -> String {
    CSVLine.of(isCleaned ? texts.map { Printable.clean($0, lines: .kept) } : texts, forSpreadsheet: isGuarded)
  }
}

/// Returns a value as csv has it. It is JSON if it is a list or an object, or if it is a text that would be read as something else.
private func csvText(_ value: Value, of leaf: Leaf) -> String {
  switch value {
  case .list, .object: break
  case .text(let text) where leaf.isJSON(text): break
  default: return value.plainText
  }
  return jsonText(value)
}

/// Returns a value as JSON on one line.
package func jsonText(_ value: Value) -> String {
  var writer = JSONWriter()
  writer.write(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// Writes rows as in RFC 4180, but with line feeds, and with quotes where they are needed.
package enum CSVLine {
  /// Returns a line. One for a spreadsheet has quotes around values with any sign that a spreadsheet may take for the one between values.
  package static func of(_ values: [String], forSpreadsheet isForSpreadsheet: Bool = false) -> String {
    // A blank line would not count as a row.
    if values.count == 1, let value = values.first, value.utf8.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
      return "\"\(value)\"\n"
    }
    let special = isForSpreadsheet ? specialInSpreadsheets : special
    return values.map { quoted($0, special) }.joined(separator: ",") + "\n"
  }

  private static let special = Array(",\"\r\n".utf8)
  private static let specialInSpreadsheets = special + Array(";\t".utf8)

  private static func quoted(_ value: String, _ special: [UInt8]) -> String {
    value.utf8.contains(where: special.contains) ? "\"\(value.replacingEach("\"", with: "\"\""))\"" : value
  }
}
