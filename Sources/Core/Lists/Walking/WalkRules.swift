/// The rules of the way in which a list is paged: which page to ask for next, and how a page fits after the rows that came.
///
/// Each way in which a page is judged by the rows before it has a machine of its own, which knows only what it needs. The ``Ledger`` does what
/// all ways share: it counts, compares a page with the known rows, and comes to a verdict.
enum WalkRules: Sendable {
  /// Each page is taken as it comes: lists that come whole or name their next page, and counted pages that cannot begin early. The ledger
  /// ends them by what the page says, by its rows and by the total (`Ledger+End`).
  case plain
  case offset(OffsetRules)
  case numbered(NumberedRules)
  case keyset(KeysetRules)
  /// The beginning of the list is read again, for rows that moved there. The evidence is that of the list's end.
  case beginning(Evidence)

  struct Ask {
    let place: Place
    /// The number of rows to ask for beside the wanted ones, because they come again; nil to ask for a full page.
    var early: Int? = 0
    /// True when the rules can do without the page if the service refuses it.
    var looksBack = false
    /// The largest size of a numbered page, by which pages are requested ahead; nil if the next page cannot be foreseen.
    var mostRows: Int?
  }

  /// The use that a walk makes of a page.
  enum Step: Sendable, Hashable {
    /// It takes the page, whatever its place in the list. The first `known` rows came before.
    case take(known: Int = 0)
    /// The page begins where it should: the first `known` rows came before, and the others lead to the place `end`.
    case follow(known: Int, end: Int)
    /// The list has changed. The page begins with another known row, or with the list. Its first `known` rows came before, or were inserted
    /// before the last known one. Rules of offsets say 0, since the ledger finds the known rows by their ids.
    case move(known: Int = 0, end: Int)
    /// It takes the page, and does not look back any more, because that shows nothing.
    case takeBlindly
    /// It asks for another page, as the rules now aim at it.
    case askAgain
    /// It continues with pages of one size, since the service does not give as many rows as are asked for.
    case stopSizing
    /// It continues at its place without looking back, since no known row was found again.
    case loseGround
    /// It ends: nothing follows the last row.
    case end
    /// It ends: the service gives the same page for every place.
    case loop
  }
}

extension WalkRules {
  /// True when pages begin early.
  var looksBack: Bool {
    switch self {
    case .offset, .numbered: true
    case .plain, .keyset, .beginning: false
    }
  }

  /// True when the next page begins early.
  var asksEarly: Bool { if case .offset(let rules) = self { rules.aim != .refusal } else { looksBack } }

  var numbered: NumberedRules? { if case .numbered(let rules) = self { rules } else { nil } }

  /// All that the rules know beside the rows, for a walk that continues at the same place.
  var doubt: RowContext.Doubt {
    switch self {
    case .offset(let rules): rules.doubt
    case .numbered(let rules): rules.doubt
    case .plain, .keyset, .beginning: RowContext.Doubt()
    }
  }

  /// True when the last page had nothing after the last row, and the service is asked what comes there.
  var asksBehindTheLastRow: Bool { if case .offset(let rules) = self { rules.aim == .nothingAfter } else { false } }

  /// True when the service has shown how it treats early pages.
  var isProven: Bool {
    switch self {
    case .offset(let rules): rules.isProven
    case .numbered(let rules): rules.isProven
    case .plain, .keyset, .beginning: false
    }
  }

  /// True when pages begin after a key, and this one has only the `known` broken rows that come again, so that no key leads further.
  func hasNoKeyAfter(_ rows: PageRows, known: Int) -> Bool { if case .keyset = self { known == rows.count } else { false } }

  /// The number of rows that the latest page was asked for; nil if the rules do not choose sizes.
  var sizeAsked: Int? { numbered?.latest.page?.size }

  /// True when the total ends the list, although its source names another sign: a page of chosen size that is short and reaches the total.
  func endsByTotal(isFull: Bool) -> Bool { numbered != nil && !isFull }

  /// Makes the rules of a walk that continues at a place that another one came to; nil for the beginning.
  init(resuming cursor: Cursor?) {
    self = .plain
    let context = cursor?.rowContext ?? RowContext()
    if case .key = cursor?.place { self = .keyset(KeysetRules(resuming: context.list.broken)) }
    guard context.last != nil, !context.list.isBlind else { return }
    if let sizes = context.sizes {
      self = .numbered(NumberedRules(sizes, resuming: context))
    } else {
      self = .offset(OffsetRules(resuming: context))
    }
  }

  /// Returns the page to ask for in order to continue at `place`; `mostRows` is the most that have come at once.
  func ask(for place: Place, mostRows: Int) -> Ask {
    switch (self, place) {
    case (.offset(let rules), .offset(let offset)) where offset > 0: rules.ask(from: offset, page: mostRows)
    case (.numbered(let rules), .offset(let offset)) where offset > 0: rules.ask(from: offset)
    case (.keyset(let rules), _): Ask(place: place, early: rules.early)
    default: Ask(place: place)
    }
  }

