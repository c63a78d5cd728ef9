/// The place where a walk continues. Only the source that made a cursor can open it, so a walk that began on one branch of a fallback stays
/// there.
public struct Cursor: Sendable, Hashable {
  /// The name of the source that made it.
  public let maker: String
  package let place: Place
  /// The walk's knowledge of the rows before the place.
  package var rowContext = RowContext()
  /// The cached walk that the cursor belongs to, independent of the place: `Page.thread`.
  var thread: AnswerThread?
}

/// The cached walk that a page belongs to, and the number of its pages before this one.
struct AnswerThread: Sendable, Hashable {
  let walk: String
  /// True when the walk is cached beside another one of the same query, in the second of two places.
  var isSecond = false
  var steps = 0

  var next: AnswerThread { copy(of: self) { $0.steps += 1 } }
}

extension Cursor {
  /// A cursor of a walk that knows nothing about the rows before the place.
  package init(maker: String, place: Place) { self.init(maker: maker, place: place, rowContext: RowContext()) }

  /// The cursor as text for storage: `heroes offset 200 row=9f3a`.
  public var text: String { "\(PercentEncoding.query(maker)) \(place.text)\(rowContext.text)" }

  /// Reads a cursor from its ``text``; nil if the text is not a cursor.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty else { return nil }
    // A token may contain blanks, so it is never split. After an offset or a page number come the words of the row context.
    let isCounted = parts[1] == "offset" || parts[1] == "page"
    let words = isCounted ? parts[2].split(separator: " ") : [parts[2]]
    guard let first = words.first, let place = Place(style: parts[1], first), let rowContext = RowContext(words.dropFirst())
    else { return nil }
    self.init(maker: PercentEncoding.decode(parts[0]), place: place, rowContext: rowContext)
  }
}

/// A walk's knowledge of the rows before its place, with which another walk can continue without missing a row.
package struct RowContext: Sendable, Hashable {
  /// The mark of the last row before the place.
  package var last: UInt64?
  /// True when the service has returned pages that begin one row early, as they were requested.
  var isProven = false
  package var hasMoved = false
  package var hasTotalMoved = false
  /// True when part of the list was walked without looking back although rows might have moved.
  package var isBlind = false
  /// True when the walk continued although it found no row that it knew.
  var isLost = false
  /// The mark of the furthest row that came, while the walk has stepped back before it; nil once the walk is past it again.
  var furthest: UInt64?
  /// The marks of rows before the last one, nearest last, when the next page begins at one of them.
  var others: [UInt64] = []
  /// The rule that chooses numbered pages so that they begin early; nil if all pages have the source's size.
  var sizes: SizedPages?
  /// The number of earlier readings of the list from its first page.
  var passes = 0
  var total: Int?

  init(last: UInt64? = nil) { self.last = last }

  /// The context as words of a cursor's text, ` row=9f3a moved past=77aa`; empty if there is nothing to say.
  var text: String {
    let words =
      [last.map { "row=\(String($0, radix: 16))" }] + Self.flags.map { self[keyPath: $0.path] ? $0.word : nil }
      + [furthest.map { "past=\(String($0, radix: 16))" }]
      + [
        others.isEmpty ? nil : "with=" + others.map { String($0, radix: 16) }.joined(separator: ","),
        sizes.map { "sizes=\($0.text)" }, passes > 0 ? "passes=\(passes)" : nil, total.map { "total=\($0)" },
      ]
    return words.compactMap { $0.map { " " + $0 } }.joined()
  }

  private static var flags: [(word: String, path: WritableKeyPath<RowContext, Bool>)] {
    [
      ("proven", \.isProven), ("moved", \.hasMoved), ("unsteady", \.hasTotalMoved), ("blind", \.isBlind),
      ("lost", \.isLost),
    ]
  }

  /// Reads the words of ``text``; nil if a word is unknown.
  init?(_ words: some Sequence<Substring>) {
    for word in words {
      let value = word.drop { $0 != "=" }.dropFirst()
      let (mark, number) = (UInt64(value, radix: 16), Int(digits: value))
      switch word.prefix(while: { $0 != "=" }) {
      case "row" where mark != nil: last = mark
      case "past" where mark != nil: furthest = mark
      case "with":
        others = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "sizes":
        guard let sizes = SizedPages(text: value) else { return nil }
        self.sizes = sizes
      case "passes" where number != nil: passes = number ?? 0
      // An older version reread pages up to this one, because the total had moved.
      case "until" where number != nil: hasTotalMoved = true
      case "total" where number != nil: total = number
      default:
        guard let flag = Self.flags.first(where: { $0.word == word }) else { return nil }
        self[keyPath: flag.path] = true
      }
    }
  }
}

/// A place in a list, in its source's own terms.
package enum Place: Sendable, Hashable {
  case offset(Int)
  /// A page by its number, with its size if it is requested in another size than the source's own.
  case number(Int, size: Int? = nil)
  case token(String?)
  case key(String?)

  package var number: Int {
    switch self {
    case .offset(let number), .number(let number, _): number
    case .token, .key: 0
    }
  }

  /// The number of rows in the list before the place; nil if the place does not tell.
  var rowsBefore: Int? {
    switch self {
    case .offset(let offset): offset
    case .key(nil), .token(nil): 0
    case .number, .token, .key: nil
    }
  }

  var word: String {
    switch self {
    case .offset: "offset"
    case .number: "page"
    case .token: "token"
    case .key: "after"
    }
  }

  /// The place as readable text, the same in every process.
  var text: String {
    switch self {
    case .number(let number, let size?): "\(word) \(number)x\(size)"
    case .offset(let number), .number(let number, nil): "\(word) \(number)"
    case .token(let text), .key(let text): "\(word) \(text ?? "")"
    }
  }

  /// Reads the two words of ``text``.
  init?(style: Substring, _ rest: Substring) {
    let parts = style == "page" ? rest.split(separator: "x", omittingEmptySubsequences: false) : [rest]
    let numbers = style == "offset" || style == "page" ? parts.map { Int(digits: $0) } : []
    guard numbers.count < 3, let number = numbers.first ?? 0, let size = numbers.dropFirst().first ?? 0 else { return nil }
    switch style {
    case "offset": self = .offset(number)
    case "page": self = .number(number, size: numbers.count == 2 ? size : nil)
    case "token": self = .token(rest.isEmpty ? nil : String(rest))
    case "after": self = .key(rest.isEmpty ? nil : String(rest))
    default: return nil
    }
  }
}

extension Int {
  /// The sum, limited to the range of `Int`: a number from outside may be of any size.
  package func adding(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other > 0 ? .max : .min) : sum
  }

  package func times(_ other: Int) -> Int {
    let (product, isBeyond) = multipliedReportingOverflow(by: other)
    return isBeyond ? ((self > 0) == (other > 0) ? .max : .min) : product
  }
}
