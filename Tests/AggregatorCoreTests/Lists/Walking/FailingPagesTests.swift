import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@Suite("A page that fails after all patience", .timeLimit(.minutes(30)))
struct FailingPagesTests {
  /// A list in which each page fails that has one of the poisoned rows.
  private final class PoisonedList: Sendable {
    private let state: Mutex<(rows: [Int], poisoned: Set<Int>)>
    let error: SourceError
    let saysTotal: Bool

    init(_ rows: Range<Int> = 0..<100, poisoned: Set<Int>, saying saysTotal: Bool = true, _ kind: SourceError.Kind = .unavailable) {
      state = Mutex((Array(rows), poisoned))
      (self.saysTotal, error) = (saysTotal, SourceError(kind, "the service failed (HTTP 500)"))
    }

    func change(_ body: (inout [Int], inout Set<Int>) -> Void) { state.withLock { body(&$0.rows, &$0.poisoned) } }

    func source(_ paging: Paging) -> ModelSource {
      ModelSource(paging: paging) { asked in
        let (rows, poisoned) = self.state.withLock { $0 }
        var start = asked.place.number
        if case .number(let first) = paging.style { start = (start - first) * asked.place.size }
        let page = rows.dropFirst(start).prefix(asked.place.size)
        if page.contains(where: poisoned.contains) { throw self.error }
        return asked.page(page, total: self.saysTotal ? rows.count : nil)
      }
    }
  }

  /// Reads a list as the next run of a sync does, which remembers the rows of the runs before.
  private struct Runs {
    let seen = RememberedIDs()
    private(set) var last: Walked?
    private(set) var ids: [String] = []

    mutating func run(_ source: ModelSource) async throws -> Walked {
      let cursor = try last?.cursor.map { try #require(Cursor(text: $0.text)) }
      let walk = try await Walked(source, from: cursor, rowsBefore: last?.rowsBefore, seen: seen)
      (last, ids) = (walk, ids + walk.ids)
      return walk
    }
  }

  private static let pagings: [Paging] = [
    .offset(size: 5, end: .total), .offset(size: 5, end: .total, lookingBack: false), .numbered(size: 5, end: .total),
    .numbered(size: 20, end: .total, lookingBack: true), .offset(size: 5, end: .emptyPage),
  ]

  @Test("it costs its own rows alone, and the walk says which place is missing", arguments: pagings)
  func one(paging: Paging) async throws {
    let walk = try await Walked(PoisonedList(poisoned: [42]).source(paging))
    let missing = Set(0..<100).subtracting(walk.ids.compactMap { Int($0) })
    #expect(missing.contains(42) && missing.count <= paging.size && walk.ids.count == Set(walk.ids).count)
    let reason = try #require(walk.verdict?.reason)
    #expect(reason.hasPrefix("missing: up to ") && reason.hasSuffix("): the service failed (HTTP 500)"), "\(reason)")
    #expect(walk.verdict?.kind == "partial")
  }

  @Test("the place is told as the rows of a list by offset, and as the page of a numbered one")
  func words() async throws {
    let offset = try await Walked(PoisonedList(poisoned: [42]).source(.offset(size: 5, end: .total, lookingBack: false)))
    #expect(offset.verdict?.reason == "missing: up to 5 rows did not come (rows 41 to 45): the service failed (HTTP 500)")
    let numbered = try await Walked(PoisonedList(poisoned: [42, 72]).source(.numbered(size: 5, end: .total)))
    #expect(
      numbered.verdict?.reason == "missing: up to 10 rows did not come (page 9 and 1 other place): the service failed (HTTP 500)")
    let last = try await Walked(PoisonedList(poisoned: [99]).source(.offset(size: 30, end: .total, lookingBack: false)))
    #expect(last.verdict?.reason == "missing: up to 10 rows did not come (rows 91 to 100): the service failed (HTTP 500)")
  }

  @Test("the next run begins with the missing places, and is complete once they came", arguments: pagings)
  func filled(paging: Paging) async throws {
    let list = PoisonedList(poisoned: [22, 71])
    let source = list.source(paging)
    var runs = Runs()
    let first = try await runs.run(source)
    #expect(first.verdict?.kind == "partial")
    list.change { $1 = [] }
    let asked = source.asked.count
    let later = try await runs.run(source)
    #expect(Set(runs.ids).count == 100 && runs.ids.count == 100)
    // Pages that count nothing but rows were read at two times, so only another reading proves that they are the list.
    let isProven = paging.looksBack && !paging.isNumbered
    #expect(source.asked.count - asked <= 6 || paging.isNumbered, "the rest of the list is not read again")
    #expect(later.verdict == (isProven || paging.isNumbered ? .complete : .unverifiable) && (later.summary.isSure || !isProven))
  }

  @Test("a place that fails again is told again, and the next run begins with it", arguments: pagings)
  func again(paging: Paging) async throws {
    let list = PoisonedList(poisoned: [22, 71])
    var runs = Runs()
    _ = try await runs.run(list.source(paging))
    await #expect(throws: list.error) { try await runs.run(list.source(paging)) }
    list.change { $1 = [71] }
    let later = try await runs.run(list.source(paging))
    #expect(later.ids.contains("22") && later.verdict?.reason?.hasPrefix("missing: ") ?? false)
    list.change { $1 = [] }
    let last = try await runs.run(list.source(paging)).verdict
    #expect(Set(runs.ids).count == 100 && (last == .complete || last == .unverifiable && !paging.looksBack))
  }

