import AggregatorCore
import StoreTables

/// One statement and its values.
struct ServerQuery: Sendable {
  let text: String
  let values: [SQLValue]

  /// Makes a statement in which `$1` and so on stand for `values`. Nothing from outside is ever part of `text`.
  init(_ text: String, _ values: (any SQLConvertible)?...) {
    self.init(text, values: values)
  }

  init(_ text: String, values: [(any SQLConvertible)?]) {
    self.text = text
    self.values = values.map { $0?.sqlValue ?? SQLValue() }
  }
}

/// One value as it goes to the server: text, unless it is a list.
struct SQLValue: Sendable {
  /// The bytes; nil for null.
  var bytes: [UInt8]?
  /// The number of its type in PostgreSQL; 0 if the statement gives the type.
  var type: UInt32 = 0
  var isBinary = false
}

protocol SQLConvertible {
  var sqlValue: SQLValue { get }
}

extension String: SQLConvertible {
  var sqlValue: SQLValue { SQLValue(bytes: SQLText.stored(Array(utf8))) }
}

extension Array: SQLConvertible where Element == UInt8 {
  var sqlValue: SQLValue { SQLValue(bytes: SQLText.stored(self)) }
}

extension Int64: SQLConvertible {
  var sqlValue: SQLValue { SQLValue(bytes: Array(String(self).utf8)) }
}

extension Int: SQLConvertible {
  var sqlValue: SQLValue { Int64(self).sqlValue }
}

extension Bool: SQLConvertible {
  var sqlValue: SQLValue { SQLValue(bytes: [UInt8(ascii: self ? "t" : "f")]) }
}

/// A list of texts or numbers, in the binary form of PostgreSQL's arrays, in which nothing has to be quoted.
struct SQLList: SQLConvertible {
  private(set) var count = 0
  private let element: UInt32
  private let list: UInt32
  private var bytes: [UInt8] = []
  private var hasNulls = false

  /// An empty list for `text[]`.
  static var texts: SQLList { SQLList(element: 25, list: 1009) }
  /// An empty list for `bigint[]`.
  static var numbers: SQLList { SQLList(element: 20, list: 1016) }

  private init(element: UInt32, list: UInt32) { (self.element, self.list) = (element, list) }

  init(_ texts: some Sequence<String>) {
    self = .texts
    for text in texts { append(Array(text.utf8)[...]) }
  }

  init(utf8 texts: some Sequence<ArraySlice<UInt8>?>) {
    self = .texts
    for text in texts { append(text) }
  }

  init(_ numbers: some Sequence<Int64>) {
    self = .numbers
    for number in numbers { append(number) }
  }

  mutating func append(_ text: ArraySlice<UInt8>?) {
    count += 1
    guard let text else {
      hasNulls = true
      append(word: -1)
      return
    }
    let stored = SQLText.mustChange(text) ? SQLText.stored(Array(text))[...] : text
    append(word: Int32(stored.count))
    bytes += stored
  }

  mutating func append(_ number: Int64) {
    count += 1
    append(word: 8)
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  private mutating func append(word: Int32) { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }

  var sqlValue: SQLValue {
    var head = SQLList(element: element, list: list)
    for word in count == 0 ? [0, 0, Int32(element)] : [1, hasNulls ? 1 : 0, Int32(element), Int32(count), 1] {
      head.append(word: word)
    }
    return SQLValue(bytes: head.bytes + bytes, type: list, isBinary: true)
  }
}

/// PostgreSQL stores no U+0000 in a text. It is stored as U+0001 followed by a 1, and U+0001 itself as U+0001 followed by a 2.
/// So the stored texts compare as the originals do: whether they are equal, whether one contains another, and which comes first.
extension SQLText {
  static func mustChange(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { bytes in bytes.contains { $0 <= 1 } } ?? bytes.contains { $0 <= 1 }
  }

  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    mustChange(bytes) ? bytes.flatMap { $0 == 0 ? [1, UInt8(ascii: "1")] : $0 == 1 ? [1, UInt8(ascii: "2")] : [$0] } : bytes
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard bytes.contains(1) else { return Array(bytes) }
    var (found, rest) = ([UInt8](), bytes[...])
    while let byte = rest.popFirst() {
      if byte == 1, let code = rest.popFirst() { found.append(code == UInt8(ascii: "1") ? 0 : 1) } else { found.append(byte) }
    }
    return found
  }
}
