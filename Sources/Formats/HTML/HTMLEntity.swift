import CText

/// Character references: `&eacute;`, `&#233;`, `&#xE9;`.
enum HTMLEntity {
  /// Returns the text with each reference replaced. An `&` that does not begin a reference stays as it is.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var (result, rest): ([UInt8], _) = ([], text)
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      result += rest[..<start]
      rest = rest[(start + 1)...]
      if let end = rest.prefix(33).firstIndex(of: UInt8(ascii: ";")), let entity = character(rest[..<end]) {
        result += entity
        rest = rest[(end + 1)...]
      } else {
        result.append(UInt8(ascii: "&"))
      }
    }
    return result + rest
  }

  private static func character(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard name.first == UInt8(ascii: "#") else { return named(name) }
    let isHex = name.dropFirst().first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    guard let value = UInt32(String(decoding: name.dropFirst(isHex ? 2 : 1), as: UTF8.self), radix: isHex ? 16 : 10) else {
      return nil
    }
    let scalar = Unicode.Scalar(value == 0 ? 0xFFFD : 0x80...0x9F ~= value ? windows1252[Int(value - 0x80)] : value)
    return Array(String(scalar ?? "\u{FFFD}").utf8)
  }

  /// The characters for the numbers of control characters, which were meant as in Windows-1252. Numbers that are unused there stay.
  private static let windows1252: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  private static func named(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    var (low, high): (UInt32, UInt32) = (0, text_entity_count)
    while low < high {
      let middle = (low + high) / 2
      // The script that wrote the table also wrote the counts, so the pointers stay inside the table.
      guard let entry = text_entity(middle) else { return nil }
      let entryName = UnsafeBufferPointer(start: entry + 3, count: Int(entry[0]))
      if entryName.elementsEqual(name) {
        return Array(UnsafeBufferPointer(start: entry + 3 + Int(entry[0]), count: Int(entry[1])))
      }
      if entryName.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
