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
  /// The cached walk to which the page at the cursor belongs, as a text of letters, digits and a dash or a plus; nil if it is not cached.
  package var threadText: String? {
    get { thread.map { "\($0.walk)\($0.isSecond ? "+" : "-")\($0.steps)" } }
    set {
      let parts = newValue?.split { $0 == "-" || $0 == "+" }
      guard let newValue, let parts, parts.count == 2, let steps = Int(digits: parts[1]) else { return }
      thread = AnswerThread(walk: String(parts[0]), isSecond: newValue.contains("+"), steps: steps)
    }
  }

  /// A cursor of a walk that knows nothing about the rows before the place.
  package init(maker: String, place: Place) { self.init(maker: maker, place: place, rowContext: RowContext()) }

  /// The same cursor for a page that was taken in already.
  var comingAgain: Cursor { copy(of: self) { $0.rowContext.comesAgain = true } }

  /// The cursor as text for storage: `heroes offset 200 row=9f3a`, or for a token, which may contain blanks, `heroes token;again c2`.
  public var text: String {
    let words = rowContext.words
    let place = place.isCounted ? [place.text] + words : [([place.word] + words).joined(separator: ";"), place.value]
    return ([PercentEncoding.query(maker)] + place).joined(separator: " ")
  }

  /// Reads a cursor from its ``text``; nil if the text is not a cursor.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty else { return nil }
    let isCounted = parts[1] == "offset" || parts[1] == "page"
    var words = isCounted ? parts[2].split(separator: " ") : parts[1].split(separator: ";")
    guard !words.isEmpty else { return nil }
    let first = words.removeFirst()
    guard let place = isCounted ? Place(style: parts[1], first) : Place(style: first, parts[2]),
      let rowContext = RowContext(words)
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
  package var isLost = false
  /// The mark of the furthest row that came, while the walk has stepped back before it; nil once the walk is past it again.
  var furthest: UInt64?
  /// The marks of rows before the last one, nearest last, when the next page begins at one of them.
  var others: [UInt64] = []
  /// The rule that chooses numbered pages so that they begin early; nil if all pages have the source's size.
  var sizes: SizedPages?
  /// The number of earlier readings of the list from its first page.
  var passes = 0
  package var total: Int?
  /// True when more rows came than the service announced, so that its totals say nothing.
  package var isTotalWrong = false
  /// True when the page at the place was taken in already and comes again.
  var comesAgain = false
  /// The requests since the last new row, and those up to it: the walk's headway.
  var idle: (requests: Int, useful: Int) {
    get { (idleRequests, usefulRequests) }
    set { (idleRequests, usefulRequests) = newValue }
  }
  private var (idleRequests, usefulRequests) = (0, 0)
  /// The number of pages in a row that were empty and not the last.
  var gaps = 0
  /// The way in which the next page is asked for, where it is not the usual one.
  var aim: String?
  /// The number of rows that had the guessed key of another row.
  package var sharedKeys = 0
  /// The digests of the different broken rows before the place, at most `mostBroken`.
  var broken: [UInt64] = []

  package init(last: UInt64? = nil) { self.last = last }

  /// The context as words of a cursor's text, such as `row=9f3a`, `moved` and `past=77aa`; empty if there is nothing to say.
  var words: [String] {
    func marks(_ marks: [UInt64]) -> String { marks.map { String($0, radix: 16) }.joined(separator: ",") }
    let flags = Self.flags.compactMap { self[keyPath: $0.path] ? $0.word : nil }
    let rest = [
      furthest.map { "past=\(marks([$0]))" }, others.isEmpty ? nil : "with=\(marks(others))", sizes.map { "sizes=\($0.text)" },
      passes > 0 ? "passes=\(passes)" : nil, total.map { "total=\($0)" },
      idle.requests > 0 ? "idle=\(idle.requests)/\(idle.useful)" : nil, gaps > 0 ? "gaps=\(gaps)" : nil,
      aim.map { "aim=\($0)" },
      sharedKeys > 0 ? "keys=\(sharedKeys)" : nil, broken.isEmpty ? nil : "broken=\(marks(broken))",
    ]
    return (last.map { ["row=\(marks([$0]))"] } ?? []) + flags + rest.compactMap(\.self)
  }

  /// The number of broken rows that a cursor remembers.
  static var mostBroken: Int { 100 }

  private static var flags: [(word: String, path: WritableKeyPath<RowContext, Bool>)] {
    [
      ("proven", \.isProven), ("moved", \.hasMoved), ("unsteady", \.hasTotalMoved), ("blind", \.isBlind),
      ("lost", \.isLost), ("wrong", \.isTotalWrong), ("again", \.comesAgain),
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
      case "with": others = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "broken": broken = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "sizes":
        guard let sizes = SizedPages(text: value) else { return nil }
        self.sizes = sizes
      case "passes" where number != nil: passes = number ?? 0
      // An older version reread pages up to this one, because the total had moved.
      case "until" where number != nil: hasTotalMoved = true
      case "total" where number != nil: total = number
      case "keys" where number != nil: sharedKeys = number ?? 0
      case "gaps" where number != nil: gaps = number ?? 0
      case "aim": aim = String(value)
      case "idle":
        let numbers = value.split(separator: "/").compactMap { Int(digits: $0) }
        guard numbers.count == 2 else { return nil }
        idle = (numbers[0], numbers[1])
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

  /// True when the place is the number of a row or a page.
  package var isCounted: Bool {
    switch self {
    case .offset, .number: true
    case .token, .key: false
    }
  }

  /// The place without its word, the same in every process.
  var value: String {
    switch self {
    case .number(let number, let size?): "\(number)x\(size)"
    case .offset(let number), .number(let number, nil): "\(number)"
    case .token(let text), .key(let text): text ?? ""
    }
  }

  /// The place as readable text.
  var text: String { "\(word) \(value)" }

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