  mutating func take(_ page: ComingPage) -> Step {
    switch self {
    case .offset(var rules) where page.isAfterKnownRow && page.style == .offset:
      defer { self = .offset(rules) }
      return rules.take(page)
    case .numbered(var rules) where page.isAfterKnownRow:
      defer { self = .numbered(rules) }
      return rules.take(page)
    case .keyset(let rules): return .take(known: page.rows.marks.prefix(while: rules.tail.contains).count)
    case .plain, .offset, .numbered, .beginning: return .take()
    }
  }

  /// Returns what to do when the service refuses an early page. The walk continues at `place`. Nil if the rules need that page.
  mutating func step(without error: SourceError, at place: Int) -> Step? {
    let isRefusal = error.kind == .badRequest || error.kind == .noSuchAddress
    let isMissing = error.kind == .notRecorded || error.kind == .notStored
    switch self {
    case .offset(var rules) where isMissing || isRefusal && !rules.isProven:
      // A recording may lack the early page.
      rules.aim = .refusal
      self = .offset(rules)
      return .askAgain
    case .numbered(var rules) where isMissing || isRefusal:
      // A service may take some sizes and refuse others.
      guard error.kind == .noSuchAddress else { return .stopSizing }
      defer { self = .numbered(rules) }
      return rules.step(withoutPageAt: place)
    default: return nil
    }
  }

  /// Returns the step of a walk that another one began, if the list ended before its place; nil if the rules cannot step back.
  mutating func stepBack() -> Step? {
    guard case .offset(var rules) = self else { return nil }
    defer { self = .offset(rules) }
    return rules.aim.stepBack(from: rules.aim)
  }

  /// True when the rules ask for a page that proves the end of a list, since its last page alone does not. `isGapExplained` says that all
  /// announced rows came, or that the total changed.
  mutating func askForProof(isGapExplained: Bool) -> Bool {
    guard case .numbered(var rules) = self, rules.needsProof(isGapExplained: isGapExplained) else { return false }
    (rules.proof.isAwaited, rules.aim) = (true, .lastRow)
    self = .numbered(rules)
    return true
  }
}

/// A page that came, as the rules see it: its rows, its statements, and what the walk knows.
struct ComingPage {
  let rows: PageRows
  let request: PageRequest
  let cursor: Cursor?
  /// True when the service says that no page follows.
  let isSaidLast: Bool
  let namesAnother: Bool
  /// The total that the page announces; nil without one, or if totals are known to be wrong.
  let total: Int?
  /// True when the page came before.
  let isRepeated: Bool
  let evidence: Evidence
  let known: KnownRows
  /// The page's ids that others remember.
  let met: Set<String>

  /// True when the walk knows the last row before its place.
  var isAfterKnownRow: Bool { place > 0 && cursor?.rowContext.last != nil }
  /// The number of rows in the list up to the last one that came.
  var place: Int { cursor?.place.rowsBefore ?? 0 }
  /// The mark of the last row that came.
  var last: UInt64 { cursor?.rowContext.last ?? 0 }
  /// The place that was asked for.
  var offset: Int { request.cursor?.place.number ?? 0 }
  var style: Paging.Style? { evidence.paging?.style }
  /// The first row of the list, as far as the walk remembers. It may be that of this page, if the page came before.
  var start: UInt64? { isRepeated ? rows.marks.first : known.recent.first }

  func knows(_ row: Int) -> Bool { known.has(row, of: rows, met: met) }
}

/// The way in which rules that look back ask for the next page.
protocol Aim: Sendable, Hashable {
  /// Early, as usual.
  static var ahead: Self { get }
  /// Further back, looking for a known row, for the nth time in a row.
  static func back(_ step: Int) -> Self
  /// The other aims, each with its word in a cursor.
  static var words: [Self: String] { get }
}

extension Aim {
  /// Steps back, or further back than the last time. After the furthest step the walk has lost its ground.
  mutating func stepBack(from last: Self) -> WalkRules.Step {
    let steps = (1...mostSteps).first { last == .back($0) } ?? 0
    self = .back(steps + 1)
    return steps < mostSteps ? .askAgain : .loseGround
  }

  mutating func askAgain(_ next: Self) -> WalkRules.Step {
    self = next
    return .askAgain
  }

  /// The aim as a word of a cursor, for a walk that continues there; nil for the usual aim.
  var word: String? { Self.words[self] ?? (1...mostSteps).first { self == .back($0) }.map { "back\($0)" } }

  /// Reads a ``word``; nil if it is unknown.
  init?(word: String?) {
    let steps = (1...mostSteps).map(Self.back)
    guard let aim = (Self.words.keys + steps).first(where: { $0.word == word }), word != nil else { return nil }
    self = aim
  }
}

private let mostSteps = 5
