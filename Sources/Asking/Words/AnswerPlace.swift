public import AggregatorCore
import Platform

/// The end of an answer, as a text for clients. A client sends it back with the same ask to continue from there.
/// With another ask, or in another list, it is refused.
///
/// The text contains a version, the cursor with its knowledge of the rows before it, and digests of the ask and of the list.
public struct AnswerPlace: Sendable {
  /// The cursor from which the list continues.
  public let cursor: Cursor
  /// The number of records that this answer and earlier ones gave up to the cursor.
  public let behind: Int
  /// The ask. Its digest is computed only with the text, because most answers are never continued.
  private let ask: Ask
  /// A digest of the list; nil for that of the ask.
  private let givenList: String?

  /// The place of a cursor in the answer to that ask.
  public init(_ cursor: Cursor, in ask: Ask, behind: Int = 0) {
    (self.cursor, self.ask, self.behind, givenList) = (cursor, ask, behind, nil)
  }

  private static let version = "3"

  /// A digest of the list.
  var list: String { givenList ?? Self.digest(ofList: ask.list) }

  /// Returns a digest of the text that tells a list from others.
  static func digest(ofList identity: String?) -> String { String(SHA256.hex(identity ?? "").prefix(16)) }

  /// The text that a client sends back; it has letters, digits, dashes and underscores.
  public var text: String {
    Base64.encode("\(Self.version) \(ask.digest) \(list) \(behind) \(cursor.text)".utf8, forAddresses: true)
  }

  /// Reads the text of a place in the answer to that ask. Throws if the text is invalid or belongs to another ask.
  public init(_ text: String, in ask: Ask) throws(AskError) {
    let parts = Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }?
      .split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard let parts, parts.count == 5, parts[0] == Self.version, let behind = Int(digits: parts[3]),
      let cursor = Cursor(text: String(parts[4]))
    else {
      throw .invalid(Ask.Parameter.cursor.name, expected: "what an earlier answer said to send")
    }
    guard parts[1] == ask.digest else { throw .foreignCursor }
    (self.cursor, self.ask, self.behind, givenList) = (cursor, ask, behind, String(parts[2]))
  }
}

extension Ask {
  /// Continues where an earlier answer to this ask ended. If the list is another one by then, the answer throws.
  package mutating func goOn(at place: AnswerPlace) {
    (cursor, behind, listOfCursor) = (place.cursor, place.behind, place.list)
  }
}

extension Ask {
  /// A short text that identifies which records are asked for and in which order.
  fileprivate var digest: String {
    let text = if case .record(let id) = query { "id \(id)" } else { query.text.map { "text \($0)" } ?? "" }
    let parts =
      [source, text, isAboutDeleted ? "deleted" : ""]
      + conditions.map { "\($0)" }
      + order.map { ($0.isDescending ? "-" : "") + $0.path.text }
    return String(SHA256.hex(parts.joined(separator: "\0")).prefix(16))
  }
}
