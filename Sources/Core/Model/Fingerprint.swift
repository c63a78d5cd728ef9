/// A 64-bit FNV-1a hash: the same in every process, unlike the standard library's.
public struct Fingerprint: Sendable {
  /// The hash of all that was combined so far.
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Of nothing.
  public init() {}

  package static func of(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.combine(text)
    return print.value
  }

  package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var print = Fingerprint()
    print.combine(bytes)
    return print.value
  }

  /// Adds a text; where one ends and the next begins counts.
  public mutating func combine(_ text: String) {
    for byte in text.utf8 { mix(byte) }
    // A byte no UTF-8 text holds, so that "a", "bc" and "ab", "c" differ.
    mix(0xFF)
  }

  /// Adds bytes; where some end and the next begin does not count.
  public mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { mix(byte) }
  }

  /// Adds a number.
  public mutating func combine(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
