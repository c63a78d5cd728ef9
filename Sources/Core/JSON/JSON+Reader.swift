extension JSON {
  /// Reads many small documents, such as the lines of an ndjson file, without an allocation for each.
  ///
  ///     var reader = JSON.Reader()
  ///     for line in lines {
  ///       let row = try reader.read(line)
  ///       try store.insert(row.string("email"), row.int("age"))
  ///     }
  ///
  /// The bytes are copied into buffers that the next document reuses, unless somebody still holds a view of the last one:
  /// then the next one gets buffers of its own. So a view may be kept as long as anyone likes, and never changes.
  public struct Reader: Sendable {
    private var tape = Tape()

    public init() {}

    public mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> JSON {
      if !isKnownUniquelyReferenced(&tape) || !tape.isReusable { tape = Tape() }
      try tape.reread(bytes)
      return JSON(tape, 0)
    }

    public mutating func read(_ bytes: ArraySlice<UInt8>) throws -> JSON {
      try bytes.withUnsafeBufferPointer { try read($0) }
    }
  }
}
