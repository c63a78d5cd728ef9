extension Tape {
  /// What a string or a name says.
  @inline(__always) func text(_ node: Node) -> String {
    guard !node.flags.contains(.escaped) else { return unescaped(node) }
    return withBytes(of: node) { text in
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return String(decoding: text, as: UTF8.self) }
      // The parser has checked it, so it need not be checked again.
      return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: !node.flags.contains(.wide)))
    }
  }

  @inline(never) private func unescaped(_ node: Node) -> String {
    withBytes(of: node) { text in
      String(unsafeUninitializedCapacity: text.count) { Escapes.resolve(text, into: $0) }
    }
  }
}

extension JSON {
  /// Gives the text of a string to `body` without making a `String` of it; nothing of any other value.
  func withText(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let node = node
    guard node.tag == .string else { return }
    guard node.flags.contains(.escaped) else { return tape.withBytes(of: node, body) }
    var text = tape.text(node)
    text.withUTF8(body)
  }
}

extension Tape {
  /// The last member of that name in an object; nil if there is none, or if that value is no object.
  @inline(__always) func find(_ key: String, in object: Int) -> Int? {
    let node = self[object]
    guard node.tag == .object else { return nil }
    var key = key
    return key.withUTF8 { key in
      var name = Int(node.length)
      while name > 0 {
        let candidate = self[name]
        if candidate.flags.contains(.escaped) {
          if says(candidate, key) { return name &+ 1 }
        } else if Int(candidate.length) == key.count, withBytes(of: candidate, { Self.areEqual($0, key) }) {
          return name &+ 1
        }
        name = Int(candidate.next)
      }
      return nil
    }
  }

  /// Whether a name with escapes in it is `key`, without a string for each: there may be millions, and each is looked at for each key.
  @inline(never) private func says(_ name: Node, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    // An escape is longer than what it stands for, six times at most.
    guard (key.count + 1...6 * key.count + 1).contains(Int(name.length)) else { return false }
    return withBytes(of: name) { text in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { resolved in
        Escapes.resolve(text, into: resolved) == key.count && resolved.prefix(key.count).elementsEqual(key)
      }
    }
  }

  /// Whether two texts of the same length are the same. Names are short: eight bytes at a time beat a call.
  @inline(__always)
  private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    let left = UnsafeRawBufferPointer(left)
    let right = UnsafeRawBufferPointer(right)
    var index = 0
    while index &+ 8 <= right.count {
      if left.loadUnaligned(fromByteOffset: index, as: UInt64.self) != right.loadUnaligned(fromByteOffset: index, as: UInt64.self) {
        return false
      }
      index &+= 8
    }
    while index < right.count {
      if left[index] != right[index] { return false }
      index &+= 1
    }
    return true
  }
}
