/// Writes structures of Thrift's compact protocol, in which Parquet describes itself.
struct ThriftWriter {
  private(set) var bytes: [UInt8] = []
  private var lastField: Int16 = 0

  /// The codes of types in the heads of fields and lists.
  enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case i16 = 4
    case i32 = 5
    case i64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  private mutating func head(_ field: Int16, _ kind: Kind) {
    let step = field - lastField
    lastField = field
    if (1...15).contains(step) {
      bytes.append(UInt8(step) << 4 | kind.rawValue)
    } else {
      bytes.append(kind.rawValue)
      zigzag(Int64(field))
    }
  }

  private mutating func zigzag(_ number: Int64) { bytes += Self.varint(UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

  /// Returns a number in groups of seven bits, the lowest first.
  static func varint(_ number: UInt64) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), number)
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  mutating func i16(_ field: Int16, _ number: Int) {
    head(field, .i16)
    zigzag(Int64(number))
  }

  mutating func i32(_ field: Int16, _ number: Int) {
    head(field, .i32)
    zigzag(Int64(number))
  }

  mutating func i64(_ field: Int16, _ number: Int) {
    head(field, .i64)
    zigzag(Int64(number))
  }

  mutating func bool(_ field: Int16, _ bool: Bool) { head(field, bool ? .yes : .no) }

  mutating func binary(_ field: Int16, _ value: some Collection<UInt8>) {
    head(field, .binary)
    bytes += Self.varint(UInt64(value.count))
    bytes += value
  }

  mutating func text(_ field: Int16, _ text: String) { binary(field, text.utf8) }

  /// Writes a structure, whose fields `write` writes in rising order.
  mutating func structure(_ field: Int16, _ write: (inout ThriftWriter) -> Void) {
    head(field, .structure)
    inside(write)
  }

  /// Writes a list of structures.
  mutating func structures<Element>(
    _ field: Int16, _ elements: some Collection<Element>, _ write: (inout ThriftWriter, Element) -> Void
  ) {
    list(field, of: .structure, count: elements.count)
    for element in elements { inside { write(&$0, element) } }
  }

  mutating func numbers(_ field: Int16, _ numbers: [Int]) {
    list(field, of: .i32, count: numbers.count)
    for number in numbers { zigzag(Int64(number)) }
  }

  mutating func texts(_ field: Int16, _ texts: [String]) {
    list(field, of: .binary, count: texts.count)
    for text in texts { bytes += Self.varint(UInt64(text.utf8.count)) + text.utf8 }
  }

  private mutating func list(_ field: Int16, of kind: Kind, count: Int) {
    head(field, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      bytes += Self.varint(UInt64(count))
    }
  }

  private mutating func inside(_ write: (inout ThriftWriter) -> Void) {
    let outer = lastField
    lastField = 0
    write(&self)
    bytes.append(0)
    lastField = outer
  }

  /// Returns the bytes of one structure that is inside no other.
  static func alone(_ write: (inout ThriftWriter) -> Void) -> [UInt8] {
    var writer = ThriftWriter()
    write(&writer)
    writer.bytes.append(0)
    return writer.bytes
  }
}
