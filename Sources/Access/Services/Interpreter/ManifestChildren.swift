import AggregatorCore
import Synchronization

/// The lists of all records of a parent list, one after the other, such as the comments of all posts.
///
/// A walk over them is complete if the walk over the parents and those over their lists are complete.
final class ManifestChildren: Sendable {
  private let list: ManifestList
  private let parents: ManifestRecords
  /// The walks to continue, by token. A walk that another process began is started again at its place.
  private let walks = Mutex<[(token: String, walk: FamilyWalk)]>([])

  init(_ list: ManifestList, of parents: ManifestRecords) { (self.list, self.parents) = (list, parents) }

  func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let token = try request.place(in: list).token
    var walk = try resumed(at: token)
    if let error = walk.failure { throw error }
    let start = walk.token
    var read = FamilyRows()
    // Many parents have no child, so a page without rows is returned after many of them. A walk ends after some pages in a row without rows, so
    // each of these pages passes twice as many parents as the one before.
    var steps = Self.mostEmpty << min(walk.emptyPages, 20)
    do {
      let failures = walk.failures
      // A list that failed used up the attempts of this page. The next page has its own.
      while read.items.isEmpty, read.faults.isEmpty, !walk.isOver, steps > 0, walk.failures <= failures {
        try await walk.step(parents, list, into: &read)
        steps -= 1
      }
    } catch let error as SourceError where (error.isTooEarly || error.kind.isTransient) && walk.token != start {
      // The passed parents are not asked again: this page ends after them, and the next one throws the error.
      walk.failure = error
    }
    walk.emptyPages = read.items.isEmpty ? walk.emptyPages + 1 : 0
    var page = Page(of: list, read.items, faults: read.faults, next: .end)
    (page.misfits, page.shape) = (read.misfits, read.shape)
    // The next place also tells what was missing before.
    page.basis = .more
    // Two lists may be equal. Each list's own walk sees a page that its service repeats.
    page.isInOneOutput = true
    if walk.isOver {
      page.standing = walk.verdicts.all
    } else {
      let next = walk.token
      page.next = .token(next)
      walks.withLock { walks in walks = walks.filter { $0.token != next }.suffix(Self.mostWalks) + [(next, walk)] }
    }
    return page
  }

  /// Returns the list below one parent, each with the same chance. Nil if parents cannot be found by their place, if the service names no
  /// parent, or if all came on one page and their lists can be read in turn.
  func listBelowRandomParent(by dice: any Dice, within requests: Int) async throws -> ManifestList? {
    let paging = parents.profile.paging
    let first = try await parents.page(PageRequest())
    if paging.style == .whole {
      // Few lists are read in turn, so that every row is compared.
      guard first.items.count > requests / 2 else { return nil }
      return list.below(first.items[dice.index(below: first.items.count)], of: parents)
    }
    guard let total = first.total, total > 0, first.received > 0 else { return nil }
    // The last page has fewer parents, so a place is drawn, and not a page.
    for _ in 0..<10 {
      let place = dice.index(below: min(total, 1 << 40))
      let number = place / first.received
      let start: Place
      switch paging.style {
      case .offset: start = .offset(number * first.received)
      case .number(let one): start = .number(one + number)
      case .whole, .token, .keyset: return nil
      }
      let cursor = number == 0 ? nil : Cursor(maker: parents.profile.name, place: start)
      let page = number == 0 ? first : try await parents.page(PageRequest(at: cursor))
      let index = place % first.received
      if index < page.items.count { return list.below(page.items[index], of: parents) }
    }
    return nil
  }

  /// Returns the walk that continues at a token, with the error that stopped it. The error is
  /// thrown once; asking again asks the service again.
  private func resumed(at token: String?) throws -> FamilyWalk {
    let known = walks.withLock { walks -> FamilyWalk? in
      guard let index = walks.firstIndex(where: { $0.token == token }) else { return nil }
      defer { walks[index].walk.failure = nil }
      return walks[index].walk
    }
    return try known ?? FamilyWalk(token: token)
  }

  private static let mostEmpty = 50
  /// A page may be asked for again, and several walks may run at once.
  private static let mostWalks = 8
}

/// The rows that one page has of the parents' lists.
private struct FamilyRows {
  var items: [LooseRecord] = []
  var faults: [RowFault] = []
  /// The values that do not fit their fields, by the ids of their records.
  var misfits: [String: [Misfit]] = [:]
  /// The fields of the rows that the description lacks. The walk over the combined list counts the broken rows itself.
  var shape = ShapeCounts()
}

