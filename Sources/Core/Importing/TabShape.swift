/// A shape whose rows are values by the columns of a header.
protocol ValueShape: RowShape {
  /// The values of the row that was found in `bytes`.
  func values(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [String]
}

extension TableShape: ValueShape {}

/// A row is a line of values with tabs between them, as in tsv: what would break it became a space when it was written.
struct TabShape: ValueShape {
  private var shape: LineShape

  init(lineBreak: UInt8 = Byte.newline) { shape = LineShape(lineBreak: lineBreak) }

  var lineBreak: UInt8 { shape.lineBreak }

  mutating func begin(at line: Int) { shape.begin(at: line) }

  mutating func end(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> RowEnd? { shape.end(in: bytes, isLast: isLast) }

  func values(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [String] {
    try bytes.split(separator: Byte.tab, omittingEmptySubsequences: false).map { value in
      guard let text = String(validating: value, as: UTF8.self) else { throw SourceError(.malformed, "it is not valid UTF-8") }
      return text
    }
  }
}
