import AggregatorCore
import Authoring
import Platform
import Recordings
import Testing

@Suite struct HARReaderTests {
  @Test("archives of Chrome are read without pseudo-headers, headers of the wire and data addresses; forms are put together")
  func chrome() throws {
    let fixture = try Archive.fixture("chrome")
    try #require(fixture.exchanges.count == 3)
    let first = fixture.exchanges[0]
    #expect(first.request.address.description == "https://example.com/api/ports?offset=0&limit=2&q=k%C3%B6ln%20b")
    #expect(first.request.headers == [.init("accept", "*/*"), .init("cookie", "session=1")])
    #expect(first.response.headers == [.init("content-type", "application/json; charset=utf-8")])
    #expect(first.response.body == Array(#"{"ports":["Köln","Rom"]}"#.utf8))
    #expect(first.startedAt == Moment(sinceEpoch: .seconds(1_767_323_045) + .milliseconds(123)))
    #expect(abs(first.took.inSeconds - 0.143899) < 0.000001)
    #expect(fixture.exchanges[1].request.body == Array("text=a%20b%26c&page=1".utf8))
  }

  @Test("a failed request in an archive is a failure, and keeps the words of any tool")
  func failures() throws {
    let failure = try Archive.fixture("chrome").exchanges[1].failure
    #expect(failure?.kind == .interrupted && failure?.message == "the recorded request failed (net::ERR_INTERNET_DISCONNECTED)")
    #expect(try Archive.fixture("mitmproxy").exchanges[1].failure?.kind == .interrupted)
    #expect(try Archive.fixture("mitmproxy").exchanges[0].failure == nil)
  }

  @Test("a body that the browser no longer had is not an empty one")
  func evictedBody() throws {
    let failure = try #require(try Archive.fixture("chrome").exchanges[2].failure)
    #expect(failure.kind.name == "unrecorded")
    #expect(failure.message.hasSuffix("chrome.har: log.entries[3].response.content.text: the body of 5000 bytes was not exported"))
  }

  @Test("archives of Firefox are read, with zones, fractions, base64 and a body beside empty params")
  func firefox() throws {
    let fixture = try Archive.fixture("firefox")
    let start = Moment(secondsSinceEpoch: 1_767_323_045)
    #expect(fixture.exchanges.map { $0.startedAt - start } == [.milliseconds(123), .nanoseconds(987_654_321)])
    #expect(fixture.exchanges[0].request.body == Array(#"{"query":"{a}"}"#.utf8))
    #expect(fixture.exchanges[0].response.status == 302)
    #expect(fixture.exchanges[0].response.headers == [.init("location", "/elsewhere")])
    #expect(fixture.exchanges[1].response.body == [0x47, 0x49, 0xFF, 0])
  }

  @Test("archives of Safari and mitmproxy are read")
  func others() throws {
    let safari = try Archive.fixture("safari").exchanges[0]
    #expect(safari.response.body == Array("<!DOCTYPE html>\n".utf8))
    #expect(safari.response.headers == [.init("Content-Type", "text/html")])
    let put = try Archive.fixture("mitmproxy").exchanges[0]
    #expect(put.request.method == "PUT")
    #expect(put.request.body == Array("a=b".utf8))
    #expect(put.response.headers == [.init("Set-Cookie", "a=b; path=/")])
    #expect(put.took == .milliseconds(155))
  }

  @Test("an archive is read without its optional members")
  func minimal() throws {
    let fixture = try Fixture(
      har: Array(
        entry(
          #""request":{"method":"get","url":"http://a/b","queryString":[{"name":"q","value":"ä b"}]}"#, #""response":{"status":204}"#
        ).utf8), name: "m.har")
    #expect(fixture.exchanges.map(\.request) == [TapedRequest("GET", try #require(WebAddress("http://a/b?q=%C3%A4%20b")))])
    #expect(fixture.exchanges.map(\.response) == [HTTPResponse(status: 204)])
  }

  @Test(
    "an error in an archive names the file and the place in it",
    arguments: [
      ("[]", "expected an object"), ("{\"log\":{}}", "log: the member entries is missing"),
      ("{\"log\":{\"entries\":[1]}}", "log.entries[0]: expected an object"),
      (entry(#""request":{"method":"GET","url":null}"#), "log.entries[0].request.url: expected a string, found null"),
      (entry(#""request":{"method":"GET","url":"example.com"}"#), "log.entries[0].request.url: this is not an http or https address"),
      (
        entry(#""request":{"method":"GET","url":"https://u:s3cret@example.com/"}"#),
        "log.entries[0].request.url: an address with a user part (USER:PASSWORD@) is not supported; remove that part from the file"
      ),
      (entry(#""request":{"url":"http://a/"}"#), "log.entries[0].request: the member method is missing"),
      (entry(request, #""response":{}"#), "log.entries[0].response: the member status is missing"),
      (
        entry(request, #""response":{"status":200,"content":{"text":"é","encoding":"base64"}}"#),
        "log.entries[0].response.content.text: this is not base64"
      ),
      (
        entry(request, #""response":{"status":200,"content":{"text":"é","encoding":"rot13"}}"#),
        "log.entries[0].response.content.encoding: \"rot13\" is not supported"
      ),
      (entry(request, start: "yesterday"), "log.entries[0].startedDateTime: this is not a date"),
    ] as [(String, String)])
  func errors(text: String, complaint: String) throws {
    let error = try #require(throws: SourceError.self) { try Fixture(har: Array(text.utf8), name: "spider.har") }
    #expect(error.kind == .malformed)
    #expect(error.message.hasPrefix("spider.har: \(complaint)"))
  }

}

private let request = #""request":{"method":"GET","url":"http://a/"}"#

/// An archive of one entry.
private func entry(_ request: String, _ response: String = #""response":{"status":200}"#, start: String = "2026-01-02T03:04:05Z") -> String
{
  #"{"log":{"entries":[{"startedDateTime":"\#(start)",\#(request),\#(response)}]}}"#
}

@Suite struct FixtureFolderTests {
  @Test("a folder of archives gives them by name")
  func folder() throws {
    let names = try Fixture.load(folder: Archive.folder).compactMap { $0.name.split(separator: "/").last }
    #expect(names == ["chrome.har", "firefox.har", "mitmproxy.har", "safari.har"])
  }

  @Test("a folder that does not exist, or has no archive, is an error that says what to type", arguments: ["/nowhere/to be seen", "/dev"])
  func missing(folder: String) throws {
    let error = try #require(throws: SourceError.self) { try Fixture.load(folder: folder) }
    #expect(error.kind == .settings)
    #expect(error.remedy == .give([.init("record", folder)], "to record one"))
  }
}

/// Archives beside these tests, in the shapes that other tools write.
enum Archive {
  static let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Archives"

  static func fixture(_ name: String) throws -> Fixture { try Fixture(contentsOf: "\(folder)/\(name).har") }
}
