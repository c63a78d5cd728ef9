import AggregatorCore

extension [UInt8] {
  /// The format of a file of rows, judged by its first two lines: `CSV`, `TSV` or `NDJSON`. Nil if the file has no such rows.
  package var rowFormat: String? {
    let text = String(decoding: prefix(1 << 16), as: UTF8.self)
    let lines = text.split(maxSplits: 2, whereSeparator: \.isNewline).prefix(2)
    guard lines.count == 2, let first = lines[0].first(where: { !$0.isWhitespace }) else { return nil }
    // A document that was cut short has commas in its lines too, and so does a web page.
    if "{[<".contains(first) {
      return lines.allSatisfy { (try? JSON(Array($0.utf8)))?.kind == .object } ? "NDJSON" : nil
    }
    let formats: [(separator: Character, name: String)] = [("\t", "TSV"), (",", "CSV"), (";", "CSV")]
    return formats.first { format in
      let counts = lines.map { Self.count(of: format.separator, in: $0) }
      return counts[0] > 0 && counts[0] == counts[1]
    }?.name
  }

  /// Returns the number of separators outside quotes.
  private static func count(of separator: Character, in line: Substring) -> Int {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
    return parts.reduce(0) { $1.offset.isMultiple(of: 2) ? $0 + $1.element.count { $0 == separator } : $0 }
  }
}
