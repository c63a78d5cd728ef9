import Platform

/// Writes compact JSON, all at once or piece by piece.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("source")
///     writer.write(string: "heroes")
///     writer.key("items")
///     writer.write(.list([.int(1), .null]))
///     writer.endObject()                      // {"source":"heroes","items":[1,null]}
///
/// Commas are added automatically. Characters beyond ASCII are written as they are, except the control characters up to U+009F. A double
/// that is infinite or not a number becomes `null`.
public struct JSONWriter: Sendable {
  /// The bytes that were written and not yet taken.
  public internal(set) var bytes: [UInt8] = []
  private var depth = 0
  private var needsComma = false

  /// A writer with an empty buffer.
  public init() {}

  /// Begins an object, which ends with ``endObject()``.
  public mutating func beginObject() { begin(Byte.openBrace) }

  /// Ends the innermost object.
  public mutating func endObject() { end(Byte.closeBrace) }

  /// Begins an array, which ends with ``endArray()``.
  public mutating func beginArray() { begin(Byte.openBracket) }

  /// Ends the innermost array.
  public mutating func endArray() { end(Byte.closeBracket) }

  /// Writes a member's name; its value is written next.
  public mutating func key(_ name: String) {
    separate()
    append(quoted: name)
    bytes.append(Byte.colon)
    needsComma = false
  }

  /// A member's name that is quoted once for many objects.
  struct Key {
    fileprivate let bytes: [UInt8]

    init(_ name: String) {
      var writer = JSONWriter()
      writer.key(name)
      bytes = writer.bytes
    }
  }

  mutating func key(_ key: Key) {
    separate()
    // Without the buffer, a reference to the bytes would be counted.
    key.bytes.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    needsComma = false
  }

  /// Ends a line of ndjson.
  public mutating func endLine() { bytes.append(Byte.newline) }

  /// Returns the bytes that were written, and continues with an empty buffer.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Removes the bytes that were written. Open objects and arrays stay open.
  public mutating func removeAll(keepingCapacity: Bool = false) { bytes.removeAll(keepingCapacity: keepingCapacity) }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    depth += 1
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    depth -= 1
    needsComma = depth > 0
  }

  private mutating func separate() {
    if needsComma { bytes.append(Byte.comma) }
    needsComma = depth > 0
  }
}

extension JSONWriter {
  /// Writes a value and everything inside it.
  public mutating func write(_ value: Value) {
    switch value {
    case .null: write(word: "null")
    case .bool(let bool): write(word: bool ? "true" : "false")
    case .int(let int): write(int)
    case .decimal(let decimal): write(word: decimal.description)
    case .double(let double): write(word: double.isFinite ? double.description : "null")
    case .text(let text): write(string: text)
    case .list(let values):
      beginArray()
      for value in values { write(value) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.name)
        write(member.value)
      }
      endObject()
    }
  }

  // A description would be made for any kind of number, and be a text first.
  private mutating func write(_ number: Int) {
    separate()
    if number < 0 { bytes.append(Byte.minus) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var (rest, start) = (number.magnitude, digits.count)
      repeat {
        start -= 1
        digits[start] = Byte.zero + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Writes a text, quoted and escaped.
  public mutating func write(string: String) {
    separate()
    append(quoted: string)
  }

  /// Writes a value that is already JSON, such as ``JSON/raw``.
  public mutating func write(raw: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: raw)
  }

  private mutating func write(word: String) {
    separate()
    bytes.append(contentsOf: word.utf8)
  }

  mutating func append(quoted string: String) {
    // A copy of the text would have to be reference-counted.
    if string.utf8.withContiguousStorageIfAvailable({ append(quoted: $0) }) == nil {
      var string = string
      string.withUTF8 { append(quoted: $0) }
    }
  }

  private mutating func append(quoted text: UnsafeBufferPointer<UInt8>) {
    bytes.append(Byte.quote)
    defer { bytes.append(Byte.quote) }
    guard !Self.mayHoldTerminalControls(text) else { return append(guarded: text) }
    var clean = 0
    while true {
      let special = Self.special(in: text, from: clean)
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[clean..<special]))
      guard special < text.count else { break }
      append(escaped: text[special])
      clean = special + 1
    }
  }

  /// True when the text may contain DEL or a character from U+0080 to U+009F. JSON allows those unescaped, but some terminals obey them.
  private static func mayHoldTerminalControls(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = text.baseAddress else { return false }
    return memchr(start, 0x7F, text.count) != nil || memchr(start, 0xC2, text.count) != nil
  }

  private mutating func append(guarded text: UnsafeBufferPointer<UInt8>) {
    var at = 0
    while at < text.count {
      let byte = text[at]
      if byte == 0xC2, at + 1 < text.count, text[at + 1] < 0xA0 {
        append(escaped: text[at + 1])
        at += 1
      } else if byte == 0x7F || (byte < 0x80 && PlainText.isEnded(by: byte)) {
        append(escaped: byte)
      } else {
        bytes.append(byte)
      }
      at += 1
    }
  }

  /// The index of the first byte at or after `start` that must be escaped, or the end.
  private static func special(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let raw = UnsafeRawBufferPointer(text)
    var at = start
    while at &+ 16 <= raw.count {
      let marks = PlainText.asciiMarks(in: raw.loadUnaligned(fromByteOffset: at, as: PlainText.Block.self))
      if let count = PlainText.count(before: marks) { return at &+ count }
      at &+= 16
    }
    while at < raw.count, raw[at] >= 0x80 || !PlainText.isEnded(by: raw[at]) { at &+= 1 }
    return at
  }

  private mutating func append(escaped byte: UInt8) {
    bytes.append(Byte.backslash)
    switch byte {
    case Byte.quote, Byte.backslash: bytes.append(byte)
    case 0x08: bytes.append(Byte.b)
    case 0x0C: bytes.append(Byte.f)
    case Byte.newline: bytes.append(Byte.n)
    case Byte.carriageReturn: bytes.append(Byte.r)
    case Byte.tab: bytes.append(Byte.t)
    default:
      bytes.append(contentsOf: "u00".utf8)
      for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10) }
    }
  }
}

extension Value {
  /// The value as JSON.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}
