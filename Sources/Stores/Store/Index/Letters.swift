/// Three neighbouring letters of a searchable text, as one number: six bits for each of them.
///
/// A line break, a–z and the digits have symbols of their own. All other letters share 27, so a row that has the number may have other
/// letters. It is compared before it counts as a match.
enum Letters {
  private static let bitsOfOne = 6
  /// The number of bits in such a number, and how many different numbers there are.
  static let bits = 3 * bitsOfOne
  static let count = 1 << bits
  /// The number of numbers that begin with the same letter.
  static let countOfOneBeginning = 1 << (2 * bitsOfOne)

  /// The symbols of the letters of a text in UTF-8, one after the other.
  struct Symbols: Sequence, IteratorProtocol {
    private let text: UnsafeRawBufferPointer
    private var place = 0

    init(_ text: UnsafeRawBufferPointer) { self.text = text }

    @inline(__always)
    mutating func next() -> Int? {
      guard place < text.count else { return nil }
      let byte = text[place]
      place += 1
      switch byte {
      case 0x61...0x7A: return Int(byte) - 0x60
      case 0x30...0x39: return Int(byte) - 0x30 + 27
      case 0x0A: return 0
      default:
        var scalar = UInt32(byte)
        while place < text.count, text[place] & 0xC0 == 0x80 {
          scalar = scalar << 6 | UInt32(text[place] & 0x3F)
          place += 1
        }
        return 37 + Int(scalar % 27)
      }
    }
  }

  /// Returns the number of the last two of three letters and the next one.
  @inline(__always)
  static func number(after number: Int, _ symbol: Int) -> Int { (number << bitsOfOne | symbol) & (count - 1) }

  /// Returns the number of three symbols.
  static func number(of symbols: ArraySlice<Int>) -> Int { symbols.reduce(0, number(after:_:)) }

  /// Returns the numbers that begin with one or two symbols.
  static func numbers(beginning symbols: ArraySlice<Int>) -> Range<Int> {
    let bits = bitsOfOne * (3 - symbols.count)
    let first = number(of: symbols) << bits
    return first..<first + 1 << bits
  }
}
