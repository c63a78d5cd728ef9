import AggregatorCore
import Testing

@testable import SourceTesting

private let key = #"s3/cret "k\y&+é~"#

/// The key in every spelling that a service may send back.
private let spellings: [String] =
  [key, PercentEncoding.query(key), PercentEncoding.query(key).lowercased(), PercentEncoding.query(PercentEncoding.query(key))]
  + [#"s3%2fcret+%22k%5Cy%26%2b%C3%A9~"#]
  + [#"s3\/cret \"k\\y&+é~"#, #"s3\u002fcret\u0020\u0022k\u005Cy\u0026\u002B\u00E9\u007e"#, #"s3\\\/cret \\\"k\\\\y&+é~"#]
  + ["s3/cret &quot;k\\y&amp;+&#233;~", "s3&#x2F;cret &#34;k\\y&#38;+&#xE9;~"]
  + [key.utf8.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()]

@Suite struct ScrubberTests {
  @Test("finds the key in every spelling, wherever it stands", arguments: spellings)
  func anySpelling(spelling: String) {
    let scrubber = Scrubber([Secret(key)])
    #expect(scrubber.scrub(spelling) == "KEY")
    #expect(scrubber.scrub("a\(spelling)b, \(spelling)") == "aKEYb, KEY")
    #expect(scrubber.finds(in: Array("<\(spelling)>".utf8)))
    #expect(!scrubber.finds(in: Array("<\(spelling.dropLast())>".utf8)))
  }

  @Test("finds the key in base64, whatever stands around it", arguments: 0..<12)
  func base64(before: Int) {
    let scrubber = Scrubber([Secret(key)])
    let text = Base64.encode(Array(String(repeating: "x", count: before).utf8) + Array(key.utf8) + Array("tail".utf8))
    #expect(scrubber.scrub("a: \(text); b") == "a: KEY; b")
    let safe = text.replacingEach("+", with: "-").replacingEach("/", with: "_")
    #expect(scrubber.finds(in: Array(safe.utf8)))
    #expect(scrubber.finds(in: Array(PercentEncoding.query(text).utf8)))
  }

  @Test("a short secret is found where it stands alone, and no part of a word")
  func short() {
    let scrubber = Scrubber([Secret("ab1")])
    #expect(
      scrubber.scrub(#"key=ab1&label=lab1, "ab1", %22ab1%22 ab12, \nab1, \u0022ab1"#)
        == #"key=KEY&label=lab1, "KEY", %22KEY%22 ab12, \nKEY, \u0022KEY"#)
  }

  @Test("of two secrets that share letters both go")
  func nested() {
    let scrubber = Scrubber([Secret("secret"), Secret("secret-longer"), Secret("")])
    #expect(scrubber.scrub("secret-longer secret secretly") == "KEY KEY KEYly")
  }

  @Test("what holds no secret stays as it is, bytes that are no text too")
  func untouched() {
    let scrubber = Scrubber([Secret(key)])
    let bytes: [UInt8] = Array("%2 \\u00 &# %%%".utf8) + [0xFF, 0xC3, 0x5C]
    #expect(scrubber.scrub(bytes) == bytes)
    #expect(Scrubber([]).scrub(bytes) == bytes)
    #expect(scrubber.scrub([0xFF] + Array(key.utf8) + [0xFE]) == [0xFF] + Array("KEY".utf8) + [0xFE])
  }

  @Test("shows no secret by itself, however it is printed")
  func silent() {
    let scrubber = Scrubber([Secret(key)])
    var dumped = ""
    dump(scrubber, to: &dumped)
    for text in ["\(scrubber)", String(reflecting: scrubber), dumped] { #expect(!text.contains("scalar") && !text.contains("cret")) }
  }

  @Test("an export is freed of cookies, credentials and what is called a key")
  func export() throws {
    var exchange = try Exchange("https://a/x?api_key=1&q=2", HTTPResponse("{}", headers: ["Set-Cookie": "s=1", "Date": "today"]))
    exchange.request.headers = [.init("Cookie", "s=1"), .init("authorization", "Bearer 1"), .init("Accept", "*/*")]
    let scrubbed = Fixture("a", exchanges: [exchange]).scrubbed().exchanges[0]
    #expect(scrubbed.request.address.description == "https://a/x?api_key=KEY&q=2")
    #expect(scrubbed.request.headers == [.init("Cookie", "KEY"), .init("authorization", "KEY"), .init("Accept", "*/*")])
    #expect(scrubbed.response.headers == [.init("Set-Cookie", "KEY"), .init("Date", "today")])
  }
}
