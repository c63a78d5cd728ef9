import AggregatorCore
import Testing

@Suite("Patience")
struct PatienceTests {
  /// Dice that always show the same.
  private struct Loaded: Dice {
    let face: UInt64
    func roll() -> UInt64 { face }
  }

  @Test(
    "waits double, between half and all of them", arguments: [(1, 150, 300), (2, 300, 600), (3, 600, 1200), (4, 1200, 2400)])
  func backoff(attempt: Int, least: Int, most: Int) throws {
    let patience = Patience(retries: 9)
    let low = try #require(patience.wait(after: attempt, retryAfter: nil, dice: Loaded(face: .min)))
    let high = try #require(patience.wait(after: attempt, retryAfter: nil, dice: Loaded(face: .max)))
    #expect(low == .milliseconds(least))
    #expect(high <= .milliseconds(most) && high > .milliseconds(most) - .microseconds(1))
  }

  @Test("no wait is longer than the longest, however many attempts came before", arguments: [8, 64, 10_000])
  func longest(attempt: Int) {
    let wait = Patience(retries: .max).wait(after: attempt, retryAfter: nil, dice: Loaded(face: .max))
    #expect(wait == .seconds(30))
  }

  @Test("the last attempt is followed by none, the one before it is", arguments: [(0, 1), (2, 3)])
  func last(retries: Int, attempt: Int) {
    let patience = Patience(retries: retries)
    #expect(patience.wait(after: attempt, retryAfter: .zero, dice: SystemDice()) == nil)
    #expect(patience.wait(after: attempt - 1, retryAfter: .zero, dice: SystemDice()) == .zero)
  }

  @Test("what a service asks for is kept up to the longest wait", arguments: [(0, true), (1, true), (30, true), (31, false)])
  func retryAfter(seconds: Int, isBorne: Bool) {
    let wait = Patience.usual.wait(after: 1, retryAfter: .seconds(seconds), dice: SystemDice())
    #expect(wait == (isBorne ? .seconds(seconds) : nil))
  }
}
