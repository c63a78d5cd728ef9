extension String {
  /// Without spaces, tabs and line ends at both ends.
  package var trimmingSpaces: String { self[...].trimmingSpaces }
}

extension Substring {
  /// Without spaces, tabs and line ends at both ends.
  package var trimmingSpaces: String {
    var rest = utf8
    while let byte = rest.first, Byte.isSpace(byte) { rest.removeFirst() }
    while let byte = rest.last, Byte.isSpace(byte) { rest.removeLast() }
    return String(Substring(rest))
  }
}

extension String {
  /// The text with every occurrence of `needle` replaced, found from left to right.
  ///
  /// Written here because the standard library's `replacing` brings the regular-expression engine into every start.
  package func replacingEach(_ needle: String, with other: String) -> String {
    let needle = Array(needle.utf8)
    guard let first = needle.first, utf8.count >= needle.count else { return self }
    let text = Array(utf8)
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] == first, text[index...].starts(with: needle) {
        result.append(contentsOf: other.utf8)
        index += needle.count
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension Int {
  /// Reads a number that is written in the digits 0 to 9 and nothing else; the standard initializer takes a sign too.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text)
  }
}
