import AggregatorCore
import Testing

@Suite("Lengths of time as a person writes them")
struct DurationAmountTests {
  @Test(
    "are read",
    arguments: [
      ("90", 90_000), ("1.5s", 1500), ("500ms", 500), ("30m", 1_800_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1w", 604_800_000),
      ("1H", 3_600_000), ("0", 0), ("1h30", 3_630_000),
    ])
  func read(text: String, milliseconds: Int) { #expect(Duration(amount: text) == .milliseconds(milliseconds)) }

  @Test(
    "that are none are refused", arguments: ["", "h", "1y", "-1s", "1 h", "1,5s", "1e3", "..", "1.2.3", "s1", "99999999999", "+1s", "inf"])
  func refused(text: String) { #expect(Duration(amount: text) == nil) }

  @Test(
    "are written in their two largest units",
    arguments: [
      (0, "0ms"), (250, "250ms"), (999, "999ms"), (1000, "1s"), (12_000, "12s"), (59_999, "1m"), (60_000, "1m"), (90_000, "1m30s"),
      (3_600_000, "1h"), (12_000_000, "3h20m"), (86_400_000, "1d"), (90_000_000, "1d1h"), (604_800_000, "1w"), (691_200_000, "1w1d"),
    ])
  func written(milliseconds: Int, text: String) { #expect(Duration.milliseconds(milliseconds).amount == text) }

  @Test(
    "however long are written", arguments: [Duration.seconds(Int.max), .seconds(Int.min), .seconds(clamping: .infinity), .seconds(1e18)])
  func longest(length: Duration) { #expect(!length.amount.isEmpty) }

  @Test("that were worked out are never too long, and none where they are no number", arguments: [(1.5, 1.5), (.nan, 0), (1e300, 9e15)])
  func clamped(seconds: Double, kept: Double) { #expect(Duration.seconds(clamping: seconds).inSeconds == kept) }

  @Test("just below a second is a second")
  func rounded() { #expect(Duration.microseconds(999_600).amount == "1s") }

  @Test("read back what they wrote, where that was all of it", arguments: [0, 1, 250, 1000, 59_000, 60_000, 90_000, 5_400_000, 90_000_000])
  func roundTrip(milliseconds: Int) {
    let length = Duration.milliseconds(milliseconds)
    #expect(Duration(amount: length.amount) == length)
  }
}
