package import AggregatorCore

/// The format of a service's answers, with what the fields of its source say about it. Any body becomes one document of JSON, so that
/// paths, rows and paging mean the same in each.
package struct BodyFormat: Sendable, Hashable {
  /// The kind of the body.
  package let kind: BodyKind
  /// The columns of a table that fields read. Nil if no field is known yet: then every column may be needed.
  package var columns: [String: Column]?

  /// The elements of XML that paths lead to; nil if no path is known yet. Then the document itself shows which of them are lists.
  package var elements: XMLShape?

  /// The values of a column, as fields read them.
  package struct Column: Sendable, Hashable {
    /// True when a value that is JSON is read as JSON, such as a number or a list.
    package var mayBeJSON: Bool
    /// True when a table without the column is a different one.
    package var isNeeded: Bool

    package init(mayBeJSON: Bool, isNeeded: Bool) { (self.mayBeJSON, self.isNeeded) = (mayBeJSON, isNeeded) }
  }

  /// A format of which nothing but its kind is known.
  package init(_ kind: BodyKind) { self.kind = kind }

  /// The most bytes that the document of a body may take. The names of columns are repeated in each row.
  package static let most = 256 << 20

  var isTooLarge: SourceError { SourceError(.malformed, "the \(kind.name) takes more than \(Self.most >> 20) MB as JSON") }

  /// Returns the document of a body. Its bounds are those of JSON, and an error names the format that a person knows.
  func json(_ bytes: [UInt8]) throws -> JSON {
    do { return try JSON(bytes) } catch let error as SourceError {
      throw SourceError(.malformed, error.message.replacingEach("the JSON", with: "the \(kind.name)"))
    }
  }

  /// Reads a body. Throws `truncated` if it ends too early, and `malformed` if it is something else. The content type may name the encoding
  /// of rows. Text that is UTF-8 is read as such all the same, since servers name another encoding without knowing.
  package func document(_ body: [UInt8], type: String? = nil) throws -> BodyDocument {
    if kind == .json { return BodyDocument(json: try JSON(body)) }
    if kind.isOfLines, let encoding = TextEncoding(of: body, type: type), String(validating: body, as: UTF8.self) == nil {
      return try document(encoding.utf8(body))
    }
    let first = body.first { $0 > Byte.space && ![0xEF, 0xBB, 0xBF].contains($0) }
    if first == UInt8(ascii: "<"), kind != .xml || body.isHTML {
      throw SourceError(.malformed, "the answer is \(body.isHTML ? "an HTML page" : "XML"), and \(kind.name) is expected")
    }
    if kind.isTable, first == Byte.openBrace || first == Byte.openBracket, (try? JSON(body)) != nil {
      throw SourceError(.malformed, "the answer is JSON, and \(kind.name) is expected")
    }
    if kind == .xml {
      // The content type is stronger than the declaration (RFC 7303).
      if let text = TextEncoding.xml(body, type: type) { return try document(text) }
      return try body.withUnsafeBufferPointer { bytes in
        BodyDocument(json: try XMLDocument.json(of: bytes, try elements ?? XMLShape(guessing: bytes)))
      }
    }
    var reader = LineReader(self)
    return try body.withUnsafeBufferPointer { try reader.read($0) }
  }
}

/// A body as JSON.
package struct BodyDocument: Sendable {
  /// The document. A row that is broken is null in it.
  package let json: JSON
  /// The rows of lines that could not be read, by their indices.
  package let broken: [Int: BrokenRow]

  package init(json: JSON, broken: [Int: BrokenRow] = [:]) { (self.json, self.broken) = (json, broken) }

  /// A row that could not be read.
  package struct BrokenRow: Sendable, Hashable {
    /// The problem, as a clause with the number of its line.
    package let reason: String
    /// The digest of its bytes.
    package let digest: UInt64
  }
}
