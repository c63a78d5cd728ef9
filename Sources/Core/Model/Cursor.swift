/// Where a walk goes on. Only the source that made it can open it, so a walk that began on one branch of a fallback stays there.
public struct Cursor: Sendable, Hashable {
  /// The name of the source that made it.
  public let maker: String
  package let place: Place
  /// What the walk knows of the rows before the place.
  package var rowContext = RowContext()
  /// The cached walk that it belongs to, whatever the place: `Page.thread`.
  var thread: AnswerThread?
}

/// Which cached walk a page belongs to, and how many of its pages came before.
struct AnswerThread: Sendable, Hashable {
  let walk: String
  var steps = 0

  var next: AnswerThread { AnswerThread(walk: walk, steps: steps + 1) }
}

extension Cursor {
  /// The cursor of a walk that knows nothing of the rows before the place.
  package init(maker: String, place: Place) { self.init(maker: maker, place: place, rowContext: RowContext()) }

  /// The cursor as text, to be kept: `heroes offset 200 row=9f3a`.
  public var text: String { "\(PercentEncoding.query(maker)) \(place.text)\(rowContext.text)" }

  /// Reads a kept cursor; nil when the text is not one.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty else { return nil }
    // A token may hold anything; behind what counts rows or pages stands what is known of them.
    let isCounted = parts[1] == "offset" || parts[1] == "page"
    let words = isCounted ? parts[2].split(separator: " ") : [parts[2]]
    guard let first = words.first, let place = Place(style: parts[1], first), let rowContext = RowContext(words.dropFirst())
    else { return nil }
    self.init(maker: PercentEncoding.decode(parts[0]), place: place, rowContext: rowContext)
  }
}

/// What a walk knows of the rows before its place, so that another one can go on and miss none.
package struct RowContext: Sendable, Hashable {
  /// The last row before the place, by its mark.
  package var last: UInt64?
  /// Whether the service has shown that it gives pages which begin one row early.
  var isProven = false
  package var hasMoved = false
  package var hasTotalMoved = false
  /// Whether a part of the list was walked without looking back although rows might have moved.
  package var isBlind = false
  /// Whether the walk went on although it found no row that it knows.
  var isLost = false
  /// The last of all rows that came, where the walk has stepped back before it and is not past it yet.
  var furthest: UInt64?
  /// The rows before the last one, the nearest last, where the next page begins at one of them.
  var others: [UInt64] = []
  /// How numbered pages are chosen so that they begin early; nil where they are not.
  var sizes: SizedPages?
  /// How often the list was read from its first page before.
  var passes = 0
  var total: Int?

  init(last: UInt64? = nil) { self.last = last }

  /// ` row=9f3a moved past=77aa`, or nothing.
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

  /// Reads the words of ``text``; nil where one is unknown.
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
      // An older version read some pages again, up to this one, because the total had moved.
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
  /// A page by its number; of another size than the source's own where one is named.
  case number(Int, size: Int? = nil)
  case token(String?)
  case key(String?)

  package var number: Int {
    switch self {
    case .offset(let number), .number(let number, _): number
    case .token, .key: 0
    }
  }

  /// How many rows of the list come before it; nil where the place does not tell.
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

  /// The place as text: readable, and the same in every process.
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
  /// The sum, or the nearest number there is: what comes from outside may be any number.
  package func adding(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other > 0 ? .max : .min) : sum
  }

  package func times(_ other: Int) -> Int {
    let (product, isBeyond) = multipliedReportingOverflow(by: other)
    return isBeyond ? ((self > 0) == (other > 0) ? .max : .min) : product
  }
}
