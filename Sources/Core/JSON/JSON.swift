/// A view of one value in a JSON document.
///
///     let page = try JSON(response.body)
///     for row in try page.array("results") {
///       try heroes.append(Hero(id: row.int("id"), name: row.string("name"), deck: row.stringIfPresent("deck")))
///     }
///
/// The document is checked as a whole and once, strictly by RFC 8259, when it is opened; strings and numbers are made only
/// when asked for. A view keeps its document alive and costs two words; it may be kept, copied and sent anywhere.
public struct JSON: Sendable {
  let tape: Tape
  let index: Int32

  init(_ tape: Tape, _ index: Int) {
    self.tape = tape
    self.index = Int32(truncatingIfNeeded: index)
  }

  /// Opens a document.
  ///
  /// A leading UTF-8 byte-order mark is allowed. Throws a ``SourceError`` that says what was expected and where:
  /// `truncated` when the bytes end before the document does, `malformed` otherwise.
  public init(_ bytes: [UInt8]) throws {
    self.init(try Tape(reading: bytes), 0)
  }

  var node: Node { tape[Int(index)] }
}

extension JSON {
  public enum Kind: Sendable {
    case null, bool, number, string, array, object
  }

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

  public var isNull: Bool { node.tag == .null }

  /// An object's member; nil when it is missing or when this is no object. Of a repeated name the last counts.
  public subscript(key: String) -> JSON? {
    tape.find(key, in: Int(index)).map { JSON(tape, $0) }
  }
}
