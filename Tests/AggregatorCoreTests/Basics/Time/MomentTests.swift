import AggregatorCore
import Testing

@Suite("Points in time")
struct MomentTests {
  @Test(
    "moments are told in whole seconds rounded down, before 1970 too", arguments: [(1500, 1), (-1, -1), (-1000, -1), (-1001, -2), (0, 0)])
  func seconds(milliseconds: Int, seconds: Int) {
    #expect(Moment(sinceEpoch: .milliseconds(milliseconds)).seconds == seconds)
  }

  @Test("moments are moved by lengths of time and lie lengths of time apart")
  func arithmetic() {
    let moment = Moment(secondsSinceEpoch: 100)
    #expect(moment + .seconds(5) - moment == .seconds(5))
    #expect(moment - .seconds(5) < moment)
  }

  @Test(
    "moments are counted with, written and stored, however far away",
    arguments: [Int.min, .min + 1, -99_999_999_999, 10_413_792_000, 253_402_300_800, .max - 1, .max])
  func farAway(seconds: Int) {
    let moment = Moment(secondsSinceEpoch: seconds)
    let other = Moment(secondsSinceEpoch: 0)
    #expect(Moment(nanoseconds: moment.nanoseconds).nanoseconds == moment.nanoseconds)
    #expect(!moment.iso.isEmpty && !(moment - other).inWords.isEmpty && !(other - moment).inWords.isEmpty)
    #expect(((moment + .seconds(Int.max)) - (moment - .seconds(Int.max))).inSeconds > 0)
    #expect((moment.nanoseconds < 0) == (seconds < 0))
  }
}

@Suite("Dice")
struct DiceTests {
  @Test("dice of the same seed show the same faces on every machine")
  func seeded() {
    let dice = SeededDice(seed: 1234567)
    #expect((0..<3).map { _ in dice.roll() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test("dice give every index below the bound and no other", arguments: [1, 2, 3, 10])
  func indices(bound: Int) {
    let dice = SeededDice(seed: 1)
    #expect(Set((0..<300).map { _ in dice.index(below: bound) }) == Set(0..<bound))
  }

  @Test("dice give fractions from 0 up to, not including, 1")
  func fractions() {
    struct Loaded: Dice {
      let face: UInt64
      func roll() -> UInt64 { face }
    }
    #expect(Loaded(face: .min).fraction() == 0)
    #expect(Loaded(face: .max).fraction() < 1)
    #expect(Loaded(face: .max).index(below: 7) == 6)
  }
}

@Suite struct MomentISOTests {
  @Test(
    "moments are read from dates with zones and fractions",
    arguments: [
      ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"), ("2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123Z"),
      ("2026-01-02T00:04:05,5+01:00", "2026-01-01T23:04:05.500Z"), ("2026-01-02T03:04:05.1-0530", "2026-01-02T08:34:05.100Z"),
      ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000Z"), ("2026-01-02 03:04", "2026-01-02T03:04:00.000Z"),
      ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ])
  func reads(text: String, expected: String) throws { #expect(try #require(Moment(iso: text)).iso == expected) }

  @Test(
    "a text that is not a moment is refused",
    arguments: [
      "", "2026-01-02", "2026-02-30T00:00:00Z", "2026-01-02T", "2026-01-02T3:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
      "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Zulu", "2026-01-02T03:04:05+", "2026-01-02T03:04:05+1", "2026-01-02T03:04:05+15:00",
      "2026-01-02X03:04:05Z",
    ])
  func refuses(text: String) { #expect(Moment(iso: text) == nil) }

  @Test(
    "a time has one text for all its spellings, with all digits that count, and another one without a zone",
    arguments: [
      ("2026-01-02T03:04:00Z", "2026-01-02T03:04:00Z"), ("2026-01-02T03:04Z", "2026-01-02T03:04:00Z"),
      ("2026-01-02 03:04:00.000Z", "2026-01-02T03:04:00Z"), ("2026-01-02t03:04:00,0z", "2026-01-02T03:04:00Z"),
      ("2026-01-02T04:04:00.0+01:00", "2026-01-02T03:04:00Z"), ("2026-01-02T03:04:00.10Z", "2026-01-02T03:04:00.1Z"),
      ("2026-01-02T03:04:00.0000000001Z", "2026-01-02T03:04:00.0000000001Z"), ("1969-12-31T23:59:59.50Z", "1969-12-31T23:59:59.5Z"),
      ("2026-01-02 03:04", "2026-01-02T03:04:00"), ("2026-01-02", "2026-01-02"), ("soon", "soon"),
    ])
  func oneSpelling(text: String, expected: String) { #expect(Moment.inOneSpelling(iso: text) == expected) }
}

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test(
    "HTTP dates are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
      ("Sun, 6 Nov 1994 8:49:37 GMT", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
  func read(text: String, seconds: Int) { #expect(HTTPDate.moment(text) == Moment(secondsSinceEpoch: seconds)) }

  @Test(
    "HTTP dates that make no sense are refused",
    arguments: [
      "", "GMT", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08:49:37:1 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
      "Sun, 29 Feb 2023 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun Nov 6 08:49:37 1994 GMT x",
    ])
  func refused(text: String) { #expect(HTTPDate.moment(text) == nil) }
}
