import AggregatorCore
import SourceTesting
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A service whose list changes by chance before each page, and the rows that were there all along.
final class ChangingList: Sendable {
  struct State: Sendable {
    var rows: [Int]
    var lasting: Set<Int>
    var inserted = 1_000_000
    var changes = 0
    var requests = 0
  }

  let state: Mutex<State>
  private let change: @Sendable (inout State) -> Void

  init(_ count: Int, changing change: @escaping @Sendable (inout State) -> Void = { _ in }) {
    state = Mutex(State(rows: Array(0..<count), lasting: Set(0..<count)))
    self.change = change
  }

  /// A list into which a row is put, or out of which one is taken, before each page.
  static func byChance(_ count: Int, seed: UInt64) -> ChangingList {
    let dice = SeededDice(seed: seed)
    return ChangingList(count) { state in
      if dice.index(below: 2) == 0 {
        state.insert(at: dice.index(below: state.rows.count + 1))
      } else if !state.rows.isEmpty {
        state.delete(at: dice.index(below: state.rows.count))
      }
    }
  }

  func source(_ paging: Paging, total announces: Bool = true) -> ModelSource {
    ModelSource(paging: paging) { [self] asked in
      state.withLock { state in
        if state.requests > 0 { change(&state) }
        state.requests += 1
        let rows = state.rows.dropFirst(asked.place.number).prefix(asked.place.size)
        return asked.page(rows, total: announces ? state.rows.count : nil)
      }
    }
  }

  var lasting: Set<String> { Set(ids(state.withLock { $0.lasting })) }
  var requests: Int { state.withLock { $0.requests } }
}

extension ChangingList.State {
  mutating func insert(at place: Int) {
    inserted += 1
    changes += 1
    rows.insert(inserted, at: min(place, rows.count))
  }

  mutating func delete(at place: Int) {
    guard rows.indices.contains(place) else { return }
    changes += 1
    lasting.remove(rows.remove(at: place))
  }
}

@Suite("A list that changes before each page")
struct ChangingListTests {
  /// How many lists to try: more of them with `AGGREGATOR_SEEDS=1000`.
  static let seeds = getenv("AGGREGATOR_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 12

  @Test("every row that was there all along is given once, and the walk is complete", arguments: 0..<seeds)
  func byChance(seed: UInt64) async throws {
    for announces in [true, false] {
      let list = ChangingList.byChance(10_000, seed: seed)
      let walk = try await Walked(list.source(.offset(size: 100, end: announces ? .total : .emptyPage), total: announces))
      let missing = list.lasting.subtracting(walk.ids)
      #expect(missing.isEmpty)
      #expect(Set(walk.ids).count == walk.ids.count)
      #expect(walk.verdict == .complete)
      #expect(list.requests < 400)
      #expect(walk.summary.reason?.hasPrefix("the list changed while it was read") == true)
    }
  }

  @Test("small pages and short lists lose nothing either", arguments: 0..<200)
  func small(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let list = ChangingList.byChance(10 + dice.index(below: 60), seed: seed)
    let announces = dice.index(below: 2) == 0
    let size = 6 + dice.index(below: 10)
    let walk = try await Walked(list.source(.offset(size: size, end: announces ? .total : .emptyPage), total: announces))
    #expect(walk.verdict == .complete)
    #expect(list.lasting.subtracting(walk.ids).isEmpty)
  }

  @Test("over a list that does not change a walk asks for one page in a hundred more")
  func cost() async throws {
    let list = ChangingList(10_000)
    let walk = try await Walked(list.source(.offset(size: 100, end: .total)))
    #expect(walk.ids == ids(0..<10_000))
    #expect(walk.verdict == .complete && walk.summary.reason == nil)
    #expect(walk.summary.duplicates == 0)
    #expect(list.requests == 101)
  }
}
