/// The SHA-256 of FIPS 180-4.
///
/// Pictures are stored under their digests, and files with permissions are identified by
/// theirs: another file with the same digest cannot be made.
package struct SHA256 {
  /// Returns the digest of `text` in 64 hexadecimal digits.
  package static func hex(_ text: String) -> String { hex(Array(text.utf8)) }

  /// Returns the digest of bytes in 64 hexadecimal digits.
  package static func hex(_ bytes: [UInt8]) -> String {
    var digest = SHA256()
    digest.add(bytes)
    return digest.hex
  }

  /// Returns the digest of bytes in its 32 bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.add(bytes)
    return digest.bytes
  }

  private var state: [UInt32] = [
    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
  ]
  /// The bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  /// Makes the digest of no bytes.
  package init() {}

  /// Adds bytes after those added before.
  package mutating func add(_ bytes: [UInt8]) {
    count += UInt64(bytes.count)
    rest += bytes
    guard rest.count >= 64 else { return }
    let whole = rest.count & ~63
    rest.withUnsafeBytes { rest in
      for start in stride(from: 0, to: whole, by: 64) {
        Self.mix(UnsafeRawBufferPointer(rebasing: rest[start..<start + 64]), into: &state)
      }
    }
    rest.removeFirst(whole)
  }

  /// The digest of all bytes added, in 64 hexadecimal digits.
  package var hex: String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

  private var bytes: [UInt8] {
    var end = self
    end.add([0x80] + [UInt8](repeating: 0, count: Int((119 - count % 64) % 64)) + Self.bytes(of: count * 8))
    return end.state.flatMap { Self.bytes(of: $0) }
  }

  private static func mix(_ block: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 { words[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)) }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
        let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      var (a, b, c, d, e, f, g, h) = (state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7])
      constants.withUnsafeBufferPointer { constants in
        for index in 0..<64 {
          let sum = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
          let one = h &+ sum &+ (e & f ^ ~e & g) &+ constants[index] &+ words[index]
          let two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
          (h, g, f, e, d, c, b, a) = (g, f, e, d &+ one, c, b, a, one &+ two)
        }
      }
      for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }
  }

  private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

  private static func bytes(of word: some FixedWidthInteger) -> [UInt8] {
    stride(from: word.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
    0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
    0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
    0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
    0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
    0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
    0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
    0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
  ]
}
