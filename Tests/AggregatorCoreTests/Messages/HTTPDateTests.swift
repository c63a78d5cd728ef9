import AggregatorCore
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
  @Test(
    "are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
      ("Sun, 6 Nov 1994 8:49:37 GMT", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
  func read(text: String, seconds: Int) { #expect(HTTPDate.moment(text) == Moment(secondsSinceEpoch: seconds)) }

  @Test(
    "that are none are refused",
    arguments: [
      "", "GMT", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08:49:37:1 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
      "Sun, 29 Feb 2023 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun Nov 6 08:49:37 1994 GMT x",
    ])
  func refused(text: String) { #expect(HTTPDate.moment(text) == nil) }
}
