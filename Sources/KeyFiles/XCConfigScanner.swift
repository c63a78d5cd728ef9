import AggregatorCore

/// Takes the bytes of one xcconfig file apart, line by line, as Xcode does.
///
/// It knows nothing of other files and does not look into values; no message it makes repeats what the file holds.
struct XCConfigScanner {
  /// What a line says.
  enum Statement {
    case include(String, isOptional: Bool)
    case assignment(Assignment)
  }

  struct Assignment {
    let name: String
    /// `[sdk=macosx*]`, as written; empty if it always holds.
    let conditions: String
    /// As written, references and all; it may be a key, so nothing prints it.
    let value: Secret
    /// Where the value is in the file, to replace it there.
    let range: Range<Int>
  }

  struct Fault: Error {
    let line: Int
    let message: String
    var remedy: String?
  }

  private let bytes: [UInt8]
  private var index: Int
  private(set) var line = 1

  /// `bytes` are UTF-8; a byte-order mark is no part of the text.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The next statement and the line it begins on; nil at the end.
  mutating func next() throws(Fault) -> (line: Int, statement: Statement)? {
    while index < bytes.count {
      skipBlanksAndComments()
      if lineEndLength > 0 {
        skipLineEnd()
      } else if index < bytes.count {
        let start = line
        let statement = byte() == UInt8(ascii: "#") ? try include() : .assignment(try assignment())
        return (start, statement)
      }
    }
    return nil
  }

  // MARK: Lines

  private mutating func include() throws(Fault) -> Statement {
    index += 1
    skipBlanks()
    let keyword = take { !Self.isBlank($0) }
    guard keyword == "include" || keyword == "include?" else {
      throw fault("a line that starts with # must be #include \"FILE\"", remedy: "start a comment with //")
    }
    skipBlanks()
    guard byte() == Self.quote else { throw fault("#include needs a file name in double quotes") }
    index += 1
    let name = take { $0 != Self.quote }
    guard byte() == Self.quote else { throw fault("the file name after #include has no closing quote") }
    index += 1
    skipBlanksAndComments()
    guard isAtLineEnd else { throw fault("unexpected text after #include \"FILE\"") }
    guard !name.isEmpty else { throw fault("#include has an empty file name") }
    return .include(name, isOptional: keyword == "include?")
  }

  private mutating func assignment() throws(Fault) -> Assignment {
    guard let first = byte(), XCConfig.mayBegin(first) else {
      throw fault("a line must be KEY = value, with a KEY that starts with a letter or _", remedy: "start a comment with //")
    }
    let name = take(while: XCConfig.mayContinue)
    skipBlanksAndComments()
    let conditions = try conditions()
    guard byte() == UInt8(ascii: "=") else { throw fault("this line has no = after its key", remedy: "write KEY = value") }
    index += 1
    let (value, range) = value()
    return Assignment(name: name, conditions: conditions, value: Secret(value), range: range)
  }

  private mutating func conditions() throws(Fault) -> String {
    let start = index
    var end = index
    while byte() == UInt8(ascii: "[") {
      index += 1
      let parameter = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "]") }
      guard byte() == UInt8(ascii: "="), !parameter.isEmpty else { throw fault("a condition must be [name=pattern]") }
      _ = take { $0 != UInt8(ascii: "]") }
      guard byte() == UInt8(ascii: "]") else { throw fault("a condition has no closing ]") }
      index += 1
      end = index
      skipBlanksAndComments()
    }
    return text(start..<end)
  }

  /// What follows the `=`: up to a comment, without the blanks around it and one `;`; a `\` at the end goes on with the next line.
  private mutating func value() -> (text: String, range: Range<Int>) {
    var start: Int?
    var end = index
    var chunks: [String] = []
    while true {
      let blank = index
      skipBlanksAndComments()
      if isAtLineEnd {
        // An empty value stands right behind its `=`.
        if start == nil { end = blank }
        break
      }
      let chunk = chunk()
      start = start ?? chunk.lowerBound
      end = chunk.upperBound
      guard let last = chunk.last, bytes[last] == UInt8(ascii: "\\") else {
        chunks.append(text(chunk))
        break
      }
      let kept = chunk.lowerBound..<trimmedEnd(of: chunk.lowerBound..<last)
      if !kept.isEmpty { chunks.append(text(kept)) }
      skipLineEnd()
    }
    return (chunks.joined(separator: " "), (start ?? end)..<end)
  }

  private mutating func chunk() -> Range<Int> {
    let start = index
    while !isAtLineEnd && !isAtComment { index += 1 }
    var end = trimmedEnd(of: start..<index)
    if end > start, bytes[end - 1] == UInt8(ascii: ";") { end = trimmedEnd(of: start..<end - 1) }
    skipLine()
    return start..<end
  }

  // MARK: Bytes

  private static let quote = UInt8(ascii: "\"")

  /// Space, tab, vertical tab and form feed.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0B || byte == 0x0C }

  private func byte(_ offset: Int = 0) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func fault(_ message: String, remedy: String? = nil) -> Fault { Fault(line: line, message: message, remedy: remedy) }

  private func trimmedEnd(of range: Range<Int>) -> Int {
    var end = range.upperBound
    while end > range.lowerBound, Self.isBlank(bytes[end - 1]) { end -= 1 }
    return end
  }

  /// LF, CR, CR LF, and Unicode's line and paragraph separators end a line; 0 is no line end.
  private var lineEndLength: Int {
    switch byte() {
    case 0x0A: 1
    case 0x0D: byte(1) == 0x0A ? 2 : 1
    case 0xE2 where byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9): 3
    default: 0
    }
  }

  private var isAtLineEnd: Bool { index >= bytes.count || lineEndLength > 0 }
  private var isAtComment: Bool { byte() == UInt8(ascii: "/") && byte(1) == UInt8(ascii: "/") }

  private mutating func skipLineEnd() {
    guard lineEndLength > 0 else { return }
    index += lineEndLength
    line += 1
  }

  private mutating func skipLine() { while !isAtLineEnd { index += 1 } }
  private mutating func skipBlanks() { while let next = byte(), Self.isBlank(next) { index += 1 } }

  private mutating func skipBlanksAndComments() {
    skipBlanks()
    if isAtComment { skipLine() }
  }

  private mutating func take(while holds: (UInt8) -> Bool) -> String {
    let start = index
    while !isAtLineEnd, holds(bytes[index]) { index += 1 }
    return text(start..<index)
  }
}
