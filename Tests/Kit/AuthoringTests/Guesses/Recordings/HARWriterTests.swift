import AggregatorCore
import Authoring
import Recordings
import Testing

@Suite struct HARWriterTests {
  @Test("an archive of any tool is written and read back unchanged", arguments: ["chrome", "firefox", "mitmproxy", "safari"])
  func roundTrip(name: String) throws {
    var fixture = try Archive.fixture(name)
    // Files hold milliseconds.
    for index in fixture.exchanges.indices {
      let exchange = fixture.exchanges[index]
      let whole =
        (exchange.startedAt - Moment(secondsSinceEpoch: exchange.startedAt.seconds)).components.attoseconds / 1_000_000_000_000_000
      fixture.exchanges[index].startedAt = Moment(secondsSinceEpoch: exchange.startedAt.seconds) + .milliseconds(whole)
      fixture.exchanges[index].took = .milliseconds(7)
      // Kinds of other tools are read back as the nearest of ours.
      if exchange.failure?.kind.name == "unrecorded" { fixture.exchanges[index].failure = SourceError(.truncated, "gone") }
    }
    let again = try Fixture(har: fixture.har, name: fixture.name)
    #expect(again == fixture)
    #expect(again.har == fixture.har)
  }

  @Test("bodies of text are written to an archive as text, others as base64, byte for byte")
  func bodies() throws {
    let address = try #require(WebAddress("http://a/"))
    for body in [Array("\u{FEFF}{\"a\":\"\\u0000é\"}\r\n\u{0}".utf8), [0xFF, 0, 1], [0xED, 0xA0, 0x80], []] {
      let exchange = Exchange(
        TapedRequest("POST", address, body: body.isEmpty ? nil : body), HTTPResponse(status: 200, body: body),
        startedAt: Moment(secondsSinceEpoch: 0))
      let read = try Fixture(har: Fixture("a", exchanges: [exchange]).har, name: "a")
      #expect(read.exchanges == [exchange])
    }
  }

  @Test("a written archive is pretty-printed, and has all members that HAR 1.2 demands")
  func golden() throws {
    let exchange = Exchange(
      TapedRequest("GET", try #require(WebAddress("https://example.com/x?a=1")), headers: [.init("Accept", "*/*")]),
      HTTPResponse(status: 200, headers: [.init("Content-Type", "text/plain"), .init("Content-Length", "99")], body: Array("a\"b\n".utf8)),
      startedAt: Moment(sinceEpoch: .seconds(1_767_323_045) + .microseconds(678_900)), took: .microseconds(1500))
    let expected = """
      {
        "log": {
          "version": "1.2",
          "creator": {"name": "aggregator", "version": "1"},
          "entries": [
            {
              "startedDateTime": "2026-01-02T03:04:05.678Z",
              "time": 1.5,
              "request": {
                "method": "GET",
                "url": "https://example.com/x?a=1",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": [
                  {"name": "Accept", "value": "*/*"}
                ],
                "queryString": [
                  {"name": "a", "value": "1"}
                ],
                "headersSize": -1,
                "bodySize": 0
              },
              "response": {
                "status": 200,
                "statusText": "",
                "httpVersion": "HTTP/1.1",
                "cookies": [],
                "headers": [
                  {"name": "Content-Type", "value": "text/plain"}
                ],
                "content": {"size": 4, "mimeType": "text/plain", "text": "a\\"b\\n"},
                "redirectURL": "",
                "headersSize": -1,
                "bodySize": -1
              },
              "cache": {},
              "timings": {"send": 0, "wait": 1.5, "receive": 0}
            }
          ]
        }
      }

      """
    #expect(String(decoding: Fixture("x", exchanges: [exchange]).har, as: UTF8.self) == expected)
  }
}
