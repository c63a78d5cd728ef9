import AggregatorCore
import SourceTesting
import Testing

@testable import Feed

@Suite("The rows of a feed") struct FeedItemsTests {
  @Test("rows that are hidden and shown again by chance are those of a plain list", arguments: 0..<40 as Range<UInt64>)
  func byChance(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    var (items, rows, hidden) = (FeedItems<Row>(), [Row](), Set<Int>())
    for _ in 0..<200 {
      switch dice.index(below: 3) {
      case 0:
        let page = (0..<dice.index(below: 4)).map { Row("\(rows.count + $0)") }
        items.append(page)
        rows += page
      case 1 where !rows.isEmpty:
        let place = dice.index(below: rows.count)
        items.hide(place)
        hidden.insert(place)
      case _ where !rows.isEmpty:
        let place = dice.index(below: rows.count)
        items.show(place)
        hidden.remove(place)
      default: break
      }
      #expect(items.map(\.id) == rows.indices.filter { !hidden.contains($0) }.map { rows[$0].id })
    }
  }

  @Test("a copy stays what it was")
  func copies() {
    var items = FeedItems<Row>()
    items.append([Row("a"), Row("b")])
    let copy = items
    items.append([Row("c")])
    items.hide(0)
    #expect(copy.map(\.id) == ["a", "b"])
    #expect(items.map(\.id) == ["b", "c"])
  }

  @Test("are equal where the same rows are to be seen, however they came and whatever is hidden")
  func equality() {
    var (one, other) = (FeedItems<Row>(), FeedItems<Row>())
    one.append([Row("a"), Row("b"), Row("c")])
    other.append([Row("a")])
    #expect(one != other)
    other.append([Row("x"), Row("b"), Row("c")])
    #expect(one != other)
    other.hide(1)
    #expect(one == other)
    one.hide(0)
    #expect(one != other)
  }
}
