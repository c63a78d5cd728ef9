import AggregatorCore
import Testing

@testable import SourceVerification

@Suite struct ISOTests {
  @Test(
    "reads dates with zones and fractions",
    arguments: [
      ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"), ("2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123Z"),
      ("2026-01-02T00:04:05,5+01:00", "2026-01-01T23:04:05.500Z"), ("2026-01-02T03:04:05.1-0530", "2026-01-02T08:34:05.100Z"),
      ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000Z"), ("2026-01-02 03:04", "2026-01-02T03:04:00.000Z"),
      ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ])
  func reads(text: String, expected: String) throws {
    #expect(try #require(Moment(iso: text)).iso == expected)
  }

  @Test(
    "refuses what is none",
    arguments: [
      "", "2026-01-02", "2026-02-30T00:00:00Z", "2026-01-02T", "2026-01-02T3:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
      "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Zulu", "2026-01-02T03:04:05+", "2026-01-02T03:04:05+1", "2026-01-02T03:04:05+15:00",
      "2026-01-02X03:04:05Z",
    ])
  func refuses(text: String) { #expect(Moment(iso: text) == nil) }
}
