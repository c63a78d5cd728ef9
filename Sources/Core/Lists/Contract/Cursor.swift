/// The place where a walk continues. Only the source that made a cursor can open it: a walk that began on a fallback's branch stays there.
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
