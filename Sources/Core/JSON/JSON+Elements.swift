extension JSON {
  /// The elements of an array; none for anything else.
  public var elements: Elements { Elements(of: self) }

  /// The members of an object in the order of the text, a repeated name as often as it stands there; none for anything else.
  public var members: Members { Members(of: self) }

  /// An array's elements, one after the other.
  public struct Elements: Sendable, Sequence, IteratorProtocol {
    private let tape: Tape
    private var element: Int
    /// How many are left.
    public private(set) var count: Int

    fileprivate init(of json: JSON) {
      (tape, element) = (json.tape, Int(json.index) + 1)
      count = json.node.tag == .array ? Int(json.node.length) : 0
    }

    /// Whether none is left; of what is no array none ever was.
    public var isEmpty: Bool { count == 0 }
    public var underestimatedCount: Int { count }
    /// The first of those that are left.
    public var first: JSON? { first { _ in true } }

    public mutating func next() -> JSON? {
      guard count > 0 else { return nil }
      defer { (element, count) = (Int(tape[element].next), count - 1) }
      return JSON(tape, element)
    }
  }

  /// The members of an object in their order, repeated names included; none of what is no object.
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

    /// Whether none is left; of what is no object none ever was.
    public var isEmpty: Bool { name >= end }

    public mutating func next() -> (key: String, value: JSON)? {
      guard name < end else { return nil }
      let value = name + 1
      defer { name = Int(tape[value].next) }
      return (tape.text(tape[name]), JSON(tape, value))
    }
  }

  /// What it is called in its object; nil where it is in a list, and of the document itself. So a row that is keyed by its id knows that.
  public var name: String? {
    guard index > 0, tape[Int(index) - 1].tag == .key else { return nil }
    return tape.text(tape[Int(index) - 1])
  }

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

  /// Behind the bracket that closes the one at `start`; the nodes do not keep it, since it is seldom asked for.
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
