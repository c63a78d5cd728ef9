import AggregatorCore
import SourceTesting
import Testing

@testable import Asking

/// Two values compare as their bytes sort.
@Suite("Compared values") struct ComparedValueTests {
  @Test("numbers and times compare without bytes as they sort by bytes")
  func bytes() throws {
    let dice = SeededDice(seed: 65)
    let numbers = ["0", "-0", "0.0", "1", "-1", "10", "9", "0.5", "-0.05", "1e3", "-1e3", "999.99", "1000", "\(Int.min)", "\(Int.max)"]
    let times = ["2020", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "1969-12-31T23:59:59.5Z", "9999-12-31", "0000-01-01"]
    func key(_ value: ComparedValue) -> [UInt8] { copy(of: []) { value.appendOrder(to: &$0) } }
    for _ in 0..<5_000 {
      let pair = try (0..<2).map { _ in
        let index = dice.index(below: numbers.count + times.count)
        let value =
          index < numbers.count
          ? ComparedValue(numbers[index], .number) : ComparedValue(times[index - numbers.count], .time)
        return try #require(value)
      }
      #expect((pair[0] < pair[1]) == key(pair[0]).lexicographicallyPrecedes(key(pair[1])), "\(pair)")
    }
  }
}
