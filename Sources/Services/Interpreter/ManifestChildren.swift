import AggregatorCore
import Synchronization

/// The lists of all records of another list, one behind the other: the posts' comments.
///
/// A walk over them is complete where the walk over the parents was, and that over each list.
final class ManifestChildren: Sendable {
  private let list: ManifestList
  private let parents: ManifestRecords
  /// The walks that a token goes on with. One that another process began is begun again at its place.
  private let walks = Mutex<[(token: String, walk: FamilyWalk)]>([])

  init(_ list: ManifestList, of parents: ManifestRecords) { (self.list, self.parents) = (list, parents) }

  func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let token = try request.place(in: list).token
    var walk = try resumed(at: token)
    if let error = walk.failure { throw error }
    let start = walk.token
    var faults: [RowFault] = []
    var items: [LooseRecord] = []
    // Many parents have no child; a page without a row is worth its request where that goes on for long. A walk ends after so many pages in a
    // row without a row, and each of them passes more parents than the one before.
    var steps = Self.mostEmpty + walk.emptyPages
    do {
      while items.isEmpty, faults.isEmpty, !walk.isOver, steps > 0 {
        (items, faults) = try await walk.step(parents, list)
        steps -= 1
      }
    } catch let error as SourceError where error.leavesPlace && walk.token != start {
      // The parents that were passed are not asked again: the place behind them is worth a page, and the next one is the error.
      walk.failure = error
    }
    walk.emptyPages = items.isEmpty ? walk.emptyPages + 1 : 0
    var page = Page(of: list, items, faults: faults, next: .end)
    if walk.isOver {
      page.standing = walk.verdict
    } else {
      let next = walk.token
      page.next = .token(next)
      walks.withLock { walks in walks = walks.filter { $0.token != next }.suffix(Self.mostWalks) + [(next, walk)] }
    }
    return page
  }

  /// The walk that goes on at a token, with the error that it was left with; who asks again asks the service again.
  private func resumed(at token: String?) throws -> FamilyWalk {
    let known = walks.withLock { walks -> FamilyWalk? in
      guard let index = walks.firstIndex(where: { $0.token == token }) else { return nil }
      defer { walks[index].walk.failure = nil }
      return walks[index].walk
    }
    return try known ?? FamilyWalk(token: token)
  }

  private static let mostEmpty = 50
  /// A page may be asked for again, and several walks may be under way.
  private static let mostWalks = 8
}

/// A walk over parents, and over the list of one of them at a time.
private struct FamilyWalk {
  private var parents: Walk<LooseRecord>?
  /// Where the page of parents began that the waiting ones are of.
  private var start: Cursor?
  private var waiting: ArraySlice<LooseRecord> = []
  /// The parent of the page that was read last.
  private var passed: String?
  /// The parent whose list another process was reading.
  private var current: String?
  private var child: Walk<LooseRecord>?
  private var childStart: Cursor?
  private(set) var isOver = false
  /// What kept the walk from going on behind the page that it was left with.
  var failure: SourceError?
  /// How many pages in a row had no record.
  var emptyPages = 0
  /// The worst of the verdicts so far.
  private(set) var verdict = Verdict.complete

  /// A walk from the beginning, or one that goes on where another process left it.
  init(token: String? = nil) throws {
    guard let token else { return }
    guard let parts = try? JSON(Array(token.utf8)).asArray().map(\.value), parts.count == 5 else {
      throw SourceError(.foreignCursor, "the place \(token.prefix(80)) is none of this list")
    }
    let texts = parts.map(\.text)
    start = texts[0].flatMap { Cursor(text: $0) }
    (passed, current, childStart) = (texts[1], texts[2], texts[3].flatMap { Cursor(text: $0) })
    if let text = texts[4] { verdict = text.isEmpty ? .unverifiable : .partial(.recorded(text)) }
  }

  /// The place as text: the page of parents, the last of them that was read and the one that is being read, the place in its list, and what
  /// is known to be missing.
  var token: String {
    let place = [
      start?.text, passed, waiting.first?.id ?? current, (child?.cursor ?? childStart)?.text,
      verdict == .complete ? nil : verdict.reason ?? "",
    ]
    return String(decoding: Value.list(place.map { $0.map(Value.text) ?? .null }).bytes, as: UTF8.self)
  }

