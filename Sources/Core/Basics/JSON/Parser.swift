/// Reads a document in one pass, checks every byte and writes the nodes. The document must not move meanwhile. A function that is called
/// for each value is inlined, and any other takes no `self`, so that the position in the text stays in a register.
struct Parser {
  /// The deepest nesting of containers; deeper documents are refused, so that no recursion overflows the stack.
  static let depthLimit = 512

  let start: UnsafePointer<UInt8>
  /// The end of the document, or the position at which it became too large.
  var end: UnsafePointer<UInt8>
  var at: UnsafePointer<UInt8>
  var storage: NodeStorage
  var failure: ParseFailure?

  /// Reads the whole document; returns what is wrong with it, or nil.
  @inline(__always) mutating func run() -> ParseFailure? {
    skipMark()
    skipSpace()
    if document() {
      skipSpace()
      if at < end { _ = fail("the end") }
    }
    return failure
  }

  @inline(__always) private mutating func document() -> Bool {
    // The innermost open container, and whether it is an object; -1 outside the root.
    var open = -1
    var isObject = false
    var depth = 0
    while true {
      if isObject {
        guard name(in: open) else { return false }
      }
      guard at < end else { return fail("a value") }
      switch at.pointee {
      case Byte.quote:
        guard string(.string, next: storage.count &+ 1) else { return false }
      case Byte.openBrace, Byte.openBracket:
        let outer = open
        isObject = at.pointee == Byte.openBrace
        guard depth < Self.depthLimit else { return fail("at most 512 levels") }
        depth &+= 1
        open = storage.count
        append(Node(offset: offset, length: 0, next: UInt32(truncatingIfNeeded: outer), tag: isObject ? .object : .array))
        at += 1
        skipSpace()
        // An empty container is closed below.
        if at < end, at.pointee == (isObject ? Byte.closeBrace : Byte.closeBracket) { break }
        if !isObject {
          guard at < end else { return fail("a value or ']'") }
          storage.nodes[open].length = 1
        }
        continue
      case Byte.minus, Byte.zero...Byte.nine: guard number() else { return false }
      case Byte.t: guard word("true", .true) else { return false }
      case Byte.f: guard word("false", .false) else { return false }
      case Byte.n: guard word("null", .null) else { return false }
      default: return fail("a value")
      }
      // A value has ended, and perhaps the containers around it too.
      ending: while true {
        if open < 0 { return true }
        skipSpace()
        guard at < end else { return fail(isObject ? "',' or '}'" : "',' or ']'") }
        switch (at.pointee, isObject) {
        case (Byte.comma, true):
          at += 1
          skipSpace()
          break ending
        case (Byte.comma, false):
          at += 1
          skipSpace()
          storage.nodes[open].length &+= 1
          break ending
        case (Byte.closeBrace, true), (Byte.closeBracket, false):
          at += 1
          depth &-= 1
          let outer = Int(Int32(bitPattern: storage.nodes[open].next))
          storage.nodes[open].next = UInt32(truncatingIfNeeded: storage.count)
          open = outer
          isObject = outer >= 0 && storage.nodes[outer].tag == .object
        default: return fail(isObject ? "',' or '}'" : "',' or ']'")
        }
      }
    }
  }

  @inline(__always) private mutating func name(in object: Int) -> Bool {
    guard at < end, at.pointee == Byte.quote else {
      return fail(storage.nodes[object].length == 0 ? "a name or '}'" : "a name")
    }
    let index = storage.count
    guard string(.key, next: Int(storage.nodes[object].length)) else { return false }
    storage.nodes[object].length = UInt32(truncatingIfNeeded: index)
    if at < end, at.pointee != Byte.colon { skipSpace() }
    guard at < end, at.pointee == Byte.colon else { return fail("':'") }
    at += 1
    skipSpace()
    return true
  }

  @inline(__always) private mutating func word(_ word: StaticString, _ tag: Node.Tag) -> Bool {
    let first = offset
    for letter in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
      guard at < end, at.pointee == letter else { return fail(word) }
      at += 1
    }
    append(
      Node(
        offset: first, length: UInt32(word.utf8CodeUnitCount), next: UInt32(truncatingIfNeeded: storage.count &+ 1), tag: tag))
    return true
  }
}

extension Parser {
  @inline(__always) var offset: UInt32 { UInt32(truncatingIfNeeded: at - start) }

  @inline(__always) mutating func skipSpace() {
    while at < end, at.pointee <= Byte.space, Byte.isSpace(at.pointee) { at += 1 }
  }

  private mutating func skipMark() {
    if end - at >= 3, at[0] == 0xEF, at[1] == 0xBB, at[2] == 0xBF { at += 3 }
  }

  @inline(__always) mutating func append(_ node: Node) {
    if storage.count == storage.capacity { (storage, end) = Self.larger(storage, at, end) }
    storage.append(node)
  }

  /// Returns storage with more room. With too many values already, also ends the document here, so that no value has to check.
  @inline(never) private static func larger(
    _ storage: NodeStorage, _ at: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> (NodeStorage, end: UnsafePointer<UInt8>) { (storage.larger(), storage.isFull ? at : end) }

  /// Notes what should have been at the current position. Always false, so that a check fails by returning it.
  @inline(__always) mutating func fail(_ expected: StaticString) -> Bool {
    failure = ParseFailure(offset: at - start, expected: expected)
    return false
  }
}

/// The offset at which a document is not JSON, and what should have been there.
struct ParseFailure {
  let offset: Int
  let expected: StaticString

  /// The error, such as `expected ',' or '}', found 'x' at byte 17, line 2:5`.
  func error(in bytes: [UInt8], from first: TextLocation = TextLocation()) -> SourceError {
    var location = first
    bytes.withUnsafeBufferPointer { location.pass(UnsafeBufferPointer(rebasing: $0[..<offset])) }
    let spot = "at byte \(offset), line \(location.line):\(location.column)"
    guard offset < bytes.count else { return SourceError(.truncated, "the JSON is cut short: expected \(expected) \(spot)") }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    // JSON does not allow the first character: say what was sent instead, if that can be told.
    if bytes[start..<offset].allSatisfy(Byte.isSpace) {
      if bytes[offset] == UInt8(ascii: "<") {
        let isXML = ["<?xml", "<rss", "<feed"].contains { bytes[offset...].starts(with: $0.utf8) }
        return SourceError(.malformed, "expected JSON, got \(isXML ? "XML" : "an HTML page")")
      }
      if bytes[offset] >= 0xFE || bytes[offset] == 0 { return SourceError(.malformed, "expected UTF-8, got UTF-16 or UTF-32") }
    }
    return SourceError(.malformed, "invalid JSON: expected \(expected), found \(found(in: bytes)) \(spot)")
  }

  private func found(in bytes: [UInt8]) -> String {
    let byte = bytes[offset]
    guard !(0x21...0x7E).contains(byte) else { return "'\(Character(UnicodeScalar(byte)))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "the byte 0x" + (digits.count < 2 ? "0" : "") + digits
  }
}

/// A location in a text: a line and a column in characters, both counted from one.
package struct TextLocation: Sendable {
  package private(set) var line = 1
  package var column = 1

  package init() {}

  package mutating func passLine() { (line, column) = (line + 1, 1) }

  package mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
    var rest = bytes[...]
    if let last = bytes.lastIndex(of: Byte.newline) {
      line += bytes.count { $0 == Byte.newline }
      column = 1
      rest = bytes[(last + 1)...]
    }
    column += rest.count { $0 & 0xC0 != 0x80 }
  }
}
