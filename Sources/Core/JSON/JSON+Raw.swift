extension JSON {
  /// The bytes of this value as they stand in the document.
  public var raw: ArraySlice<UInt8> {
    let node = node
    let start = Int(node.offset)
    return switch node.tag {
    case .null, .true, .false, .integer, .fraction: tape.bytes[start..<start + Int(node.length)]
    case .string, .key: tape.bytes[start - 1..<start + Int(node.length) + 1]
    case .array, .object: tape.bytes[start..<end(of: start)]
    }
  }

  /// A number for the bytes of this value, the same in every process: to know a broken row again (FNV-1a).
  public func digest() -> UInt64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in raw { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return digest
  }

  /// Behind the bracket that closes the one at `start`; the nodes do not keep it, since it is seldom asked for.
  private func end(of start: Int) -> Int {
    var depth = 0
    var isInString = false
    var at = start
    while at < tape.bytes.count {
      let byte = tape.bytes[at]
      at += 1
      switch byte {
      case Byte.quote: isInString.toggle()
      case Byte.backslash: at += 1
      case Byte.openBrace, Byte.openBracket: if !isInString { depth += 1 }
      case Byte.closeBrace, Byte.closeBracket:
        if !isInString { depth -= 1 }
        if depth == 0 { return at }
      default: break
      }
    }
    return at
  }
}
