/// How a file of records is written.
enum FileFormat {
  /// A record a line.
  case ndjson
  /// Documents of any layout: an envelope, a list, records one after the other.
  case document
  case csv(separator: UInt8)
  /// With a header.
  case tsv

  /// What the file is: by the ending of its name where that leaves no choice, else by how it begins.
  init(of file: String, _ buffer: inout FileBuffer, _ head: EnvelopeHead, _ header: HeaderNames) throws {
    let name = file.lowercased()
    if name.hasSuffix(".csv") {
      self = .csv(separator: try buffer.separator(of: header, among: [Byte.comma, Self.semicolon]))
      return
    }
    if name.hasSuffix(".tsv") {
      self = .tsv
      return
    }
    switch try buffer.firstVisible() {
    case Byte.openBrace: self = try buffer.beginsWithRow(of: head) ? .ndjson : .document
    case Byte.openBracket: self = .document
    case _ where name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl"): self = .ndjson
    case _ where name.hasSuffix(".json"): self = .document
    default:
      let separator = try buffer.separator(of: header, among: [Byte.comma, Self.semicolon, Byte.tab])
      self = separator == Byte.tab ? .tsv : .csv(separator: separator)
    }
  }

  private static let semicolon = UInt8(ascii: ";")
}

extension FileBuffer {
  /// Whether the first line is a row of ndjson, broken perhaps.
  fileprivate mutating func beginsWithRow(of head: EnvelopeHead, within limit: Int = 1 << 20) throws -> Bool {
    let start = look { $0.firstIndex { $0 > Byte.space } ?? 0 }
    let blanks = look { $0[..<start].reversed().prefix { $0 == Byte.space || $0 == Byte.tab }.count }
    var scan = JSONScan(indentation: blanks)
    while true {
      let isLast = isAtEnd
      let isRow = look { bytes in
        scan.isRowOnOneLine(in: UnsafeBufferPointer(rebasing: bytes[start...]), isLast: isLast) { head.isEnvelope($0, list: $1) }
      }
      if let isRow { return isRow }
      if isAtEnd || count >= limit { return true }
      try fill()
    }
  }

  /// What stands between the names in the first line: what leaves most of them known, and of equals what is there most often.
  fileprivate mutating func separator(of header: HeaderNames, among separators: [UInt8]) throws -> UInt8 {
    let line = try firstLine()
    func rank(_ separator: UInt8) -> (known: Int, pieces: Int) {
      let names = line.split(separator: separator).map {
        FieldPath.trimmed(String(decoding: $0.filter { $0 != Byte.quote }, as: UTF8.self))
      }
      return (names.count(where: header.knows), names.count)
    }
    return separators.max { rank($0) < rank($1) } ?? Byte.comma
  }

  /// The first line that is not blank, or what has come of a very long one.
  private mutating func firstLine(within limit: Int = 1 << 16) throws -> [UInt8] {
    while true {
      let line: (bytes: [UInt8], isWhole: Bool) = look { bytes in
        let rest = bytes.drop { $0 <= Byte.space && $0 != Byte.tab }
        let line = rest.prefix { $0 != Byte.newline && $0 != Byte.carriageReturn }
        return (Array(line), line.count < rest.count)
      }
      if line.isWhole || isAtEnd || count >= limit { return line.bytes }
      try fill()
    }
  }
}
