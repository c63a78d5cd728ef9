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
