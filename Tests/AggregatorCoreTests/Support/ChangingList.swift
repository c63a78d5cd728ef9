import AggregatorCore
import Synchronization

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

  /// A list in which one row is inserted or deleted before each page.
  static func byChance(_ count: Int, seed: UInt64) -> ChangingList {
    let dice = SeededDice(seed: seed)
    return ChangingList(count) { $0.change(by: dice) }
  }

  /// A list in which up to `most` rows change before each page, anywhere or near its beginning. In some lists more rows go than come.
  static func restless(_ count: Int, seed: UInt64, upTo most: Int) -> ChangingList {
    let dice = SeededDice(seed: seed)
    let (deletions, reach) = (dice.index(below: 5) + 1, dice.index(below: 2) == 0 ? Int.max : 100)
    return ChangingList(count) { state in
      for _ in 0..<dice.index(below: most + 1) { state.change(by: dice, deleting: deletions, upTo: reach) }
    }
  }

  /// A service of the list, which gives at most `most` rows at once.
  func source(_ paging: Paging, total announces: Bool = true, most: Int = .max) -> ModelSource {
    ModelSource(paging: paging) { [self] asked in
      state.withLock { state in
        if state.requests > 0 { change(&state) }
        state.requests += 1
        let rows = state.rows.dropFirst(asked.place.number).prefix(min(most, asked.place.size))
        return asked.page(rows, total: announces ? state.rows.count : nil)
      }
    }
  }

  var lasting: Set<String> { Set(ids(state.withLock { $0.lasting })) }
  var requests: Int { state.withLock { $0.requests } }
}

extension ChangingList.State {
  /// Inserts or deletes a row among the first `reach` rows. On average `deletions` rows are deleted for every insertion.
  mutating func change(by dice: some Dice, deleting deletions: Int = 1, upTo reach: Int = .max) {
    if dice.index(below: deletions + 1) == 0 {
      insert(at: dice.index(below: min(reach, rows.count + 1)))
    } else if !rows.isEmpty {
      delete(at: dice.index(below: min(reach, rows.count)))
    }
  }

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
