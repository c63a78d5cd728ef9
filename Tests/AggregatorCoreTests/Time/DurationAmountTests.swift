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
    "are told in their two largest units",
    arguments: [
      (0, "0 ms"), (250, "250 ms"), (999, "999 ms"), (1000, "1 s"), (2500, "2.5 s"), (9949, "9.9 s"), (9950, "10 s"), (12_000, "12 s"),
      (59_999, "1 min"), (60_000, "1 min"), (90_000, "1 min 30 s"), (3_600_000, "1 h"), (12_000_000, "3 h 20 min"), (3_630_000, "1 h"),
      (86_400_000, "1 day"), (90_000_000, "1 day 1 h"), (604_800_000, "1 week"), (1_382_400_000, "2 weeks 2 days"),
    ])
  func told(milliseconds: Int, text: String) { #expect(Duration.milliseconds(milliseconds).inWords == text) }

  @Test(
    "since something happened are told in their largest unit",
    arguments: [
      (-5000, "just now"), (400, "just now"), (1400, "1 s ago"), (12_000, "12 s ago"), (361_000, "6 min ago"), (12_000_000, "3 h ago"),
      (176_400_000, "2 days ago"),
    ])
  func ago(milliseconds: Int, text: String) { #expect(Duration.milliseconds(milliseconds).ago == text) }

  @Test(
    "however long are written", arguments: [Duration.seconds(Int.max), .seconds(Int.min), .seconds(clamping: .infinity), .seconds(1e18)])
  func longest(length: Duration) { #expect(!length.inWords.isEmpty && !length.ago.isEmpty) }

  @Test("that were worked out are never too long, and none where they are no number", arguments: [(1.5, 1.5), (.nan, 0), (1e300, 9e15)])
  func clamped(seconds: Double, kept: Double) { #expect(Duration.seconds(clamping: seconds).inSeconds == kept) }

  @Test("just below a second is a second")
  func rounded() { #expect(Duration.microseconds(999_600).inWords == "1 s") }
}