  /// Reads one page further: of the list of a parent, or of parents.
  mutating func step(_ source: ManifestRecords, _ list: ManifestList) async throws -> ([LooseRecord], [RowFault]) {
    guard let parent = waiting.first else {
      try await nextParents(source)
      return ([], [])
    }
    var walk = child ?? Walk(list.below(parent, of: source), from: childStart)
    let (items, faults): ([LooseRecord]?, [RowFault])
    do {
      (items, faults) = try await Self.quietly { try await walk.nextPage() }
    } catch let error as SourceError where error.isLasting {
      pass(parent, of: source, .partial(.failed(error)))
      return ([], [])
    }
    if let error = walk.summary.verdict?.error { throw error }
    child = walk
    if items == nil || walk.summary.verdict != nil { pass(parent, of: source, walk.summary.verdict ?? .complete) }
    return (items ?? [], faults)
  }

  /// Leaves a parent behind whose list ended so.
  private mutating func pass(_ parent: LooseRecord, of source: ManifestRecords, _ new: Verdict) {
    note(new, of: "\(source.profile.name) \(parent.id)")
    (child, childStart) = (nil, nil)
    passed = waiting.removeFirst().id
  }

  private mutating func nextParents(_ source: ManifestRecords) async throws {
    // A cursor names the place of the page; a walk that went on from it has read the parents before.
    let isResumed = parents == nil
    var walk = parents ?? Walk(source, from: start)
    let place = isResumed ? start : walk.cursor
    let skipped = walk.summary.skipped
    let (records, _) = try await Self.quietly { try await walk.nextPage() }
    if let error = walk.summary.verdict?.error { throw error }
    let broken = walk.summary.skipped - skipped
    if broken > 0 {
      let rows = broken == 1 ? "1 row" : "\(broken) rows"
      note(.partial(.recorded("\(rows) of \(source.profile.name) could not be read")), of: nil)
    }
    parents = walk
    guard let records else {
      note(walk.summary.verdict ?? .complete, of: source.profile.name)
      isOver = true
      return
    }
    (start, waiting) = (place, records[...])
    if isResumed { skip() } else { passed = nil }
  }

  /// Leaves out the parents that another process has read, as far as they are still there: a list may change between the two.
  private mutating func skip() {
    if let index = waiting.firstIndex(where: { $0.id == current }) {
      waiting = waiting[index...]
    } else {
      childStart = nil
      if let index = waiting.firstIndex(where: { $0.id == passed }) { waiting = waiting[(index + 1)...] }
    }
    current = nil
  }

  private mutating func note(_ new: Verdict, of name: String?) {
    guard verdict.reason == nil else { return }
    switch new {
    case .partial(let shortfall):
      verdict = .partial(.recorded(name.map { "\($0): \(shortfall.sentence)" } ?? shortfall.sentence))
    case .unverifiable: verdict = .unverifiable
    case .complete, .bounded: break
    }
  }

  /// What is read inside a page is told with that page.
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

extension ManifestList {
  /// The list of one parent, whatever it is a part of.
  fileprivate func below(_ parent: LooseRecord, of source: ManifestRecords) -> ManifestList {
    var list = self
    list.profile = Profile("\(profile.name).list", paging: pages)
    list.values = source.schema.fields.reduce(into: [:]) { $0["\(source.profile.name).\($1.name)"] = $1.value(parent) }
    return list
  }
}

extension Verdict {
  /// The error that ended a walk: the page that it kept from coming can be asked for again.
  fileprivate var error: SourceError? {
    switch self {
    case .partial(.failed(let error)), .partial(.budget(let error)): error
    case .partial(.deadline): Deadline.isLate
    default: nil
    }
  }
}

extension SourceError {
  /// Whether asking again brings the same: such a list is missing, and those of the other parents are not.
  fileprivate var isLasting: Bool { [.noSuchAddress, .badRequest, .malformed, .notFound].contains(kind) }

  /// Whether nothing is wrong but that it is not the time to go on.
  fileprivate var leavesPlace: Bool { [.requestsSpent, .budgetSpent, .throttled, .timedOut].contains(kind) }
}
