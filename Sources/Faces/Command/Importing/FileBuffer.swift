import AggregatorCore
import Asking
import Bodies
import Platform

/// The bytes of a stream that have come and were not taken yet.
struct FileBuffer {
  private let stream: any ByteStream
  /// Called now and then while no bytes come; throws to end the wait.
  private let check: () throws -> Void
  private var bytes: [UInt8]
  private var start = 0
  private var end = 0
  private(set) var isAtEnd = false
  private(set) var taken = 0

  init(_ stream: any ByteStream, piece: Int = 1 << 20, checking check: @escaping () throws -> Void = {}) {
    (self.stream, self.check) = (stream, check)
    bytes = [UInt8](repeating: 0, count: max(1, piece))
  }

  var count: Int { end - start }

  func look<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { try body(Bytes(rebasing: $0[start..<end])) }
  }

  mutating func take(_ count: Int) {
    start += count
    taken += count
  }

  /// Reads more bytes after those that have come; false if no bytes come for a moment.
  mutating func fill() throws -> Bool {
    guard try isAtEnd || stream.isReady(within: .milliseconds(250)) else { return false }
    let (stream, rest) = (stream, start..<end)
    // Of a row that takes many pieces, only its first piece is moved.
    if !rest.isEmpty, rest.lowerBound > 0 {
      bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[rest])) }
    }
    (start, end) = (0, rest.count)
    if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
    let count = try bytes.withUnsafeMutableBytes {
      try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[rest.count...]))
    }
    end += count
    isAtEnd = count == 0
    return true
  }

  /// Calls `find` with the bytes that have come, and again with more until it returns a result. Nil if the file or the limit ends first.
  mutating func first<Result>(within limit: Int = 1 << 16, _ find: (_ bytes: Bytes, _ isLast: Bool) -> Result?) throws
    -> Result?
  {
    while true {
      let isLast = isAtEnd || count >= limit
      if let result = look({ find($0, isLast) }) { return result }
      if isLast { return nil }
      while try !fill() { try check() }
    }
  }
}

extension FileBuffer {
  /// Takes a byte-order mark if the file has one, and finds the format: by the ending of the file's name if that allows only
  /// one, otherwise by the first bytes.
  mutating func shape(of file: String, _ envelope: EnvelopeReader) throws -> any RowShape {
    try checkIsText(file)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let hasMark = try first({ bytes, isLast in isLast || bytes.count >= mark.count ? bytes.starts(with: mark) : nil }) == true
    if hasMark { take(mark.count) }
    let name = file.lowercased()
    if name.hasSuffix(".csv") {
      return try table(among: [Byte.comma, Byte.semicolon], isGuarded: hasMark)
    }
    if name.hasSuffix(".tsv") { return TableShape(separator: Byte.tab) }
    switch try first({ bytes, _ in bytes.first { $0 > Byte.space } }) {
    case Byte.openBrace: if try beginsWithLine(of: envelope) { return LineShape() } else { return DocumentShape(envelope) }
    case Byte.openBracket: return DocumentShape(envelope)
    case _ where name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl"): return LineShape()
    case _ where name.hasSuffix(".json"): return DocumentShape(envelope)
    default: return try table(among: [Byte.comma, Byte.semicolon, Byte.tab], isGuarded: hasMark)
    }
  }

  /// Throws if the first bytes are those of a format that has no lines.
  private mutating func checkIsText(_ file: String) throws {
    let others: KeyValuePairs<[UInt8], (String, String)> = [
      [0x1F, 0x8B]: ("compressed by gzip", "unpack it with gunzip"),
      Array("PAR1".utf8): ("a Parquet file", "write it as csv or ndjson"),
      Array("SQLi".utf8): ("a SQLite file", "write its rows as csv or ndjson"),
      [0x50, 0x4B, 0x03, 0x04]: ("a ZIP file, as spreadsheets are", "write it as csv or ndjson"),
    ]
    let start = try first { bytes, isLast in isLast || bytes.count >= 4 ? Array(bytes.prefix(4)) : nil } ?? []
    guard let (what, remedy) = others.first(where: { start.starts(with: $0.key) })?.value else { return }
    throw SourceError(.malformed, "\(file) is \(what)", remedy: .advice(remedy))
  }

  /// True when the first line is a row of ndjson, even a broken one.
  private mutating func beginsWithLine(of envelope: EnvelopeReader) throws -> Bool {
    var (scan, envelope) = (JSONScan(), envelope)
    let found: Bool? = try first(within: 1 << 20) { bytes, _ in
      let text = Bytes(rebasing: bytes.drop { $0 <= Byte.space })
      while let stop = scan.next(in: text) {
        switch stop {
        case .list(let list, let name): if (try? envelope.takeHead(text[..<list], list: text[name])) ?? true { return false }
        // A line break before the end means that this is a document. A text that is cut by a line break is a broken row.
        case .end(let end): return !text[..<(end - 1)].contains { $0.isLineBreak }
        }
      }
      // A second line that begins like a row shows that the first one is a broken row.
      let lineEnd = text.firstIndex { $0.isLineBreak } ?? text.endIndex
      guard let next = text[lineEnd...].first(where: { $0 > Byte.space }) else { return nil }
      return next == Byte.openBrace && text[..<lineEnd].last { $0 > Byte.space } != Byte.openBracket
    }
    return found ?? true
  }

  /// Finds the shape of a table. A row that fits the header is waited for only if that has several of the separators.
  private mutating func table(among separators: [UInt8], isGuarded: Bool) throws -> TableShape {
    let shape: TableShape? = try first { bytes, isLast in
      let text = Bytes(rebasing: bytes.drop { $0.isLineBreak || $0 == Byte.space })
      guard let end = text.firstIndex(where: { $0.isLineBreak }) ?? (isLast ? text.endIndex : nil) else { return nil }
      let found = separators.filter { text[..<end].contains($0) }
      if found.count < 2 { return TableShape(separator: found.first ?? Byte.comma, isGuarded: isGuarded) }
      let lines = isLast ? text : Bytes(rebasing: text[...(text.lastIndex { $0.isLineBreak } ?? end)])
      let shape = TableShape(of: lines, among: found, isGuarded: isGuarded)
      return isLast || shape.fitsRows ? shape : nil
    }
    return shape ?? TableShape(isGuarded: isGuarded)
  }
}
