import Platform
import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

/// A cached walk is walked again. Its verdict then never claims more than the live one did.
@Suite struct KeptVerdictTests {
  /// The number of lists that are drawn; `AGGREGATOR_SEEDS` sets another one.
  private static let count = getenv("AGGREGATOR_SEEDS").flatMap { Int(String(cString: $0)) } ?? 3_000

  @Test("a walk over a cached answer claims no more than the walk that was cached, for any list")
  func random() async throws {
    var ends: [String: Int] = [:]
    for seed in 0..<UInt64(Self.count) {
      let (live, kept) = try await Self.walks(seed)
      let (was, isNow) = try (#require(live.verdict), #require(kept.verdict))
      ends["\(was.kind) \(isNow.kind)", default: 0] += 1
      #expect(!isNow.claimsMore(than: was), "seed \(seed): \(was) became \(isNow)")
      #expect(Set(kept.ids).isSubset(of: live.ids), "seed \(seed)")
      // A walk that was cached whole comes back whole.
      if isNow == .complete || isNow == .unverifiable { #expect(kept.ids == live.ids, "seed \(seed)") }
    }
    // Each verdict must occur, or the test has tried nothing.
    for due in ["complete complete", "partial partial", "unverifiable unverifiable"] {
      #expect((ends[due] ?? 0) > Self.count / 50, "\(ends)")
    }
  }

  /// A walk over a list drawn by chance, and the walk over its cached answer.
  private static func walks(_ seed: UInt64) async throws -> (live: Walked, kept: Walked) {
    let (store, clock, service) = (StoreInMemory(), TestClock(), RandomList(seed: seed))
    let source = service.source.cached(in: store, scope: "here", clock: clock)
    let live = try await Walked(source, clock: clock)
    let kept = try await Walked(LastAnswers(of: service.source, in: store, scope: "here", clock: clock), clock: clock)
    return (live, kept)
  }

  @Test("the weakest verdict of a page is that of the walk, wherever the walk ends", arguments: [0, 1, 2])
  func weakest(page: Int) async throws {
    for (standing, due) in [(Verdict.unverifiable, Verdict.unverifiable), (.partial(.recorded("no")), .partial(.recorded("no")))] {
      let source = ModelSource(Profile("model", paging: .tokens(size: 2))) { asked in
        let start = asked.place.token.flatMap { Int($0) } ?? 0
        var answer = asked.page(start..<min(start + 2, 6), next: .token(ifAny: start + 2 < 6 ? "\(start + 2)" : nil))
        if start / 2 == page { answer.standing = standing }
        return answer
      }
      try await Walked(source).expect(ids: 0..<6, due)
      let store = StoreInMemory()
      try await Walked(source.cached(in: store, scope: "")).expect(ids: 0..<6, due)
      try await Walked(LastAnswers(of: source, in: store, scope: "")).expect(ids: 0..<6, due)
    }
  }
}

/// A list drawn by chance: how its pages follow each other, what they say of the end and of themselves, and how it changes meanwhile.
private final class RandomList: Sendable {
  private let dice: SeededDice
  private let paging: Paging
  private let announces: Bool
  private let saysMore: Bool
  private let changes: Bool
  private let standing: (page: Int, verdict: Verdict)?
  /// The number of pages after which the service fails; nil if it does not fail.
  private let failure: Int?
  private let state: Mutex<(rows: [Int], next: Int, pages: Int)>

  init(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    let ends: [Paging.End] = [.total, .emptyPage, .more, .lastToken]
    let (size, end) = (2 + dice.index(below: 6), ends[dice.index(below: ends.count)])
    let pagings: [Paging] = [
      .whole, .offset(size: size, end: end == .lastToken ? .emptyPage : end), .tokens(size: size),
      .offset(size: size, end: end == .lastToken ? .total : end, lookingBack: false),
      .numbered(size: size, end: end == .lastToken ? .more : end), .keyset(size: size, end: end == .lastToken ? .more : end),
      .keyset(size: size, end: .emptyPage, sharingKeys: true),
    ]
    paging = pagings[dice.index(below: pagings.count)]
    announces = paging.end == .total || dice.index(below: 2) == 0
    saysMore = paging.end == .more || dice.index(below: 5) == 0
    changes = dice.index(below: 3) == 0
    let verdicts: [Verdict] = [.complete, .unverifiable, .partial(.recorded("a part of it is missing")), .bounded]
    standing = dice.index(below: 3) == 0 ? (dice.index(below: 4), verdicts[dice.index(below: verdicts.count)]) : nil
    failure = dice.index(below: 8) == 0 ? 1 + dice.index(below: 4) : nil
    let rows: [Int] = (0..<dice.index(below: 30)).map { $0 }
    state = Mutex((rows, 1_000, 0))
    self.dice = dice
  }

  var source: ModelSource { ModelSource(Profile("model", paging: paging)) { [self] asked in try answer(asked) } }

  private func answer(_ asked: ModelSource.Asked) throws -> Page<Row> {
    try state.withLock { state in
      if let failure, state.pages == failure { throw SourceError(.unavailable, "down") }
      if changes, state.pages > 0, dice.index(below: 2) == 0 {
        if dice.index(below: 2) == 0, !state.rows.isEmpty {
          state.rows.remove(at: dice.index(below: state.rows.count))
        } else {
          state.rows.insert(state.next, at: dice.index(below: state.rows.count + 1))
          state.next += 1
        }
      }
      let (rows, place) = (state.rows, asked.place)
      let start: Int =
        switch paging.style {
        case .whole: 0
        case .offset: place.number
        case .number: (place.number - 1) * place.size
        case .token: place.token.flatMap { Int($0) } ?? 0
        case .keyset: place.key.flatMap { key in rows.firstIndex { "\($0)" == key } }.map { $0 + 1 } ?? (place.key == nil ? 0 : rows.count)
        }
      let some = rows.dropFirst(max(0, start)).prefix(paging.style == .whole ? rows.count : place.size)
      let isLast = start + some.count >= rows.count
      var page = asked.page(some, total: announces ? rows.count : nil)
      if paging.style == .token { page.next = .token(ifAny: isLast ? nil : "\(start + some.count)") }
      if saysMore { page.more = !isLast }
      if let standing, standing.page == state.pages { page.standing = standing.verdict }
      state.pages += 1
      return page
    }
  }
}
