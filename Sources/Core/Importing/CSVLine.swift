/// Writes rows as RFC 4180 has them, with line feeds: quotes where they are needed.
package enum CSVLine {
  package static func of(_ values: [String]) -> String {
    // A blank line would be no row at all.
    if values.count == 1, let value = values.first, value.utf8.allSatisfy({ $0 <= Byte.space }) { return "\"\(value)\"\n" }
    return values.map(quoted).joined(separator: ",") + "\n"
  }

  private static func quoted(_ value: String) -> String {
    let needsQuotes = value.utf8.contains { $0 == Byte.comma || $0 == Byte.quote || $0 == Byte.newline || $0 == Byte.carriageReturn }
    return needsQuotes ? "\"\(value.replacingEach("\"", with: "\"\""))\"" : value
  }
}
