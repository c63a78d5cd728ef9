import AggregatorCore
import Testing

@Suite("Secrets")
struct SecretTests {
  private let secret = Secret("hunter2 é")

  private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("show in no way of printing them, alone or inside something else")
  func printing() throws {
    var request = try HTTPRequest.to("http://a/", query: [.init("key", .secret(secret))])
    request.headers = [.init("X-Key", .secret(secret))]
    let client = Client(request.address, over: Silent(), query: request.query, headers: request.headers)
    let settings = Settings(declared: [Setting("KEY", .secret, "a key")], flags: ["KEY": secret.reveal()])
    let values: [Any] = [
      secret, Optional(secret) as Any, [secret], ["a": secret], request, request.query, Event.requestSent(request), client, settings,
      SourceError(.refusedKey, "the key \(secret) was refused"), Result<Secret, any Error>.success(secret),
    ]
    for value in values {
      for text in ["\(value)", String(describing: value), String(reflecting: value), dumped(value)] {
        #expect(!text.contains("hunter2"), "\(type(of: value))")
      }
    }
  }

  private struct Silent: Transport {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 204) }
  }

  @Test("go on the wire as they are, and only there")
  func wire() throws {
    let request = try HTTPRequest.to("http://a/", query: [.init("key", .secret(secret)), .init("q", "1")])
    #expect(request.wireAddress.description == "http://a/?key=hunter2%20%C3%A9&q=1")
    #expect(request.shownAddress == "http://a/?key=•••&q=1")
    #expect(request.secrets == [secret])
  }
}
