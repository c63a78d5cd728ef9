import AggregatorCore

/// Tabs between values, one record a line; what would break a line becomes a space.
struct TSVRenderer<Item>: Renderer {
  let columns: Columns<Item>
  let hasHeader: Bool
  let sink: any Sink

  mutating func begin(_ origin: Origin?) throws {
    if hasHeader { try sink.write(columns.inText.map(\.leaf.shownName).joined(separator: "\t") + "\n") }
  }

  mutating func print(_ items: [Item]) throws {
    for item in items {
      try sink.write(columns.values(of: item, in: columns.inText).map(shownText).joined(separator: "\t") + "\n")
    }
  }
}

/// RFC 4180 with line feeds: a header, quotes where they are needed, lists as JSON. A terminal sees nothing that it would obey.
struct CSVRenderer<Item>: Renderer {
  let columns: Columns<Item>
  /// Whether its reader obeys control sequences.
  let isCleaned: Bool
  let sink: any Sink

  mutating func begin(_ origin: Origin?) throws {
    try write(columns.inData.map(\.leaf.path.text))
  }

  mutating func print(_ items: [Item]) throws {
    for item in items {
      try write(zip(columns.inData, columns.values(of: item, in: columns.inData)).map { text($1, isText: $0.leaf.isText) })
    }
  }

  private func write(_ texts: [String]) throws {
    try sink.write(CSVLine.of(isCleaned ? texts.map { Printable.clean($0, lines: .kept) } : texts))
  }

  /// A value as csv has it: as JSON where it is a list, and where a text in a column of anything would be read as something else.
  private func text(_ value: Value, isText: Bool) -> String {
    switch value {
    case .list, .object: return json(value)
    case .text(let text) where !isText && (try? JSON(Array(text.utf8))) != nil: return json(value)
    default: return value.plainText
    }
  }

  private func json(_ value: Value) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
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
