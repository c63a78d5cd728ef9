/// Finds what interrupts a run of plain characters in a string, sixteen bytes at a time.
///
/// By arithmetic and not by comparison: the standard library compares vectors in a loop where it cannot see their type.
enum PlainText {
  typealias Block = SIMD16<UInt8>

  /// The high bit of each byte that is a quote, a backslash, a control character or beyond ASCII.
  @inline(__always) static func marks(in block: Block) -> Block { special(block) | block }

  /// The same without those beyond ASCII.
  @inline(__always) static func asciiMarks(in block: Block) -> Block { special(block) & ~block }

  /// How many bytes lie before the first mark; nil when there is none.
  @inline(__always) static func count(before marks: Block) -> Int? {
    let words = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
    let low = UInt64(littleEndian: words[0]) & 0x8080_8080_8080_8080
    let high = UInt64(littleEndian: words[1]) & 0x8080_8080_8080_8080
    guard low | high != 0 else { return nil }
    return (low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount) &>> 3
  }

  @inline(__always) static func isEnded(by byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x80 || byte == Byte.quote || byte == Byte.backslash
  }

  /// Right for bytes of ASCII: what is zero, and what is less than a space, gets a high bit when one more is taken from it.
  @inline(__always) private static func special(_ block: Block) -> Block {
    let one = Block(repeating: 1)
    let quote = (block ^ Block(repeating: Byte.quote)) &- one
    let backslash = (block ^ Block(repeating: Byte.backslash)) &- one
    return quote | backslash | (block &- Block(repeating: Byte.space))
  }
}
