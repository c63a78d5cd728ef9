import AggregatorCore

/// How a file of records is written.
enum FileFormat {
  case ndjson
  /// Documents of any layout: an envelope, a list, records one after the other.
  case document
  /// With a header: csv, or with tabs between the values tsv.
  case table(separator: UInt8)

  /// What the file is: by the ending of its name where that leaves no choice, else by how it begins.
  init(of file: String, _ buffer: inout FileBuffer, _ envelope: EnvelopeReader, _ header: HeaderNames) throws {
    let name = file.lowercased()
    func table(_ separators: UInt8...) throws -> FileFormat { .table(separator: try buffer.separator(of: header, among: separators)) }
    if name.hasSuffix(".csv") {
      self = try table(.comma, .semicolon)
    } else if name.hasSuffix(".tsv") {
      self = .table(separator: .tab)
    } else {
      switch try buffer.first({ bytes, _ in bytes.first { $0 > .space } }) {
      case UInt8.openBrace: self = try buffer.beginsWithLine(of: envelope) ? .ndjson : .document
      case UInt8.openBracket: self = .document
      case _ where name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl"): self = .ndjson
      case _ where name.hasSuffix(".json"): self = .document
      default: self = try table(.comma, .semicolon, .tab)
      }
    }
  }
}

extension FileBuffer {
  /// Whether the first line is a row of ndjson, broken perhaps.
  fileprivate mutating func beginsWithLine(of envelope: EnvelopeReader) throws -> Bool {
    var (scan, envelope) = (JSONScan(), envelope)
    let found: Bool? = try first(within: 1 << 20) { bytes, isLast in
      let text = Bytes(rebasing: bytes.drop { $0 <= .space })
      while let stop = scan.next(in: text) {
        switch stop {
        case .list(let list, let name): if (try? envelope.takeHead(text[..<list], list: text[name])) ?? true { return false }
        case .end(let end):
          // A text that a line breaks is a broken row.
          if text[end - 1] == .newline { return true }
          return !text[..<end].contains { $0 == .newline || $0 == .carriageReturn }
        }
      }
      // Another row in the second line shows that the first one is broken.
      guard let newline = text.index(of: .newline, from: 0), let next = text[newline...].first(where: { $0 > .space }) else { return nil }
      return next == .openBrace && text[..<newline].last { $0 > .space } != .openBracket
    }
    return found ?? true
  }

  /// What stands between the names in the first line: what leaves most of them known, and of equals what is there most often.
  fileprivate mutating func separator(of header: HeaderNames, among separators: [UInt8]) throws -> UInt8 {
    let line: [UInt8]? = try first { bytes, isLast in
      let rest = bytes.drop { $0 <= .space && $0 != .tab }
      let line = rest.prefix { $0 != .newline && $0 != .carriageReturn }
      return line.count < rest.count || isLast ? Array(line) : nil
    }
    func rank(_ separator: UInt8) -> (known: Int, pieces: Int) {
      let names = (line ?? []).split(separator: separator).map {
        FieldPath.trimmed(String(decoding: $0.filter { $0 != .quote }, as: UTF8.self))
      }
      return (names.count(where: header.knows), names.count)
    }
    return separators.max { rank($0) < rank($1) } ?? .comma
  }
}
