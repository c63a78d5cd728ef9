/// A view of one value in a JSON document.
///
///     let page = try JSON(response.body)
///     for row in try page.array("results") {
///       try heroes.append(Hero(id: row.int("id"), name: row.string("name"), deck: row.stringIfPresent("deck")))
///     }
///
/// The whole document is checked strictly by RFC 8259 when it is opened; strings and numbers are made on request. A view keeps its document
/// alive. It may be stored, copied and sent anywhere.
public struct JSON: Sendable {
  @usableFromInline let tape: Tape
  @usableFromInline let index: Int32

  @inlinable init(tape: Tape, index: Int32) { (self.tape, self.index) = (tape, index) }

  init(_ tape: Tape, _ index: Int) { self.init(tape: tape, index: Int32(truncatingIfNeeded: index)) }

  /// Opens a document, with or without a UTF-8 byte-order mark. Throws `truncated` if it ends too early, otherwise `malformed`.
  public init(_ bytes: [UInt8]) throws { self.init(try Tape(reading: bytes), 0) }

  var node: Node { tape[Int(index)] }

  /// The kinds of values in JSON's grammar.
  public enum Kind: Sendable {
    /// A kind by its name in JSON's grammar.
    case null, bool, number, string, array, object
  }

  /// The kind of this value.
  public var kind: Kind {
    switch node.tag {
    case .null: .null
    case .false, .true: .bool
    case .integer, .fraction: .number
    case .string, .key: .string
    case .array: .array
    case .object: .object
    }
  }

  /// True when the document has `null` here. A missing member is not a value at all.
  public var isNull: Bool { node.tag == .null }

  /// Returns an object's member; nil if it is missing or if this is not an object. The last member of a repeated name counts.
  public subscript(key: String) -> JSON? { tape.find(key, in: Int(index)).map { JSON(tape, $0) } }

  /// Reads many small documents, such as the lines of an ndjson file, without an allocation for each.
  ///
  ///     var reader = JSON.Reader()
  ///     for line in lines {
  ///       let row = try reader.read(line)
  ///       try store.insert(row.string("email"), row.int("age"))
  ///     }
  ///
  /// Its buffers are used again for the next document, unless somebody still holds a view of the last one; such a view never changes.
  public struct Reader: Sendable {
    private var tape = Tape()

    /// A reader without buffers; the first document makes them.
    public init() {}

    /// Reads a document that begins at `start` in a file, whose lines errors name. The bytes are copied.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, from start: TextLocation) throws -> JSON {
      try freeTape().reread(copying: bytes, from: start)
      return JSON(tape, 0)
    }

    /// Reads a document that is a part of these bytes, which are copied.
    public mutating func read(_ bytes: ArraySlice<UInt8>) throws -> JSON {
      try bytes.withUnsafeBufferPointer { try read($0, from: TextLocation()) }
    }

    /// Reads a document like ``JSON/init(_:)``, without copying its bytes, for one page after the other.
    public mutating func read(_ bytes: [UInt8]) throws -> JSON {
      try freeTape().reread(bytes)
      return JSON(tape, 0)
    }

    private mutating func freeTape() -> Tape {
      if !isKnownUniquelyReferenced(&tape) { tape = Tape() }
      return tape
    }
  }
}
