/// How a source hands out its records, page by page, and what ends them.
public struct Paging: Sendable, Hashable {
  /// How one page leads to the next.
  public enum Style: Sendable, Hashable {
    /// One page holds everything.
    case whole
    /// The next page begins after as many rows as were received.
    case offset
    /// Pages are numbered from `first`; their size never changes during a walk.
    case number(first: Int)
    /// Each page names the next one.
    case token
  }

  /// What the source says when there is no more.
  public enum End: Sendable, Hashable {
    /// The announced total was received.
    case total
    /// A page without rows.
    case emptyPage
    /// A page that names no next one.
    case lastToken
    /// Nothing: the list has no end.
    case never
  }

  public let style: Style
  /// The most rows a page may hold, and how many are asked for.
  public let size: Int
  public let end: End

  /// Everything at once.
  public static let whole = Paging(style: .whole, size: .max, end: .emptyPage)

  public static func offset(size: Int, end: End) -> Paging { Paging(style: .offset, size: size, end: end) }

  public static func numbered(from first: Int = 1, size: Int, end: End) -> Paging {
    Paging(style: .number(first: first), size: size, end: end)
  }

  public static func tokens(size: Int) -> Paging { Paging(style: .token, size: size, end: .lastToken) }

  /// Where a walk begins.
  var start: Place {
    switch style {
    case .whole, .offset: .offset(0)
    case .number(let first): .number(first)
    case .token: .token(nil)
    }
  }

  /// Where the next page begins: counted from what was received, never from what was asked for.
  func place(after place: Place, received: Int, next: Continuation) -> Place? {
    switch (style, next) {
    case (.whole, _), (_, .end): nil
    case (_, .token(let token)): .token(token)
    case (.offset, .advance): .offset(place.number + received)
    case (.number, .advance): .number(place.number + 1)
    case (.token, .advance): nil
    }
  }

  /// Where the list goes on behind a page that began at `place`; nil where the page is known to be the last one.
  func place(after place: Place?, _ page: Page<some Record>) -> Place? {
    guard page.received > 0, let next = self.place(after: place ?? start, received: page.received, next: page.next) else { return nil }
    if end == .total, let total = page.total, next.rowsBefore == total { return nil }
    return next
  }
}

/// What a page says about the one after it.
public enum Continuation: Sendable, Hashable {
  /// Go on by the source's paging style.
  case advance
  /// Go on from this token: a cursor, or the address of the next page.
  case token(String)
  /// There is no next page.
  case end

  /// The token that a page names, or the end when it names none.
  public static func token(ifAny token: String?) -> Continuation { token.map { .token($0) } ?? .end }
}

/// A place in a list, in its source's own terms.
enum Place: Sendable, Hashable {
  case offset(Int)
  case number(Int)
  case token(String?)

  var number: Int {
    switch self {
    case .offset(let number), .number(let number): number
    case .token: 0
    }
  }

  /// How many rows of the list come before it; nil where the place does not tell.
  var rowsBefore: Int? {
    if case .offset(let offset) = self { offset } else { nil }
  }
}

extension Place {
  /// The place as text: readable, and the same in every process.
  var text: String {
    switch self {
    case .offset(let offset): "offset \(offset)"
    case .number(let number): "page \(number)"
    case .token(let token): "token \(token ?? "")"
    }
  }

  /// Reads the two words of ``text``.
  init?(style: Substring, _ rest: Substring) {
    switch style {
    case "offset":
      guard let number = Int(rest) else { return nil }
      self = .offset(number)
    case "page":
      guard let number = Int(rest) else { return nil }
      self = .number(number)
    case "token": self = .token(rest.isEmpty ? nil : String(rest))
    default: return nil
    }
  }
}
