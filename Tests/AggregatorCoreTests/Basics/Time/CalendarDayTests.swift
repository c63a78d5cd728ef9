import AggregatorCore
import Testing

@Suite("Days of the calendar")
struct CalendarDayTests {
  @Test(
    "days have their place in the calendar",
    arguments: [
      ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11016), ("2000-03-01", 11017), ("1900-02-28", -25_509), ("1900-03-01", -25_508),
      ("2024-02-29", 19782), ("2038-01-19", 24855), ("0001-01-01", -719_162), ("0000-03-01", -719_468), ("9999-12-31", 2_932_896),
      ("1583-01-01", -141_349),
    ])
  func table(text: String, days: Int) throws {
    let day = try #require(CalendarDay(iso: text))
    #expect(day.daysSinceEpoch == days)
    #expect(day.description == text)
    #expect(CalendarDay(Moment(secondsSinceEpoch: days * 86_400)) == day)
    #expect(CalendarDay(Moment(secondsSinceEpoch: days * 86_400 + 86_399)) == day)
  }

  @Test("days follow one another for two hundred years, each a day after the one before")
  func roundTrip() {
    var last: CalendarDay?
    var wrong = 0
    for days in -36_524...36_525 {
      let day = CalendarDay(Moment(secondsSinceEpoch: days * 86_400))
      if day.daysSinceEpoch != days || CalendarDay(iso: day.description) != day { wrong += 1 }
      if let last, !(last < day) { wrong += 1 }
      last = day
    }
    #expect(wrong == 0)
  }

  @Test(
    "days that do not exist are refused",
    arguments: [
      "", "2024", "2024-1-1", "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-01", "2024-01-00", "24-01-01", "-024-01-01",
      "+024-01-01", "2024-+1-01", "2024-01-+1", "2024-01-011", "2024-01-01x", "2024/01/01", "２０２４-01-01",
    ])
  func refused(text: String) { #expect(CalendarDay(iso: text) == nil) }

  @Test("days are read from the beginning of a date with a time", arguments: ["2024-02-29T10:00:00Z", "2024-02-29 10:00", "2024-02-29"])
  func withTime(text: String) { #expect(CalendarDay(iso: text)?.description == "2024-02-29") }

  @Test(
    "whole years between two days are counted as birthdays count them",
    arguments: [
      ("2000-06-15", "2024-06-14", 23), ("2000-06-15", "2024-06-15", 24), ("2000-02-29", "2023-02-28", 22),
      ("2000-02-29", "2023-03-01", 23),
      ("2000-02-29", "2024-02-29", 24), ("2000-12-31", "2001-01-01", 0),
    ])
  func years(birth: String, later: String, years: Int) throws {
    #expect(try #require(CalendarDay(iso: birth)).years(until: #require(CalendarDay(iso: later))) == years)
  }
}

@Suite("Lengths of time as a person writes them")
struct DurationAmountTests {
  @Test(
    "lengths of time are read as a person writes them",
    arguments: [
      ("90", 90_000), ("1.5s", 1500), ("500ms", 500), ("30m", 1_800_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1w", 604_800_000),
      ("1H", 3_600_000), ("0", 0), ("1h30", 3_630_000),
    ])
  func read(text: String, milliseconds: Int) { #expect(Duration(amount: text) == .milliseconds(milliseconds)) }

  @Test(
    "lengths of time that make no sense are refused",
    arguments: ["", "h", "1y", "-1s", "1 h", "1,5s", "1e3", "..", "1.2.3", "s1", "99999999999", "+1s", "inf"])
  func refused(text: String) { #expect(Duration(amount: text) == nil) }

  @Test(
    "lengths of time are told in their two largest units",
    arguments: [
      (0, "0 ms"), (250, "250 ms"), (999, "999 ms"), (1000, "1 s"), (2500, "2.5 s"), (9949, "9.9 s"), (9950, "10 s"), (12_000, "12 s"),
      (59_999, "1 min"), (60_000, "1 min"), (90_000, "1 min 30 s"), (3_600_000, "1 h"), (12_000_000, "3 h 20 min"), (3_630_000, "1 h"),
      (86_400_000, "1 day"), (90_000_000, "1 day 1 h"), (604_800_000, "1 week"), (1_382_400_000, "2 weeks 2 days"),
    ])
  func told(milliseconds: Int, text: String) { #expect(Duration.milliseconds(milliseconds).inWords == text) }

  @Test(
    "the time since an event is told in its largest unit",
    arguments: [
      (-5000, "just now"), (400, "just now"), (1400, "1 s ago"), (12_000, "12 s ago"), (361_000, "6 min ago"), (12_000_000, "3 h ago"),
      (176_400_000, "2 days ago"),
    ])
  func ago(milliseconds: Int, text: String) { #expect(Duration.milliseconds(milliseconds).ago == text) }

  @Test(
    "lengths of time are told in words, however long",
    arguments: [Duration.seconds(Int.max), .seconds(Int.min), .seconds(clamping: .infinity), .seconds(1e18)])
  func longest(length: Duration) { #expect(!length.inWords.isEmpty && !length.ago.isEmpty) }

  @Test("computed lengths of time are limited, and are zero for what is not a number", arguments: [(1.5, 1.5), (.nan, 0), (1e300, 9e15)])
  func clamped(seconds: Double, kept: Double) { #expect(Duration.seconds(clamping: seconds).inSeconds == kept) }

  @Test("a length of time just below a second is told as a second")
  func rounded() { #expect(Duration.microseconds(999_600).inWords == "1 s") }
}