/// A walk over the parents, and over the list of one parent at a time.
private struct FamilyWalk {
  private var parents: Walk<LooseRecord>?
  /// The cursor of the page of parents that `waiting` is from.
  private var start: Cursor?
  private var waiting: ArraySlice<LooseRecord> = []
  /// The parents on that page whose lists are done.
  private var passed = PassedParents()
  /// The ID of the parent whose list another process was reading.
  private var current: String?
  private var child = ChildWalk()
  private(set) var isOver = false
  /// The error that stopped the walk after its last page.
  var failure: SourceError?
  /// The number of pages in a row without a record.
  var emptyPages = 0
  private(set) var verdicts = FamilyVerdicts()
  /// The walk before the first of the lists in a row that failed, and their number.
  private var unfailed: [FamilyWalk] = []
  private(set) var failures = 0

  /// The lists in a row that may fail. If one more does, the service is down.
  private static let mostFailures = 2

  /// Begins a walk, or continues one at a token from another process.
  init(token: String? = nil) throws {
    guard let token else { return }
    guard let parts = try? JSON(Array(token.utf8)).asArray().map(\.value), (5...7).contains(parts.count) else {
      throw SourceError(.foreignCursor, "the place \(token.prefix(80)) is not a place in this list")
    }
    let texts = parts.map(\.text)
    start = texts[0].flatMap { Cursor(text: $0) }
    (passed, current, child.start) = (PassedParents(text: texts[1]), texts[2], texts[3].flatMap { Cursor(text: $0) })
    if let text = texts[4] { verdicts.worst = text.isEmpty ? .unverifiable : .partial(.recorded(text)) }
    verdicts.others = texts.count > 5 ? max(0, texts[5].flatMap { Int($0) } ?? 0) : 0
    child.startRowsBefore = texts.count > 6 ? texts[6].flatMap { Int($0) } : nil
  }

  /// The place as text: the page of parents, those of them that are done and the one in progress, the place
  /// in its list, the first list that is not whole, the number of others, and the rows before a numbered page.
  var token: String {
    var place = [
      start?.text, passed.text, waiting.first?.id ?? current, child.cursor?.text,
      verdicts.worst.map { $0.reason ?? "" },
    ]
    let rowsBefore = child.rowsBefore
    if verdicts.others > 0 || rowsBefore != nil { place.append("\(verdicts.others)") }
    if let rowsBefore { place.append("\(rowsBefore)") }
    return String(decoding: Value.list(place.map { $0.map(Value.text) ?? .null }).bytes, as: UTF8.self)
  }

  /// Reads one more page of a parent's list into `rows`, or one of the parents.
  mutating func step(_ source: ManifestRecords, _ list: ManifestList, into rows: inout FamilyRows) async throws {
    guard let parent = waiting.first else { return try await nextParents(source) }
    var walk = child.walk ?? Walk(list.below(parent, of: source), from: child.start, rowsBefore: child.startRowsBefore)
    let (items, faults): ([LooseRecord]?, [RowFault])
    do {
      (items, faults) = try await Self.quietly { try await walk.nextPage() }
    } catch let error as SourceError {
      // Its cursor tells how far the walk has looked back, so that a later run continues there.
      child.walk = walk
      return try fail(parent, of: source, error, isLate: list.service.clock.isPast(Deadline.current))
    }
    if let error = walk.summary.verdict?.error {
      walk.resume()
      child.walk = walk
      return try fail(parent, of: source, error, isLate: list.service.clock.isPast(Deadline.current))
    }
    (unfailed, failures) = ([], 0)
    (rows.items, rows.faults, rows.misfits) = (items ?? [], faults, walk.misfits)
    rows.shape += walk.takeUnknownFields()
    child.walk = walk
    if items == nil || walk.summary.verdict != nil { pass(parent, of: source, walk.summary.verdict) }
  }

  /// Leaves a parent whose list failed, so that it costs its own rows alone. Throws the error if it concerns the lists of the others too. Then
  /// the walk is again at the first of the lists in a row that failed.
  private mutating func fail(_ parent: LooseRecord, of source: ManifestRecords, _ error: SourceError, isLate: Bool) throws {
    if error.isLasting { return pass(parent, of: source, .partial(.failed(error))) }
    if error.kind.isTransient, let attempts = Attempts.current, !attempts.isLast { throw error }
    guard error.kind.isOfPlace, !isLate, failures < Self.mostFailures else {
      if let unfailed = unfailed.first { self = unfailed }
      throw error
    }
    if failures == 0 { unfailed = [self] }
    failures += 1
    pass(parent, of: source, .partial(.failed(error)))
  }

  /// Leaves a parent whose list ended with this verdict.
  private mutating func pass(_ parent: LooseRecord, of source: ManifestRecords, _ new: Verdict?) {
    verdicts.note(new, of: "\(source.profile.name) \(parent.id)")
    child = ChildWalk()
    passed.add(waiting.removeFirst().id)
  }

