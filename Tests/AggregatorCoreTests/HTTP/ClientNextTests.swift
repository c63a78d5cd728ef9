import AggregatorCore
import SourceTesting
import Testing

@Suite("The address of a next page")
struct ClientNextTests {
  private let transport = StubTransport { _, _ in HTTPResponse(status: 200) }

  private func client() throws -> Client {
    Client(try #require(WebAddress("https://a.example/api/")), over: transport, query: [.init("key", .secret(Secret("k1")))])
  }

  @Test("is a place without the key that the service repeats in it")
  func scrubbed() throws {
    #expect(try client().next("https://a.example/api/ports?key=k1&after=3") == .token("https://a.example/api/ports?after=3"))
    #expect(try client().next("ports?key=k1") == .token("https://a.example/api/ports"))
    #expect(try client().next(nil) == .end)
  }

  @Test("is asked for with the key, marked as one")
  func asked() throws {
    let request = try client().request(following: "https://a.example/api/ports?after=3")
    #expect(request.wireAddress.shown == "https://a.example/api/ports?after=3&key=k1")
    #expect(!request.description.contains("k1"))
  }

  @Test("on another host is none", arguments: ["https://b.example/", "//b.example/ports", "http://a.example/api/", "javascript:x"])
  func foreign(address: String) { #expect(throws: SourceError.self) { try client().next(address) } }
}
