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
/// Commas come by themselves. The result is always UTF-8: characters beyond ASCII stand as they are, control characters are
/// escaped. A double is as short as reads back the same; one that is infinite or no number is `null`, for JSON has neither.
public struct JSONWriter: Sendable {
  /// What has been written and not been taken.
  public internal(set) var bytes: [UInt8] = []
  private var depth = 0
  private var needsComma = false

  public init() {}

  public mutating func beginObject() { begin(Byte.openBrace) }

  public mutating func endObject() { end(Byte.closeBrace) }

  public mutating func beginArray() { begin(Byte.openBracket) }

  public mutating func endArray() { end(Byte.closeBracket) }

  /// A member's name; its value is what is written next.
  public mutating func key(_ name: String) {
    separate()
    append(quoted: name)
    bytes.append(Byte.colon)
    needsComma = false
  }

  /// A member's name, quoted once for many objects.
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
    bytes.append(contentsOf: key.bytes)
    needsComma = false
  }

  /// Ends a line of ndjson.
  public mutating func endLine() { bytes.append(Byte.newline) }

  /// What has been written; the writer goes on after it with an empty buffer.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Forgets what has been written, but not where it is: what was opened stays open.
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
  public mutating func write(_ value: Value) {
    switch value {
    case .null: write(word: "null")
    case .bool(let bool): write(word: bool ? "true" : "false")
    case .int(let int): write(word: int.description)
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

  public mutating func write(string: String) {
    separate()
    append(quoted: string)
  }

  /// A value that is JSON already, such as ``JSON/raw``.
  public mutating func write(raw: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: raw)
  }

  private mutating func write(word: String) {
    separate()
    bytes.append(contentsOf: word.utf8)
  }
}
