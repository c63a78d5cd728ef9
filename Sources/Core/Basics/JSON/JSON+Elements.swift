extension JSON {
  /// The elements of an array; empty for any other value.
  public var elements: Elements { Elements(of: self) }

  /// The members of an object in the order of the text. A repeated name comes as often as it is written. Empty for any other value.
  public var members: Members { Members(of: self) }

  /// The elements of an array, one after the other.
  public struct Elements: Sendable, Sequence, IteratorProtocol {
    private let tape: Tape
    private var element: Int
    /// The number of elements that are left.
    public private(set) var count: Int

    fileprivate init(of json: JSON) {
      (tape, element) = (json.tape, Int(json.index) + 1)
      count = json.node.tag == .array ? Int(json.node.length) : 0
    }

    /// The document that has the array.
    var document: JSON { JSON(tape, 0) }

    /// True when no element is left, or when the value is not an array.
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }
    /// The first of the elements that are left.
    public var first: JSON? { first { _ in true } }

    public mutating func next() -> JSON? {
      guard count > 0 else { return nil }
      defer { (element, count) = (Int(tape[element].next), count - 1) }
      return JSON(tape, element)
    }
  }

  /// The members of an object in their order, including repeated names; empty for any other value.
  public struct Members: Sendable, Sequence, IteratorProtocol {
    private let tape: Tape
    private var name: Int
    private let end: Int

    fileprivate init(of json: JSON) {
      let node = json.node
      tape = json.tape
      name = Int(json.index) + 1
      end = node.tag == .object ? Int(node.next) : name
    }

    /// True when no member is left, or when the value is not an object.
    public var isEmpty: Bool { name >= end }

    public mutating func next() -> (key: String, value: JSON)? {
      guard name < end else { return nil }
      let value = name + 1
      defer { name = Int(tape[value].next) }
      return (tape.text(tape[name]), JSON(tape, value))
    }
  }

  /// A hash of the names in this object and in the objects inside it, but for those in arrays. The order of the names counts.
  package var nameHash: UInt64 {
    var hash = Fingerprint()
    tape.combineNames(in: Int(index), into: &hash)
    return hash.value
  }

  /// The number of nulls in this value, itself included.
  package var nullCount: Int { tape.nullCount(in: Int(index)) }

  /// The name of the member that holds this value; nil for an element of an array, and for the document itself. A row that is keyed by its
  /// id gets its id from this.
  public var name: String? {
    guard index > 0, tape[Int(index) - 1].tag == .key else { return nil }
    return tape.text(tape[Int(index) - 1])
  }

  /// The bytes of this value as they are written in the document.
  public var raw: ArraySlice<UInt8> {
    let node = node
    let start = Int(node.offset)
    return switch node.tag {
    case .null, .true, .false, .integer, .fraction: tape.bytes[start..<start + Int(node.length)]
    case .string, .key: tape.bytes[start - 1..<start + Int(node.length) + 1]
    case .array, .object: tape.bytes[start..<end(of: start)]
    }
  }

  /// The index after the bracket that closes the one at `start`. The nodes do not store it, because it is seldom needed.
  private func end(of start: Int) -> Int {
    var (depth, isInString, at) = (0, false, start)
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

extension Tape {
  fileprivate func nullCount(in value: Int) -> Int {
    let isContainer = self[value].tag == .array || self[value].tag == .object
    let end = isContainer ? Int(self[value].next) : value + 1
    var count = 0
    for index in value..<end where self[index].tag == .null { count += 1 }
    return count
  }

  fileprivate func combineNames(in object: Int, into hash: inout Fingerprint) {
    guard self[object].tag == .object else { return }
    var name = object + 1
    while name < Int(self[object].next) {
      withBytes(of: self[name]) { hash.combine($0) }
      // These bytes are in no UTF-8 text.
      hash.combine(CollectionOfOne(0xFF))
      combineNames(in: name + 1, into: &hash)
      name = Int(self[name + 1].next)
    }
    hash.combine(CollectionOfOne(0xFE))
  }
}
