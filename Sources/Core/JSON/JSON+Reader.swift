extension JSON {
  /// Reads many small documents, such as the lines of an ndjson file, without an allocation for each.
  ///
  ///     var reader = JSON.Reader()
  ///     for line in lines {
  ///       let row = try reader.read(line)
  ///       try store.insert(row.string("email"), row.int("age"))
  ///     }
  ///
  /// Its buffers serve for the next document, unless somebody still holds a view of the last one: then the next one gets
  /// buffers of its own. So a view may be kept as long as anyone likes, and never changes.
  public struct Reader: Sendable {
    private var tape = Tape()

    public init() {}

    /// Reads a document whose bytes lie elsewhere; they are copied.
    public mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> JSON {
      try freeTape().reread(copying: bytes)
      return JSON(tape, 0)
    }

    /// The same of a document that begins at this line of a file, whose lines its errors name.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, fromLine line: Int) throws -> JSON {
      try freeTape().reread(copying: bytes, fromLine: line)
      return JSON(tape, 0)
    }

    public mutating func read(_ bytes: ArraySlice<UInt8>) throws -> JSON {
      try bytes.withUnsafeBufferPointer { try read($0) }
    }

    /// Reads a document as ``JSON/init(_:)`` does, without copying its bytes: for one page after the other.
    public mutating func read(_ bytes: [UInt8]) throws -> JSON {
      try freeTape().reread(bytes)
      return JSON(tape, 0)
    }

    /// A tape with no other reference.
    private mutating func freeTape() -> Tape {
      if !isKnownUniquelyReferenced(&tape) || !tape.isReusable { tape = Tape() }
      return tape
    }
  }
}
