import CText

/// One character reference: `&eacute;`, `&#233;`, `&#xE9;`.
struct HTMLEntity {
  /// UTF-8.
  let text: [UInt8]
  /// Where the text goes on.
  let end: Int

  /// Reads the reference that begins with the `&` at `start`; nil if it is not one and the `&` stands for itself.
  init?(in bytes: UnsafeBufferPointer<UInt8>, at start: Int, isInAttribute: Bool = false) {
    let entity =
      start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "#")
      ? Self.number(in: bytes, from: start + 2) : Self.named(in: bytes, from: start + 1, isInAttribute: isInAttribute)
    guard let entity else { return nil }
    text = entity.text
    end = entity.end
  }

  private static func number(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (text: [UInt8], end: Int)? {
    var index = start
    let isHex = index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "x")
    if isHex { index += 1 }
    let firstDigit = index
    var value: UInt32 = 0
    while index < bytes.count, let digit = bytes[index].hexDigit, isHex || digit < 10 {
      value = min(value * (isHex ? 16 : 10) + digit, 0x11_0000)
      index += 1
    }
    guard index > firstDigit else { return nil }
    if index < bytes.count, bytes[index] == UInt8(ascii: ";") { index += 1 }
    var text: [UInt8] = []
    text.append(scalar: value == 0 ? 0xFFFD : 0x80...0x9F ~= value ? windows1252[Int(value - 0x80)] : value)
    return (text, index)
  }

  /// Numbers that are control characters were meant as Windows' own; those that are unused there stay.
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  private static let longestName = 32
  /// Of the names that count without their semicolon, as `&copy` does.
  private static let longestBareName = 6

  private static func named(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, isInAttribute: Bool
  ) -> (text: [UInt8], end: Int)? {
    var end = start
    while end < bytes.count, end - start < longestName, bytes[end].isLetter || bytes[end].isDigit { end += 1 }
    if end < bytes.count, bytes[end] == UInt8(ascii: ";"), let found = lookUp(bytes[start..<end]) { return (found.text, end + 1) }
    end = min(end, start + longestBareName)
    while end > start {
      if let found = lookUp(bytes[start..<end]), found.isBare {
        // In an address "&copy=1" is a parameter.
        let goesOn = end < bytes.count && (bytes[end].isLetter || bytes[end].isDigit || bytes[end] == UInt8(ascii: "="))
        return isInAttribute && goesOn ? nil : (found.text, end)
      }
      end -= 1
    }
    return nil
  }

  private static func lookUp(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> (text: [UInt8], isBare: Bool)? {
    var low: UInt32 = 0
    var high = text_entity_count
    while low < high {
      let middle = (low + high) / 2
      // The table's script wrote the counts, so the pointers stay inside the table.
      guard let entry = text_entity(middle) else { return nil }
      let entryName = UnsafeBufferPointer(start: entry + 3, count: Int(entry[0]))
      if entryName.elementsEqual(name) {
        return (Array(UnsafeBufferPointer(start: entry + 3 + Int(entry[0]), count: Int(entry[1]))), entry[2] != 0)
      }
      if entryName.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt32? {
    if isDigit { return UInt32(self - 0x30) }
    let letter = self | 0x20
    return 0x61...0x66 ~= letter ? UInt32(letter - 0x61 + 10) : nil
  }
}
