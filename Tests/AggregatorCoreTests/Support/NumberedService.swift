import AggregatorCore
import Synchronization

/// A service with numbered pages, drawn by chance: how it treats sizes, what it says of the end, and how its list changes.
struct NumberedService: Sendable {
  /// The effect of the size that a request names.
  enum Sizes: String, Sendable, CaseIterable {
    case heard, clamped, roundedDown, roundedUp, ignored, refused
  }

  /// The change to the list before a request.
  enum Change: String, Sendable, CaseIterable {
    case none, insertions, deletions, either, both, bothFarApart
  }

  /// The sign by which the service shows the end.
  enum End: String, Sendable, CaseIterable {
    case total, emptyPage, more, pages
  }

  let sizes: Sizes
  let change: Change
  let end: End
  let first: Int
  let size: Int
  let count: Int
  /// The largest page, the step of sizes, or the size that is always used.
  let limit: Int
  /// True when the answer has a total, even if the total does not end the walk.
  let announces: Bool
  /// True when a page after the last one is answered with 404.
  let endsWithError: Bool
  /// The largest number of rows that change before a request, and the number of requests among which one is preceded by a change.
  let most: Int
  let rarity: Int
  private let dice: SeededDice

  init(
    seed: UInt64, sizes: Sizes? = nil, change: Change? = nil, end: End? = nil
  ) {
    let dice = SeededDice(seed: seed)
    func draw<Value: CaseIterable>(_: Value.Type) -> Value where Value.AllCases == [Value] {
      Value.allCases[dice.index(below: Value.allCases.count)]
    }
    let (drawnSizes, drawnChange, drawnEnd) = (draw(Sizes.self), draw(Change.self), draw(End.self))
    (self.sizes, self.change, self.end) = (sizes ?? drawnSizes, change ?? drawnChange, end ?? drawnEnd)
    first = dice.index(below: 2)
    size = [20, 21, 25, 30, 36, 48, 50, 100][dice.index(below: 8)]
    count =
      [0, 1, size - 1, size, size + 1, 2 * size - 1, 2 * size][dice.index(below: 7)] * dice.index(below: 2) + dice.index(below: 6 * size)
    let divisors = [2, 3, 5, 7, 10, 12, 25]
    switch self.sizes {
    case .clamped: limit = 2 + dice.index(below: size)
    case .ignored: limit = [size, 10, 20, 30][dice.index(below: 4)]
    default: limit = divisors[dice.index(below: divisors.count)]
    }
    announces = self.end == .total || dice.index(below: 2) == 0
    endsWithError = self.end != .emptyPage && dice.index(below: 4) == 0
    most = 1 + dice.index(below: 4)
    rarity = 1 + dice.index(below: 4)
    self.dice = dice
  }

  var paging: Paging {
    let end: Paging.End =
      switch self.end {
      case .total: .total
      case .emptyPage: .emptyPage
      case .more, .pages: .more
      }
    return .numbered(from: first, size: size, end: end, lookingBack: true)
  }

  /// The number of rows that come for a page of that size; nil if the size is refused.
  func given(for size: Int) -> Int? {
    switch sizes {
    case .heard: size
    case .clamped: min(size, limit)
    case .roundedDown: max(1, size / limit * limit)
    case .roundedUp: (size + limit - 1) / limit * limit
    case .ignored: limit
    case .refused: size % limit == 0 || size == self.size ? size : nil
    }
  }

  /// Returns the service, and the list that it serves.
  func start() -> (source: ModelSource, list: ChangingList) {
    let list = ChangingList(count)
    let source = ModelSource(paging: paging) { [self] asked in
      try list.state.withLock { state in
        if state.requests > 0, dice.index(below: rarity) == 0 { change(&state) }
        state.requests += 1
        guard let size = given(for: asked.place.size) else { throw SourceError(.badRequest, "the size is refused") }
        let before = (asked.place.number - first) * size
        guard before < state.rows.count || before == 0 || !endsWithError else {
          throw SourceError(.noSuchAddress, "there is no such page")
        }
        let rows = state.rows.dropFirst(before).prefix(size)
        var page = asked.page(rows, total: announces ? state.rows.count : nil)
        switch end {
        case .more: page.more = before + rows.count < state.rows.count
        case .pages where asked.place.size == self.size:
          page.more = asked.place.number - first < (state.rows.count + size - 1) / size - 1
        default: break
        }
        return page
      }
    }
    return (source, list)
  }

  private func change(_ state: inout ChangingList.State) {
    for _ in 0..<1 + dice.index(below: most) {
      let place = dice.index(below: state.rows.count + 1)
      switch change {
      case .none: break
      case .insertions: state.insert(at: place)
      case .deletions: state.delete(at: place)
      case .either: if dice.index(below: 2) == 0 { state.insert(at: place) } else { state.delete(at: place) }
      case .both:
        state.delete(at: place)
        state.insert(at: dice.index(below: state.rows.count + 1))
      case .bothFarApart:
        state.delete(at: 0)
        state.insert(at: state.rows.count)
      }
    }
  }
}
