/// A 64-bit FNV-1a hash. Unlike the standard library's hash, it is the same in every process.
public struct Fingerprint: Sendable {
  /// The hash of everything combined so far.
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash of no bytes.
  public init() {}

  package static func of(_ text: String) -> UInt64 {
    var print = Fingerprint()
    print.combine(text)
    return print.value
  }

  /// Returns the hash of an array, which other modules get without a call for each byte.
  package static func of(_ bytes: [UInt8]) -> UInt64 {
    var print = Fingerprint()
    bytes.withUnsafeBufferPointer { for byte in $0 { print.mix(byte) } }
    return print.value
  }

  package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var print = Fingerprint()
    print.combine(bytes)
    return print.value
  }

  /// Adds a text. The boundary between two texts counts.
  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { for byte in $0 { mix(byte) } }
    // 0xFF is in no UTF-8 text, so "a", "bc" and "ab", "c" differ.
    mix(0xFF)
  }

  /// Adds bytes. The boundary between two calls does not count.
  public mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { mix(byte) }
  }

  /// Adds a number.
  public mutating func combine(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  private mutating func mix(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
