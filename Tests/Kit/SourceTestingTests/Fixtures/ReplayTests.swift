import AggregatorCore
import SourceTesting
import Testing

@Suite struct ReplayTests {
  private func replay(_ exchanges: Exchange..., repeatsLast: Bool = false, hiding secrets: [Secret] = []) -> Replay {
    Replay(Fixture("fixtures/ports.har", exchanges: exchanges), hiding: secrets, repeatsLast: repeatsLast)
  }

  @Test("the same request gets its answers in the recorded order, and then no more")
  func order() async throws {
    let replay = try replay(
      Exchange("http://a/x", HTTPResponse("slow down", status: 429)), Exchange("http://a/y", HTTPResponse("y"), at: 1),
      Exchange("http://a/x", HTTPResponse("x"), at: 2))
    #expect(try await replay.send(.to("http://a/x")).status == 429)
    #expect(try await replay.send(.to("http://a/x")).text == "x")
    #expect(replay.report.unused.map(\.description) == ["GET http://a/y (2023-11-14T22:13:21.000Z, fixtures/ports.har)"])
    #expect(try await replay.send(.to("http://a/y")).text == "y")
    #expect(replay.report.isClean)
    let error = try await failure(replay, .to("http://a/x"))
    #expect(error.message == "GET http://a/x was recorded 2 times but requested again")
    #expect(replay.report.unmatched == [error])
  }

  @Test("the last answer repeats if that is asked for")
  func repeats() async throws {
    let replay = try replay(Exchange("http://a/x", HTTPResponse("1")), Exchange("http://a/x", HTTPResponse("2")), repeatsLast: true)
    var seen: [String] = []
    for _ in 0..<4 { try await seen.append(replay.send(.to("http://a/x")).text) }
    #expect(seen == ["1", "2", "2", "2"])
  }

  @Test(
    "a query is compared as pairs in any order, each as often as it occurs",
    arguments: [("a=1&b=2", true), ("b=2&a=1", true), ("a=%31&b=2", true), ("a=1&b=2&b=2", false), ("a=1", false), ("a=1&b=3", false)])
  func query(query: String, fits: Bool) async throws {
    let replay = try replay(Exchange("http://a/x?b=2&a=1", HTTPResponse("x")))
    let result = try? await replay.send(.to("http://a/x?\(query)"))
    #expect((result != nil) == fits)
  }

  @Test(
    "another method, scheme, host, port or path is another request",
    arguments: ["https://a/x", "http://b/x", "http://a:81/x", "http://a/X", "http://a/x/"])
  func place(address: String) async throws {
    let replay = try replay(Exchange("http://a/x", HTTPResponse("x")))
    _ = try await failure(replay, .to(address))
    var post = try HTTPRequest.to("http://a/x")
    post.method = .post
    #expect(try await failure(replay, post).message.hasSuffix("; the closest in ports.har has GET instead of POST"))
  }

  @Test("a secret fits any recorded value in its place, but not a missing one")
  func secret() async throws {
    let replay = try replay(
      Exchange("http://a/x?key=KEY&q=1", HTTPResponse("scrubbed")), Exchange("http://a/y?key=0therkey", HTTPResponse("exported")),
      Exchange("http://a/z", HTTPResponse("keyless")))
    let key = [HTTPRequest.Item("key", .secret(Secret("s3cret")))]
    #expect(try await replay.send(.to("http://a/x?q=1", key)).text == "scrubbed")
    #expect(try await replay.send(.to("http://a/y", key)).text == "exported")
    let error = try await failure(replay, .to("http://a/z", key))
    #expect(error.message == "GET http://a/z was not recorded; the closest in ports.har has no key=KEY")
    #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("0therkey"))
  }