  @Test("rows that came after the missing place are no ground before it, however many rows go meanwhile", arguments: 1...14)
  func shiftedGround(gone: Int) async throws {
    let list = PoisonedList(poisoned: [42])
    var runs = Runs()
    _ = try await runs.run(list.source(.offset(size: 10, end: .total)))
    list.change { rows, poisoned in
      rows.removeFirst(gone)
      poisoned = []
    }
    let later = try await runs.run(list.source(.offset(size: 10, end: .total)))
    let lost = Set(gone..<100).subtracting(runs.ids.compactMap { Int($0) })
    #expect(lost.isEmpty || later.verdict?.kind == "partial", "\(lost.sorted()) \(String(describing: later.verdict))")
  }

  @Test("the word for more on a page in the middle is not that of the list")
  func more() async throws {
    let poisoned = Mutex(true)
    let source = ModelSource(paging: .offset(size: 10, end: .more)) { asked in
      let page = (0..<80).dropFirst(asked.place.number).prefix(asked.place.size)
      if page.contains(45), poisoned.withLock({ $0 }) { throw SourceError(.unavailable, "no") }
      return copy(of: asked.page(page)) { $0.more = asked.place.number + asked.place.size < 80 }
    }
    var runs = Runs()
    #expect(try await runs.run(source).verdict?.reason?.hasPrefix("missing: ") ?? false)
    poisoned.withLock { $0 = false }
    #expect(try await runs.run(source).verdict == .complete && Set(runs.ids).count == 80)
  }

  @Test("a walk that continues at a numbered page that fails does not end there")
  func resumedNumber() async throws {
    let list = PoisonedList(0..<200, poisoned: [80])
    let source = list.source(.numbered(size: 25, end: .total))
    let walk = try await Walked(source, from: Cursor(maker: "model", place: .number(4)), rowsBefore: 75)
    #expect(walk.ids.count == 100 && walk.verdict?.reason?.hasPrefix("missing: up to 25 rows did not come (page 4)") ?? false)
  }

  @Test("three in a row are a service that is down: the walk stops at the first of them", arguments: pagings.dropLast())
  func down(paging: Paging) async throws {
    let list = PoisonedList(poisoned: Set(40..<100))
    var runs = Runs()
    #expect(try await runs.run(list.source(paging)).verdict == .partial(.failed(list.error)))
    list.change { $1 = [] }
    let later = try await runs.run(list.source(paging))
    #expect(Set(runs.ids).count == 100 && later.verdict == .complete)
  }

  @Test(
    "a refused key, a spent budget and a host that cannot be reached stop the walk at once",
    arguments: [SourceError.Kind.refusedKey, .budgetSpent, .throttled, .unreachable, .missingKey])
  func others(kind: SourceError.Kind) async throws {
    let source = PoisonedList(poisoned: [42], kind).source(.offset(size: 5, end: .total))
    let walk = try await Walked(source)
    #expect(walk.ids.count < 43 && source.asked.last?.place.number ?? 0 < 43)
    if case .partial(.missing) = walk.verdict { Issue.record("\(String(describing: walk.verdict))") }
  }

  @Test("an address that the key may not read is such a page")
  func forbidden() async throws {
    let trouble = try #require(HTTPResponse(status: 403).trouble(at: Moment(secondsSinceEpoch: 0)))
    #expect(trouble.kind == .refusedKey && trouble.kind.isOfPlace)
    #expect(HTTPResponse(status: 401).trouble(at: Moment(secondsSinceEpoch: 0))?.kind.isOfPlace == false)
  }

  @Test("a list that follows its answers stops at a page that fails", arguments: [Paging.tokens(size: 5), .keyset(size: 5)])
  func followed(paging: Paging) async throws {
    let error = SourceError(.unavailable, "no")
    let source = ModelSource(paging: paging) { asked in
      if asked.call == 2 { throw error }
      return asked.page(asked.call * 5..<asked.call * 5 + 5, next: .token("\(asked.call)"))
    }
    try await Walked(source).expect(ids: 0..<10, .partial(.failed(error)))
  }

  @Test("a list that changes before the missing place is filled is never complete without a row that was there all along")
  func changed() async throws {
    var complete = 0
    for seed in 0..<600 as Range<UInt64> {
      let dice = SeededDice(seed: seed)
      let count = 6 + dice.index(below: 30)
      let list = PoisonedList(0..<count, poisoned: [dice.index(below: count)], saying: dice.index(below: 2) == 0)
      let source = list.source(.offset(size: 2 + dice.index(below: 5), end: list.saysTotal ? .total : .emptyPage))
      var runs = Runs()
      do { _ = try await runs.run(source) } catch { continue }
      var lasting = Set(0..<count)
      list.change { rows, poisoned in
        poisoned = []
        for _ in 0..<dice.index(below: 4) {
          if dice.index(below: 2) == 0, !rows.isEmpty {
            lasting.remove(rows.remove(at: dice.index(below: rows.count)))
          } else {
            rows.insert(1_000 + rows.count + dice.index(below: 100_000), at: dice.index(below: rows.count + 1))
          }
        }
      }
      guard try await runs.run(source).verdict == .complete else { continue }
      complete += 1
      #expect(lasting.subtracting(runs.ids.compactMap { Int($0) }).isEmpty, "seed \(seed)")
    }
    #expect(complete > 100, "\(complete)")
  }
}
