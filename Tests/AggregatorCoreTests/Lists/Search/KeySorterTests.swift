import SourceTesting
import Testing

@testable import AggregatorCore

@Suite("Keys in their order") struct KeySorterTests {
  private typealias Row = (key: [UInt8], row: Int64)

  private func rows(_ count: Int, _ dice: SeededDice) -> [Row] {
    (0..<count).map { number in
      let long = dice.index(below: 20) == 0 ? 300 : 12
      return ((0..<dice.index(below: long)).map { _ in UInt8(dice.index(below: 3)) }, Int64(number))
    }
  }

  /// All rows, read by several passes over them, and the number of passes that took.
  private func sorted(_ rows: [Row], most: Int, room: Int) -> (rows: [Int64], passes: Int) {
    var (found, passes, bound): ([Int64], Int, KeySorter.Bound?) = ([], 0, nil)
    repeat {
      var sorter = KeySorter(most: most, after: bound, room: room)
      for row in rows { sorter.add(row.key, row.row) }
      let end = sorter.end()
      found += end.rows
      (bound, passes) = (end.next, passes + 1)
    } while bound != nil && passes < 10_000
    return (found, passes)
  }

  @Test("a pass keeps as many rows as fit, and the passes find all rows, with equal keys in the order of the rows", arguments: 1...8)
  func passes(seed: Int) {
    let dice = SeededDice(seed: UInt64(seed))
    let rows = rows(300, dice)
    let due = rows.sorted { $0.key == $1.key ? $0.row < $1.row : $0.key.lexicographicallyPrecedes($1.key) }.map(\.row)
    for (most, room) in [(Int.max, Int.max), (1, .max), (40, .max), (.max, 1_500), (20, 200), (.max, 1)] {
      let found = sorted(rows, most: most, room: room)
      #expect(found.rows == due)
      #expect((found.passes == 1) == (most == .max && room == .max))
    }
  }

  @Test("text keys are in the order of their bytes, even with bytes that mark an end")
  func texts() {
    let texts = ["", "\u{0}", "\u{0}\u{0}", "\u{0}a", "\u{1}", "\u{1}\u{0}", "\u{2}", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "ab", "é"]
    let keys = texts.map { text in copy(of: [UInt8]()) { $0.append(ordered: text) } }
    for (one, other) in zip(keys, keys.dropFirst()) { #expect(one.lexicographicallyPrecedes(other)) }
    for one in keys { #expect(keys.filter { $0.starts(with: one) }.count == 1) }
  }

  @Test("the bytes of number keys are in the order of the numbers")
  func numbers() throws {
    let dice = SeededDice(seed: 5)
    let texts =
      ["0", "-0", "0.000", "1e1000000000", "-1e1000000000", "1e-1000000000", "9007199254740993", "9007199254740992"]
      + (0..<300).map { _ in
        let sign = dice.index(below: 2) == 0 ? "-" : ""
        return "\(sign)\(dice.index(below: 1_000)).\(dice.index(below: 100))e\(dice.index(below: 7) - 3)"
      }
    let numerals = try texts.map { try #require(Numeral($0)) }
    let keys = numerals.map { numeral in copy(of: [UInt8]()) { numeral.appendOrder(to: &$0) } }
    for one in texts.indices {
      for other in texts.indices {
        let isLess = keys[one].lexicographicallyPrecedes(keys[other])
        #expect(isLess == (numerals[one] < numerals[other]), "\(texts[one]) \(texts[other])")
        if numerals[one] != numerals[other] { #expect(!keys[other].starts(with: keys[one])) }
      }
    }
  }
}
