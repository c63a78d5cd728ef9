public import AggregatorCore
import Platform

/// The end of an answer, as a text for clients. A client sends it back with the same ask to continue from there.
/// With another ask, or in another list, it is refused.
///
/// The text contains a version, the cursor with its knowledge of the rows before it, digests of the ask and of the list, and a few facts
/// about the earlier answers.
public struct AnswerPlace: Sendable {
  /// The place from which the next answer continues.
  public let start: Ask.Start
  /// The ask. Its digest is computed only with the text, because most answers are never continued.
  private let ask: Ask

  /// The place of that start in the answer to that ask.
  public init(_ start: Ask.Start, in ask: Ask) { (self.start, self.ask) = (start, ask) }

  /// The same place in the list that this text tells from others: one in another list is refused. Nil if the list is unknown.
  package init(_ start: Ask.Start, in ask: Ask, of list: String?) {
    self.init(copy(of: start) { $0.list = $0.list ?? list.map { Self.digest(ofList: $0) } }, in: ask)
  }

  /// The cursor from which the list continues.
  public var cursor: Cursor { start.cursor }

  private static let version = "4"

  /// Returns a digest of the text that tells a list from others; that of an unknown list is the digest of an empty text.
  static func digest(ofList identity: String = "") -> String { String(SHA256.hex(identity).prefix(16)) }

  /// The text that a client sends back; it has letters, digits, dashes and underscores.
  public var text: String {
    let list = start.list ?? Self.digest()
    let text = "\(Self.version) \(ask.digest) \(list) \(start.rowsBefore) \(start.earlier.text) \(cursor.text)"
    return Base64.encode(text.utf8, forAddresses: true)
  }

  /// Reads the text of a place in the answer to that ask. Throws if the text is invalid or belongs to another ask.
  public init(_ text: String, in ask: Ask) throws(AskError) {
    let parts = Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }?
      .split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
    guard let parts, parts.count == 6, parts[0] == Self.version, let rowsBefore = Int(digits: parts[3]),
      let earlier = EarlierAnswers(parts[4]), let cursor = Cursor(text: String(parts[5]))
    else {
      throw .invalid(Ask.Parameter.cursor.name, expected: "what an earlier answer said to send")
    }
    guard parts[1] == ask.digest else { throw .foreignCursor }
    let list = parts[2] == Self.digest() ? nil : String(parts[2])
    self.init(Ask.Start(cursor, rowsBefore: rowsBefore, after: earlier, list: list), in: ask)
  }
}

/// The answers to an ask up to a place, as far as the place tells of them.
struct EarlierAnswers: Sendable, Hashable {
  /// The number of records that they gave after the cursor, since no cursor leads into the middle of a page.
  var beyond = 0
  /// True when an offset left out records that none of them gave.
  var leaveOut = false
  /// The number of answers.
  private var count = 0
  /// A digest of the end of one of them. No later one ends there, unless the list leads in a circle.
  private var mark = ""

  init() {}

  /// Adds the answer that ended at that cursor with that record. Returns false if it is known that an earlier one ended there too.
  ///
  /// The mark moves to each answer whose number is a power of two, so that a circle of any length is noticed.
  mutating func add(endingAt cursor: Cursor, with id: String) -> Bool {
    let end = String(SHA256.hex("\(cursor.place) \(beyond) \(id)").prefix(8))
    if end == mark { return false }
    count = count.adding(1)
    if count & (count - 1) == 0 { mark = end }
    return true
  }

  /// The text of it in a place.
  var text: String { "\(beyond).\(leaveOut ? 1 : 0).\(count).\(mark)" }

  /// Reads a text; nil if it does not tell of earlier answers.
  init?(_ text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.prefix(3).compactMap { Int(digits: $0) }
    guard parts.count == 4, numbers.count == 3 else { return nil }
    (beyond, leaveOut, count, mark) = (numbers[0], numbers[1] > 0, numbers[2], String(parts[3]))
  }
}

extension Ask {
  /// The place where an earlier answer ended, and where another one continues.
  public struct Start: Sendable {
    /// The cursor from which the list continues.
    public package(set) var cursor: Cursor
    /// The number of records that the earlier answers gave up to the cursor.
    public let rowsBefore: Int
    /// The earlier answers up to the cursor.
    let earlier: EarlierAnswers
    /// A digest of the list that the cursor is in; nil if it is unknown. If the list is another one by then, the answer throws.
    var list: String?

    /// The place of a cursor after that many records.
    public init(_ cursor: Cursor, rowsBefore: Int = 0) { self.init(cursor, rowsBefore: rowsBefore, after: EarlierAnswers()) }

    init(_ cursor: Cursor, rowsBefore: Int, after earlier: EarlierAnswers, list: String? = nil) {
      (self.cursor, self.rowsBefore, self.earlier, self.list) = (cursor, rowsBefore, earlier, list)
    }
  }
}

extension Ask {
  /// A short text that identifies which records are asked for and in which order.
  fileprivate var digest: String {
    let text = if case .record(let id) = query { "id \(id)" } else { query.text.map { "text \($0)" } ?? "" }
    let deleted = list == .deleted ? "deleted" : ""
    let parts =
      [source, text, deleted]
      + conditions.map { "\($0)" }
      + order.map { ($0.isDescending ? "-" : "") + $0.path.text }
    return String(SHA256.hex(parts.joined(separator: "\0")).prefix(16))
  }
}