  private mutating func nextParents(_ source: ManifestRecords) async throws {
    // A walk that has just been resumed is at `start`; later pages begin at the walk's own cursor.
    let isResumed = parents == nil
    var walk = parents ?? Walk(source, from: start)
    let cursor = isResumed ? start : walk.cursor
    let skipped = walk.summary.skipped
    let records: [LooseRecord]?
    do {
      (records, _) = try await Self.quietly { try await walk.nextPage() }
    } catch {
      if isResumed { start = walk.cursor ?? start }
      throw error
    }
    if let error = walk.summary.verdict?.error { throw error }
    let broken = walk.summary.skipped - skipped
    if broken > 0 {
      let rows = broken == 1 ? "1 row" : "\(broken) rows"
      verdicts.note(.partial(.recorded("\(rows) of \(source.profile.name) could not be read")), of: nil)
    }
    parents = walk
    guard let records else {
      verdicts.note(walk.summary.verdict, of: source.profile.name)
      isOver = true
      return
    }
    (start, waiting) = (cursor, records[...])
    if isResumed { skip() } else { passed = PassedParents() }
  }

  /// Skips the parents that another process has read, and continues with the one that it was reading. The list may have changed in between.
  private mutating func skip() {
    let isNamed = passed.isNamed
    waiting = passed.rest(of: waiting)
    if isNamed, let index = waiting.firstIndex(where: { $0.id == current }) {
      waiting.insert(waiting.remove(at: index), at: waiting.startIndex)
    }
    if waiting.first?.id != current { child = ChildWalk() }
    current = nil
  }

  /// Holds back the events inside a page, and returns the broken rows, which are reported with that page.
  private static func quietly(_ work: () async throws -> [LooseRecord]?) async rethrows -> ([LooseRecord]?, [RowFault]) {
    let faults = Mutex<[RowFault]>([])
    let records = try await Event.intercepting(
      { event in
        switch event {
        case .rowSkipped(_, let fault): faults.withLock { $0.append(fault) }
        case .rowsSkipped(_, let count): faults.withLock { $0 += (0..<count).map { RowFault(nil, digest: UInt64($0)) } }
        case .pageRead: break
        default: return false
        }
        return true
      }, during: work)
    return (records, faults.withLock { $0 })
  }
}

/// The list of one parent, as far as it is read.
private struct ChildWalk {
  var walk: Walk<LooseRecord>?
  /// The place at which another process left it.
  var start: Cursor?
  /// The number of rows before `start`, if the list's pages are numbered.
  var startRowsBefore: Int?

  var cursor: Cursor? { walk?.cursor ?? start }

  /// The number of rows before the place, if that is a numbered page, which does not tell it. Nil if it is unknown.
  var rowsBefore: Int? {
    guard let walk else { return startRowsBefore }
    guard case .number? = walk.cursor?.place, start == nil || startRowsBefore != nil else { return nil }
    return walk.rowsBefore
  }
}

/// The verdicts on the parents and on their lists, as one.
private struct FamilyVerdicts {
  /// The worst verdict so far, which names the first list that is not whole; nil if every list was complete.
  var worst: Verdict?
  /// The number of further lists that are not whole.
  var others = 0

  /// The worst verdict so far, with the number of further lists; nil if every list was complete.
  var all: Verdict? {
    guard others > 0, let reason = worst?.reason else { return worst }
    return .partial(.recorded("\(reason) (and \(others) more)"))
  }

  mutating func note(_ new: Verdict?, of name: String?) {
    switch new {
    case .partial where worst?.reason != nil: others = others.adding(1)
    case .partial(let shortfall):
      worst = .partial(.recorded("children: \(name.map { "\($0): " } ?? "")\(shortfall.sentence)"))
    case .unverifiable: worst = worst ?? .unverifiable
    case .complete, .bounded, nil: break
    }
  }
}

extension ManifestList {
  /// Returns the list of one parent, with the parent's fields as values for its templates.
  fileprivate func below(_ parent: LooseRecord, of source: ManifestRecords) -> ManifestList {
    var list = self
    list.profile = Profile("\(profile.name).list", paging: pages)
    list.profile.isKeyGuessed = profile.isKeyGuessed
    list.values = source.schema.fields.reduce(into: [:]) { $0["\(source.profile.name).\($1.name)"] = $1.value(parent) }
    return list
  }
}

extension Verdict {
  /// The error that ended a walk. The page that failed can be asked for again.
  fileprivate var error: SourceError? {
    switch self {
    case .partial(.failed(let error)), .partial(.budget(let error)): error
    case .partial(.deadline): Deadline.isLate
    default: nil
    }
  }
}

extension SourceError {
  /// True when the same error would come again. Then this list is missing, but those of the other parents can still come.
  fileprivate var isLasting: Bool { [.noSuchAddress, .badRequest, .malformed, .notFound].contains(kind) }

  /// True when nothing is wrong except that it is too early to continue.
  fileprivate var isTooEarly: Bool { [.requestsSpent, .budgetSpent, .throttled, .timedOut].contains(kind) }
}
