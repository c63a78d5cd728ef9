/// The attributes of one tag: what stands between its name and its `>`.
struct HTMLAttributes {
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The value of the first attribute of that name, its entities decoded; nil if it is absent or has none.
  func value(of name: String) -> String? {
    var index = 0
    while index < bytes.count {
      let start = index
      while index < bytes.count, !bytes[index].isHTMLSpace, bytes[index] != UInt8(ascii: "="), bytes[index] != UInt8(ascii: "/") {
        index += 1
      }
      let isIt = index - start == name.utf8.count && zip(bytes[start..<index], name.utf8).allSatisfy { $0.lowered == $1 }
      let afterName = index
      while index < bytes.count, bytes[index].isHTMLSpace { index += 1 }
      guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
        if isIt { return nil }
        // Never stands still: either a name or a stray slash is passed.
        index = max(index, afterName == start ? start + 1 : afterName)
        continue
      }
      let value = value(at: &index)
      if isIt { return decoded(value) }
    }
    return nil
  }

  /// The value after the `=` at `index`, which moves behind it.
  private func value(at index: inout Int) -> Range<Int> {
    index += 1
    while index < bytes.count, bytes[index].isHTMLSpace { index += 1 }
    guard index < bytes.count else { return index..<index }
    let quote = bytes[index]
    if quote == 0x22 || quote == 0x27 {
      let start = index + 1
      index = bytes[start...].firstIndex(of: quote) ?? bytes.count
      defer { index = min(index + 1, bytes.count) }
      return start..<index
    }
    let start = index
    while index < bytes.count, !bytes[index].isHTMLSpace { index += 1 }
    return start..<index
  }

  private func decoded(_ range: Range<Int>) -> String {
    let value = UnsafeBufferPointer(rebasing: bytes[range])
    var result: [UInt8] = []
    var index = 0
    while index < value.count {
      if value[index] == UInt8(ascii: "&"), let entity = HTMLEntity(in: value, at: index, isInAttribute: true) {
        result += entity.text
        index = entity.end
      } else {
        result.append(value[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
