import AggregatorCore
import Recordings
import Services
import Testing

@testable import Authoring

/// A recorded request becomes one that a source can send.
@Suite struct TapedRequestTests {
  private static let key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"

  private func exchange(_ method: String, _ address: String, _ headers: [(String, String)] = [], _ body: String? = nil) throws -> Exchange {
    let headers = headers.map { HTTPResponse.Header($0.0, $0.1) }
    let request = TapedRequest(method, try #require(WebAddress(address)), headers: headers, body: body.map { Array($0.utf8) })
    return Exchange(request, startedAt: Moment(secondsSinceEpoch: 0))
  }

  @Test("keys are separated with their values, additions of browsers are dropped, and cookies are told and left out")
  func keys() throws {
    let recorded = try exchange(
      "GET", "https://api.example.com/boats?token=abc&page=1&t=1718000000000&key=\(Self.key)",
      [
        (":method", "GET"), ("Accept", "*/*"), ("Authorization", "Bearer \(Self.key)"), ("Cookie", "a=1"), ("Sec-Fetch-Site", "same-site"),
        ("Boats-Version", "2"), ("X-XSRF-TOKEN", Self.key), ("If-None-Match", "\"1\""),
      ])
    let named = try Fixture("boats.har", exchanges: [recorded]).namedRequest(recorded.request, sparing: ["token"])
    #expect(named.address.query == "token=abc&page=1")
    #expect(named.headers == [.init("Boats-Version", "2")])
    #expect(
      named.keys == [
        NamedKey(.query("key"), Secret(Self.key)), NamedKey(.header("Authorization", scheme: "Bearer"), Secret(Self.key)),
      ])
    #expect(
      named.notices == [
        "the recording was made with cookies, which are left out; a service that wants them needs the key header Cookie",
        "the header X-XSRF-TOKEN belongs to a page that is open in a browser; it is left out",
      ])
    #expect(SecretFinder().secrets(in: [recorded]).contains(Secret(Self.key)))
  }

  @Test("a key that the browser left out is known from the preflight request, and has no value")
  func preflight() throws {
    func permission(_ path: String, _ method: String, _ names: String) throws -> Exchange {
      try exchange(
        "OPTIONS", "https://api.example.com/\(path)",
        [("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", names)])
    }
    let recorded = try exchange("POST", "https://api.example.com/boats?page=1", [("X-Tenant", "a")], #"{"page":1}"#)
    let fixture = Fixture(
      "boats.har",
      exchanges: [
        try permission("boats?page=1", "POST", "authorization, content-type,x-api-key,x-tenant, X-Csrf-Token"),
        try permission("boats?page=2", "POST", "authorization"), try permission("boats", "GET", "x-auth-token"),
        try permission("others", "POST", "x-access-token"), recorded,
      ])
    let named = try fixture.namedRequest(recorded.request)
    #expect(named.keys == [NamedKey(.header("authorization", scheme: "Bearer")), NamedKey(.header("x-api-key", scheme: nil))])
    #expect(
      named.notices == [
        "the browser left the header authorization out of the recording; a Bearer token is assumed",
        "the browser left the header x-api-key out of the recording",
        "the header x-csrf-token belongs to a page that is open in a browser; it is left out",
      ])
    #expect(named.body == ["page": 1] && named.method == .post && named.headers == [.init("X-Tenant", "a")])
  }

  @Test(
    "signatures, tokens and sessions are keys; a place in the list and a short number or word are not",
    arguments: [
      ("X-Amz-Signature=\(key)&page=1", "page=1"), ("X-Goog-Credential=\(key)&page=1", "page=1"), ("sig=\(key)&page=1", "page=1"),
      ("auth=\(key)&page=1", "page=1"), ("page=1;api_key=\(key)", "page=1"), ("code=\(key)&page=1", "page=1"),
      ("my_api_key=1&page=1", "page=1"), ("password=abc&page=1", "page=1"),
      ("appid=440&page=1", "appid=440&page=1"), ("sig=md5&key=name", "sig=md5&key=name"), ("session=12", "session=12"),
      ("next_page_token=\(key)", "next_page_token=\(key)"), ("page_token=\(key)", "page_token=\(key)"),
      ("pageToken=\(key)", "pageToken=\(key)"), ("continuation_token=\(key)", "continuation_token=\(key)"),
      ("cursor=\(key)", "cursor=\(key)"),
    ])
  func names(query: String, rest: String) throws {
    let recorded = try exchange("GET", "https://api.example.com/boats?\(query)")
    let named = try Fixture("boats.har", exchanges: [recorded]).namedRequest(recorded.request)
    #expect(named.address.query == rest)
    #expect(named.keys.count == (query == rest ? 0 : 1))
  }

  @Test("the session in a path is left out, and this is told")
  func pathParameters() throws {
    let recorded = try exchange("GET", "https://api.example.com/fleet;v=2/boats;jsessionid=\(Self.key)?page=1")
    let named = try Fixture("boats.har", exchanges: [recorded]).namedRequest(recorded.request)
    #expect("\(named.address)" == "https://api.example.com/fleet;v=2/boats?page=1")
    #expect(named.keys == [] && named.notices == ["the path holds jsessionid, a key or a session, which is left out"])
    #expect(SecretFinder().secrets(in: [recorded]) == [Secret(Self.key)])
  }

  @Test("a scrubbed value is a key without a value")
  func scrubbed() throws {
    let recorded = try exchange(
      "GET", "https://api.example.com/boats?api_key=KEY", [("Authorization", "Bearer KEY"), ("x-api-key", Secret.mask)])
    let named = try Fixture("boats.har", exchanges: [recorded]).namedRequest(recorded.request)
    #expect(named.keys.map(\.value) == [nil, nil, nil])
  }

  @Test("a token for the next page in a body is not a key, and a body with any other token cannot be sent")
  func bodies() throws {
    let recorded = try exchange("POST", "https://api.example.com/graphql", [], #"{"variables":{"token":"9f8e7d6c"}}"#)
    let fixture = Fixture("boats.har", exchanges: [recorded])
    #expect(try fixture.namedRequest(recorded.request, sparing: ["variables.token"]).body != nil)
    #expect(throws: SourceError.self) { try fixture.namedRequest(recorded.request) }
    let put = try exchange("PUT", "https://api.example.com/boats")
    #expect(throws: SourceError.self) { try fixture.namedRequest(put.request) }
  }
}
