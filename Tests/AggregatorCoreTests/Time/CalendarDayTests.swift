import AggregatorCore
import Testing

@Suite("Days of the calendar")
struct CalendarDayTests {
  @Test(
    "stand where the calendar has them",
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

  @Test("follow one another for two hundred years, each a day after the one before")
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
    "that there are none are refused",
    arguments: [
      "", "2024", "2024-1-1", "2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "2024-00-01", "2024-01-00", "24-01-01", "-024-01-01",
      "+024-01-01", "2024-+1-01", "2024-01-+1", "2024-01-011", "2024-01-01x", "2024/01/01", "２０２４-01-01",
    ])
  func refused(text: String) { #expect(CalendarDay(iso: text) == nil) }

  @Test("are read from the beginning of a date with a time", arguments: ["2024-02-29T10:00:00Z", "2024-02-29 10:00", "2024-02-29"])
  func withTime(text: String) { #expect(CalendarDay(iso: text)?.description == "2024-02-29") }

  @Test(
    "count whole years as birthdays do",
    arguments: [
      ("2000-06-15", "2024-06-14", 23), ("2000-06-15", "2024-06-15", 24), ("2000-02-29", "2023-02-28", 22),
      ("2000-02-29", "2023-03-01", 23),
      ("2000-02-29", "2024-02-29", 24), ("2000-12-31", "2001-01-01", 0),
    ])
  func years(birth: String, later: String, years: Int) throws {
    #expect(try #require(CalendarDay(iso: birth)).years(until: #require(CalendarDay(iso: later))) == years)
  }
}
