import CText

/// The one way to make texts comparable for search.
///
///     Fold.fold("Łódź, Straße, ＡＢＣ")  // "lodz, strasse, abc"
///
/// A text is decomposed with compatibility (NFKD) and fully case-folded. Marks and invisible characters are removed. Letters without a
/// decomposition become their plain neighbors (ł, ø, đ, æ, œ, ı, ß, þ, ð, ħ, ŧ, ŋ, ĸ). Apostrophes become `'`, dashes `-`, and every kind
/// of space a space. Folding works scalar by scalar; folding twice changes nothing, and all normal forms of a text fold to the same text.
public enum Fold {
  /// Folds a text for comparison: two texts that fold to the same text count as equal.
  public static func fold(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      var folded: [UInt8] = []
      fold(utf8: bytes, into: &folded)
      return String(decoding: folded, as: UTF8.self)
    }
  }

  /// Appends the fold of bytes, which must be UTF-8.
  static func fold(utf8 bytes: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    var read = 0
    var written = output.count
    while read < bytes.count {
      // Nearly every text folds to at most as many bytes; for one that grows the loop runs again.
      let room = written + (bytes.count - read) + 2 * longestStep
      output.append(contentsOf: repeatElement(0, count: room - output.count))
      output.withUnsafeMutableBufferPointer { fold(bytes, from: &read, into: $0, at: &written) }
    }
    output.removeLast(output.count - written)
  }

  /// More than the 8 bytes of a block and than the longest fold of a scalar, which the table's script limits to 40 bytes.
  private static let longestStep = 40

  /// Folds until the input ends or the output has less room than a step. This is safe: every read is below `bytes.count` if these are
  /// UTF-8, and every write is below `output.count` as long as there is room for a step.
  private static func fold(
    _ bytes: UnsafeBufferPointer<UInt8>, from read: inout Int, into output: UnsafeMutableBufferPointer<UInt8>,
    at written: inout Int
  ) {
    guard let source = bytes.baseAddress, let target = output.baseAddress else { return }
    let end = bytes.count
    let last = output.count - longestStep
    var index = read
    var position = written
    while index < end, position <= last {
      if index + 8 <= end {
        let block = UnsafeRawPointer(source + index).loadUnaligned(as: UInt64.self)
        if block & 0x8080_8080_8080_8080 == 0 {
          UnsafeMutableRawPointer(target + position).storeBytes(of: lowered(block), as: UInt64.self)
          index += 8
          position += 8
          continue
        }
      }
      // This is not a whole block of ASCII: the loop takes up to 8 bytes one by one, then tries blocks again.
      let pause = min(index + 8, end)
      while index < pause, position <= last {
        let byte = source[index]
        if byte < 0x80 {
          target[position] = lowered(byte)
          index += 1
          position += 1
        } else {
          index += foldScalar(of: bytes, at: index, to: target, &position)
        }
      }
    }
    read = index
    written = position
  }

  /// Folds eight bytes of ASCII at once: no byte carries into the next, since the highest bit of each is free.
  @inline(__always)
  private static func lowered(_ block: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highest = ones << 7
    let fromA = block &+ (ones &* (0x80 - 0x41))
    let beyondZ = block &+ (ones &* (0x80 - 0x5B))
    let upper = fromA & ~beyondZ & highest
    let notGrave = (block ^ (ones &* 0x60)) &+ (ones &* 0x7F)
    let grave = (~notGrave & highest) >> 7
    return (block | (upper >> 2)) ^ (grave &* (0x60 ^ 0x27))
  }

  @inline(__always)
  private static func lowered(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte == 0x60 ? 0x27 : byte
  }

  /// Writes the fold of one scalar beyond ASCII, and returns its number of bytes in the input.
  @inline(__always)
  private static func foldScalar(
    of bytes: UnsafeBufferPointer<UInt8>, at index: Int, to target: UnsafeMutablePointer<UInt8>, _ position: inout Int
  ) -> Int {
    let scalar = bytes.scalar(at: index)
    if let entry = text_fold(scalar.value) {
      let count = Int(entry[0])
      for offset in 0..<count { target[position + offset] = entry[1 + offset] }
      position += count
    } else if 0xAC00...0xD7A3 ~= scalar.value {
      let syllable = scalar.value - 0xAC00
      writeJamo(0x1100 + syllable / 588, to: target, &position)
      writeJamo(0x1161 + syllable % 588 / 28, to: target, &position)
      if syllable % 28 > 0 { writeJamo(0x11A7 + syllable % 28, to: target, &position) }
    } else {
      for offset in 0..<scalar.count { target[position + offset] = bytes[index + offset] }
      position += scalar.count
    }
    return scalar.count
  }

  private static func writeJamo(_ jamo: UInt32, to target: UnsafeMutablePointer<UInt8>, _ position: inout Int) {
    target[position] = 0xE1
    target[position + 1] = 0x80 | UInt8(truncatingIfNeeded: jamo >> 6 & 0x3F)
    target[position + 2] = 0x80 | UInt8(truncatingIfNeeded: jamo & 0x3F)
    position += 3
  }
}

/// A text to look for, folded once.
///
///     let needle = Needle("strasse")
///     needle.matches("Hauptstraße 5")  // true
public struct Needle: Sendable, Hashable {
  private let folded: [UInt8]

  /// Looks for the text, however it is written.
  public init(_ text: String) { folded = Array(Fold.fold(text).utf8) }

  /// True when folding leaves nothing of the needle; then it matches every text.
  public var isEmpty: Bool { folded.isEmpty }

  /// True when the folded text contains the folded needle.
  public func matches(_ text: String) -> Bool {
    let haystack = Array(Fold.fold(text).utf8)
    return isEmpty || haystack.indices.contains { haystack[$0...].starts(with: folded) }
  }
}
