import AggregatorCore

extension Columns {
  /// Tabs between values; what would break a line becomes a space.
  func tsv(_ item: Item) -> String { values(of: item, in: inText).map(shownText).joined(separator: "\t") + "\n" }

  var tsvHeader: String { inText.map(\.leaf.shownName).joined(separator: "\t") + "\n" }

  /// RFC 4180 with line feeds: quotes where they are needed, lists as JSON. It is cleaned for a reader that obeys control sequences.
  func csv(_ item: Item, isCleaned: Bool) -> String {
    csv(zip(inData, values(of: item, in: inData)).map { csvText($1, isText: $0.leaf.isText) }, isCleaned)
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