  @Test("a secret in the path, in a plain value or in the body fits its placeholder")
  func scrubbed() async throws {
    let replay = try replay(
      Exchange("http://a/KEY/x?q=KEY", HTTPResponse("ok"), method: "POST", body: Array(#"{"token":"KEY"}"#.utf8)),
      hiding: [Secret("s3cret")])
    var request = try HTTPRequest.to("http://a/s3cret/x?q=s3cret")
    request.method = .post
    request.body = Array(#"{"token":"s3cret"}"#.utf8)
    #expect(try await replay.send(request).text == "ok")
  }

  @Test(
    "bodies are compared by their meaning",
    arguments: [
      (#"{"b":[1,2.0],"a":"é"}"#, #"{ "a": "\u00e9", "b": [1.0, 2] }"#, "", true), (#"[1,2]"#, #"[2,1]"#, "", false),
      ("a=1&b=x%20y", "b=x+y&a=1", "application/x-www-form-urlencoded", true), ("a=1&b=2", "b=2&a=1", "text/plain", false),
      ("plain", "plain", "", true), ("plain", "Plain", "", false), ("", "x", "", false),
    ] as [(String, String, String, Bool)])
  func bodies(recorded: String, asked: String, type: String, fits: Bool) async throws {
    var exchange = try Exchange("http://a/", HTTPResponse("ok"), method: "POST", body: Array(recorded.utf8))
    exchange.request.headers = [.init("content-type", type)]
    var request = try HTTPRequest.to("http://a/")
    request.method = .post
    request.body = Array(asked.utf8)
    request.headers = [.init("Content-Type", .plain(type))]
    let result = try? await replay(exchange).send(request)
    #expect((result != nil) == fits)
  }

  @Test("an unmatched request is shown, with its difference from the nearest and what to type")
  func unmatched() async throws {
    let replay = try replay(
      Exchange("http://b/x?offset=0&limit=2", HTTPResponse("far")), Exchange("http://a/x?offset=0&limit=2", HTTPResponse("near")),
      Exchange("http://a/y?offset=2&limit=2", HTTPResponse("other path")))
    let error = try await failure(replay, .to("http://a/x?offset=2&limit=2&q=a"))
    #expect(
      error.description
        == "GET http://a/x was not recorded; the closest in ports.har has offset=0 instead of 2, no q=a; give record=fixtures to record it"
    )
    #expect(
      try await failure(Replay([]), .to("http://a/")).description
        == "GET http://a/ was not recorded; the recording is empty; give record=DIR to record it")
    #expect(
      try await failure(replay, .to("http://c/x")).message == "GET http://c/x was not recorded; nothing from http://c was")
  }

  @Test(
    "the description of an unmatched request tells how its body differs",
    arguments: [
      (#"{"variables":{"after":"c2","first":2}}"#, #"{"variables":{"after":"c4","first":2}}"#, "variables.after=c2 instead of c4"),
      (
        #"{"query":"query Ports($first: Int) { ports(first: $first) { id } }"}"#,
        #"{"query":"query Ports($first: Int) { ports(first: $first) { id name } }"}"#, "query=…{ id } } instead of …{ id name } }"
      ),
      (#"{"a":null}"#, #"{"a":1}"#, "a=null instead of 1"), (#"{"a":[1]}"#, #"{"a":[2]}"#, "a different body"),
      ("x", "y", "a different body"),
    ])
  func body(recorded: String, asked: String, difference: String) async throws {
    let replay = try replay(Exchange("http://a/", HTTPResponse("ok"), method: "POST", body: Array(recorded.utf8)))
    var request = try HTTPRequest.to("http://a/")
    (request.method, request.body) = (.post, Array(asked.utf8))
    #expect(try await failure(replay, request).message.hasSuffix("; the closest in ports.har has \(difference)"))
  }

  @Test("the description of an unmatched request stays short, however long the request is")
  func short() async throws {
    let long = String(repeating: "name,", count: 100)
    let replay = try replay(Exchange("http://a/x?fields=\(long)&e=1&g=1", HTTPResponse("")))
    #expect(
      try await failure(replay, .to("http://a/x?fields=\(long)id&a=\(long)&b=1&c=1")).message
        == "GET http://a/x was not recorded; the closest in ports.har has no a=name,name,name,name,nam…, no b=1, no c=1 and 3 more")
    _ = try await replay.send(.to("http://a/x?fields=\(long)&e=1&g=1"))
    #expect(
      try await failure(replay, .to("http://a/x?g=1&fields=\(long)&e=1")).message
        == "GET http://a/x?e=1&fields=name,name,name,name,nam…&g=1 was recorded once but requested again")
  }

  @Test("a recorded failure is replayed as the same failure")
  func failures() async throws {
    let error = SourceError(.timedOut, "no answer")
    var exchange = try Exchange("http://a/", HTTPResponse(status: 0))
    exchange.failure = error
    let thrown = await #expect(throws: SourceError.self) { try await replay(exchange).send(.to("http://a/")) }
    #expect(thrown == error)
  }

  @Test("the time of a replay starts with the recording and follows it; a sleep ends at once, and time never goes back")
  func time() async throws {
    let replay = try replay(Exchange("http://a/late", HTTPResponse(""), at: 60), Exchange("http://a/early", HTTPResponse("")))
    let start = Moment(secondsSinceEpoch: 1_700_000_000)
    #expect(replay.clock.now == start)
    try await replay.clock.sleep(for: .seconds(5))
    #expect(replay.clock.now == start + .seconds(5))
    _ = try await replay.send(.to("http://a/late"))
    #expect(replay.clock.now == start + .milliseconds(60_250))
    _ = try await replay.send(.to("http://a/early"))
    #expect(replay.clock.now == start + .milliseconds(60_250))
  }

  @Test("a cancelled task gets no answer, and uses none up")
  func cancelled() async throws {
    let replay = try replay(Exchange("http://a/", HTTPResponse("")))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await replay.send(.to("http://a/"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(replay.report.unused.count == 1)
  }

  @Test("a body over the request's limit is malformed, as it would be live")
  func limit() async throws {
    let replay = try replay(Exchange("http://a/", HTTPResponse("12345")))
    var request = try HTTPRequest.to("http://a/")
    request.limits.bodyBytes = 4
    let error = await #expect(throws: SourceError.self) { try await replay.send(request) }
    #expect(error?.kind == .malformed)
  }

  private func failure(_ replay: Replay, _ request: HTTPRequest) async throws -> SourceError {
    let error = try #require(await #expect(throws: SourceError.self) { try await replay.send(request) })
    #expect(error.kind == Replay.unmatched)
    return error
  }
}
