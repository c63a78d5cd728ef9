import AggregatorCore
import SourceTesting
import Testing

@Suite struct ScrubbedExchangeTests {
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
