import AggregatorCore
import Platform
import SourceTesting
import Testing

@Suite("A list that changes before each page")
struct ChangingListTests {
  /// The number of lists to try; `AGGREGATOR_SEEDS=1000` tries more.
  static let seeds = getenv("AGGREGATOR_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 12

  @Test("every row of a changing list that was there all along is given once, and the walk is complete", arguments: 0..<seeds)
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

  @Test("a changing list loses no row with small pages and short lists either", arguments: 0..<200)
  func small(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let list = ChangingList.byChance(10 + dice.index(below: 60), seed: seed)
    let announces = dice.index(below: 2) == 0
    let size = 6 + dice.index(below: 10)
    let walk = try await Walked(list.source(.offset(size: size, end: announces ? .total : .emptyPage), total: announces)).expect(.complete)
    #expect(list.lasting.subtracting(walk.ids).isEmpty)
  }

  @Test("pages of 10 instead of 100, with up to half of one changed before each, give 95 whole walks of 100")
  func clamped() async throws {
    var broken: [UInt64] = []
    for seed in 0..<max(20, Self.seeds) {
      let announces = seed % 2 == 0
      let list = ChangingList.restless(2_000, seed: seed, upTo: 5)
      let walk = try await Walked(list.source(.offset(size: 100, end: announces ? .total : .emptyPage), total: announces, most: 10))
      let isWhole = list.lasting.isSubset(of: walk.ids)
      #expect(isWhole || walk.verdict != .complete, "seed \(seed)")
      if !isWhole || walk.verdict != .complete { broken.append(seed) }
    }
    #expect(broken.count * 20 <= max(20, Int(Self.seeds)), "seeds \(broken)")
  }

  @Test("over an unchanging list a walk asks for one page in a hundred more")
  func cost() async throws {
    let list = ChangingList(10_000)
    let walk = try await Walked(list.source(.offset(size: 100, end: .total))).expect(ids: 0..<10_000)
    #expect(walk.verdict == .complete && walk.summary.reason == nil)
    #expect(walk.summary.duplicates == 0)
    #expect(list.requests == 101)
  }
}
