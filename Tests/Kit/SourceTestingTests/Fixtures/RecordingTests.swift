import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import Testing

@Suite struct RecordingTests {
  static let key = "s3/cret key+é"

  /// A client for a service that sends back everything that it receives, in every spelling.
  private func client(_ recording: Recording, _ key: Secret = Secret(key)) throws -> Client {
    let echo = StubTransport { request, _ in
      let key = RecordingTests.key
      let spelled = [key, PercentEncoding.query(key), Base64.encode(Array("user:\(key)".utf8)), key.replacingEach("/", with: "\\/")]
      var response = HTTPResponse(
        #"{"url":"\#(request.wireAddress)","headers":"\#(request.wireHeaders)","all":\#(spelled)}"#,
        headers: [
          "Location": "/next?key=\(PercentEncoding.query(key))", "Set-Cookie": "session=abc", "X-Echo": key, "Content-Encoding": "gzip",
        ])
      if request.method == .post { response.body = [0xFF, 0x00] + Array(key.utf8) + [0xFE] }
      if request.address.path.hasSuffix("/fail") { throw SourceError(.timedOut, "no answer to \(key)") }
      return response
    }
    let base = try #require(WebAddress("https://example.com/\(PercentEncoding.query(Self.key))"))
    return Client(
      base, over: echo.through([Recorder(recording, clock: Standing())]), query: [.init("key", .secret(key))],
      headers: [.init("Authorization", .secret(Secret("Bearer \(Self.key)"))), .init("Accept", "application/json")])
  }

  private struct Standing: Timekeeper {
    let now = Moment(secondsSinceEpoch: 1_767_323_045)
    func sleep(until moment: Moment) {}
  }

  @Test("no byte of the file belongs to the key, in any encoding")
  func noKeyAnywhere() async throws {
    let scratch = try ScratchFolder()
    let recording = Recording(of: "heroes", into: scratch.path)
    let client = try client(recording)
    _ = try await client.send(client.request(.get, "list", ["text": "\(Self.key)"]))
    var post = client.request(.post, "form")
    post.headers.append(.init("Content-Type", "application/x-www-form-urlencoded"))
    post.body = Array("token=\(PercentEncoding.query(Self.key))".utf8)
    _ = try await client.send(post)
    await #expect(throws: SourceError.self) { try await client.send(client.request(.get, "fail")) }
    #expect(try recording.finish() == 3)

    let bytes = try scratch.bytes("heroes.har")
    let text = String(decoding: bytes, as: UTF8.self)
    for part in ["cret", "cret%20", "s3%2F", "s3\\/", "session=abc", "y3JldCB", "NyZXQga", "jcmV0IG"] {
      #expect(!text.contains(part), "\(part) is still in the recording")
    }
    // The same search in the decoded bodies, because base64 hides them from the search above.
    let read = try Fixture(har: bytes, name: "heroes.har")
    for exchange in read.exchanges {
      let all = exchange.request.body ?? [] + exchange.response.body
      #expect(!String(decoding: all, as: UTF8.self).contains("cret"))
    }
    #expect(read.exchanges[0].request.address.description == "https://example.com/KEY/list?key=KEY&text=KEY")
    #expect(read.exchanges[0].request.headers == [.init("Authorization", "KEY"), .init("Accept", "application/json")])
    #expect(
      read.exchanges[0].response.headers == [.init("Location", "/next?key=KEY"), .init("Set-Cookie", "KEY"), .init("X-Echo", "KEY")])
    #expect(read.exchanges[1].request.body == Array("token=KEY".utf8))
    #expect(read.exchanges[1].response.body == [0xFF, 0] + Array("KEY".utf8) + [0xFE])
  }

  @Test("a browser's export keeps no value with the name of a secret, in a query, a header or a path")
  func scrubbed() throws {
    let secret = "9f8e7d6c5b4a39281706"
    let request = TapedRequest(
      "GET",
      try #require(
        WebAddress(
          "https://a.example/list;jsessionid=\(secret)?page=2&token=\(secret)&sig=\(secret)&auth=\(secret)&X-Amz-Signature=\(secret)")),
      headers: ["X-RapidAPI-Key", "X-CSRF-Token", "Cookie", "authorization", "X-Page-Token"].map { .init($0, secret) })
    let answer = HTTPResponse("{}", headers: ["Set-Cookie": "s=1", "Date": "today"])
    let exchange = Exchange(request, answer, startedAt: Moment(secondsSinceEpoch: 0))
    let clean = try #require(Fixture("a.har", exchanges: [exchange]).scrubbed().exchanges.first)
    #expect("\(clean.request.address)" == "https://a.example/list?page=2&token=KEY&sig=KEY&auth=KEY&X-Amz-Signature=KEY")
    #expect(clean.request.headers.map(\.value) == ["KEY", "KEY", "KEY", "KEY", secret])
    #expect(clean.response.headers == [.init("Set-Cookie", "KEY"), .init("Date", "today")])
    let spared = Fixture("a.har", exchanges: [exchange]).scrubbed(sparing: ["token", "X-Amz-Signature"]).exchanges.first?.request.address
      .query
    #expect(spared == "page=2&token=\(secret)&sig=KEY&auth=KEY&X-Amz-Signature=KEY")
  }

  @Test("an item that the source itself sends is recorded under any name, and a short word is not a secret")
  func ownItems() async throws {
    let recording = Recording(of: "a", into: "")
    for token in ["first-page-17", "second-page-42"] {
      var request = try HTTPRequest.to("http://a/?appid=440")
      request.query = [.init("token", .plain(token)), .init("api_key", .plain("9f8e7d6c"))]
      _ = try await StubTransport(playing: .json("[]")).through([Recorder(recording)]).send(request)
    }
    #expect(
      recording.exchanges.map { "\($0.request.address)" } == [
        "http://a/?appid=440&token=first-page-17&api_key=KEY", "http://a/?appid=440&token=second-page-42&api_key=KEY",
      ])
  }

  private static let leaky = #"""
    {"items":[{"id":0,"url":"https://cdn.example/p.png?X-Amz-Signature=9f8e7d6c5b4a&sig=9f8e7d6c5b4a"}],"access_token":"9f8e7d6c5b4a",
    "links":{"self":"http://h/a?api_key=t%2D9f8e7d"},"password":"u1u1u1U","token":"kept-0-1","required":"pass","passwd":"required",
    "list":{"secret":["V2V2V2"]},"secret":123456789}
    """#

  @Test("values of an answer with the name of a secret are not recorded, and the replay asks the same")
  func bodies() async throws {
    let recording = Recording(of: "a", into: "")
    func ask(_ transport: some Transport) async throws -> String {
      let answer = try await transport.send(.to("http://a/"))
      var next = try HTTPRequest.to("http://a/next")
      next.query = try [.init("after", .plain(answer.json().string("access_token")))]
      return try await transport.send(next).text
    }
    let leaky = Self.leaky
    let service = StubTransport { request, _ in
      HTTPResponse(request.address.path == "/" ? leaky : "t-9f8e7d and u1u1u1U", headers: ["X-Key-Echo": "9f8e7d6c5b4a"])
    }
    _ = try await ask(service.through([Recorder(recording)]))
    let (exchanges, har) = (recording.exchanges, String(decoding: Fixture("a", exchanges: recording.exchanges).har, as: UTF8.self))
    for secret in ["9f8e7d", "u1u1u1", "V2V2V2", "123456789"] { #expect(!har.contains(secret), "\(secret) is left") }
    #expect(exchanges[1].request.address.query == "after=KEY" && exchanges[1].response.text == "KEY and KEY")
    // The names of members stay, and so do the rows.
    let answer = try exchanges[0].response.json()
    #expect(try answer.array("items").map { try $0.int("id") } == [0] && answer.string("token") == "kept-0-1")
    #expect(try answer.string("required") == "pass")
    #expect(try await ask(Replay(Fixture("a", exchanges: exchanges))) == "KEY and KEY")
  }

  @Test("secret values are removed from a browser's export, also in posted bodies and in addresses in headers")
  func exported() throws {
    let secret = "9f8e7d6c5b4a39281706"
    var posted = try Exchange("https://a.example/list?page=1", HTTPResponse("you sent \(secret)", headers: ["Location": "/?api_key=1"]))
    posted.request.body = Array(#"{"variables":{"password":"\#(secret)"}}"#.utf8)
    posted.request.headers = [
      .init("Referer", "https://a.example/;jsessionid=\(secret)?api_key=12&page=1"), .init("Origin", "https://a.example"),
      .init("X-Original-URL", "/list?token=\(secret)#access_token=12"),
    ]
    var form = try Exchange("https://a.example/form", HTTPResponse("{}"))
    form.request.headers = [.init("Content-Type", "application/x-www-form-urlencoded")]
    form.request.body = Array("a=1&client_secret=\(secret.uppercased())".utf8)
    let clean = Fixture("a.har", exchanges: [posted, form]).scrubbed().exchanges
    #expect(
      clean[0].request.headers.map(\.value) == [
        "https://a.example/;jsessionid=KEY?api_key=KEY&page=1", "https://a.example", "/list?token=KEY#access_token=KEY",
      ])
    #expect(clean[0].request.body == Array(#"{"variables":{"password":"KEY"}}"#.utf8))
    #expect(clean[0].response.text == "you sent KEY" && clean[0].response.headers.map(\.value) == ["/?api_key=KEY"])
    #expect(clean[1].request.body == Array("a=1&client_secret=KEY".utf8))
  }

  @Test("the token of a header's credentials is also removed by itself")
  func token() async throws {
    let scratch = try ScratchFolder()
    let recording = Recording(of: "a", into: scratch.path)
    var request = try HTTPRequest.to("http://a/")
    request.headers = [.init("X-Credentials", .secret(Secret("Bearer t0kenabc")))]
    _ = try await StubTransport(playing: .json(#"{"bearer":"t0kenabc"}"#)).through([Recorder(recording)]).send(request)
    try recording.finish()
    #expect(try Fixture(contentsOf: recording.path).exchanges.map(\.response.text) == [#"{"bearer":"KEY"}"#])
  }

  @Test("every attempt is recorded, including failures, in the order in which they were sent")
  func order() async throws {
    let scratch = try ScratchFolder()
    let recording = Recording(of: "ports", into: scratch.path)
    let gate = Gate()
    let transport = StubTransport { request, _ in
      if request.address.path == "/slow" { try await gate.pass() }
      if request.address.path == "/fail" { throw SourceError(.unreachable, "connection refused by a:80") }
      return HTTPResponse(request.address.path)
    }.through([Recorder(recording)])
    async let slow = transport.send(.to("http://a/slow"))
    try await gate.arrivals(atLeast: 1)
    _ = try await transport.send(.to("http://a/quick"))
    await #expect(throws: SourceError.self) { try await transport.send(.to("http://a/fail")) }
    #expect(try recording.finish() == 2)
    gate.open()
    _ = try await slow
    #expect(try recording.finish() == 1)
    #expect(try recording.finish() == 0)
    let read = try Fixture(contentsOf: recording.path)
    #expect(read.exchanges.map(\.request.address.path) == ["/quick", "/fail", "/slow"])
    #expect(read.exchanges[1].failure == SourceError(.unreachable, "connection refused by a:80"))
  }

  @Test("a file of any tool gets further entries, and the rest of it stays unchanged")
  func adds() async throws {
    let scratch = try ScratchFolder()
    try SystemFiles().replace("\(scratch.path)/chrome.har", with: SystemFiles().read("\(Archive.folder)/chrome.har", upTo: 1 << 20).bytes)
    try await record("/new", into: scratch.path, as: "chrome")
    let log = try JSON(scratch.bytes("chrome.har")).object("log")
    #expect(log["creator"]?["name"]?.value == .text("WebInspector"))
    #expect(log["pages"]?.elements.count == 1)
    #expect(log["entries"]?.elements.count == 5)
    #expect(log["entries"]?.elements.first?["_priority"]?.value == .text("High"))
    #expect(try SystemFiles().read("\(scratch.path)/chrome.har", upTo: 1 << 20).permissions == 0o644)
  }

  @Test("a file that is not an archive is not overwritten", arguments: ["", "{}", "{\"log\":{\"entries\":[1]}}"])
  func broken(text: String) async throws {
    let scratch = try ScratchFolder()
    try SystemFiles().replace("\(scratch.path)/a.har", with: Array(text.utf8))
    let error = try #require(await #expect(throws: SourceError.self) { try await record("/new", into: scratch.path, as: "a") })
    #expect(error.kind == .storage)
    #expect(error.message.hasPrefix("\(scratch.path)/a.har is not a HAR file ("))
    #expect(try scratch.bytes("a.har") == Array(text.utf8))
  }

  @Test("recorders that write at once lose no entry")
  func concurrent() async throws {
    let scratch = try ScratchFolder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 { group.addTask { try await record("/\(number)", into: scratch.path, as: "a") } }
      try await group.waitForAll()
    }
    let paths = try Fixture(contentsOf: "\(scratch.path)/a.har").exchanges.map(\.request.address.path)
    #expect(Set(paths) == Set((0..<16).map { "/\($0)" }))
    #expect(paths.count == 16)
    #expect(try SystemFiles().list(scratch.path) == ["a.har"])
  }

  @Test(
    "a secret that is already in the file is found before anything is written",
    arguments: ["s3cret-key", "s3cret%2Dkey", Base64.encode("xs3cret-key".utf8), Base64.encode([0xFF] + Array("s3cret%2Dkey".utf8))])
  func left(spelling: String) async throws {
    let scratch = try ScratchFolder()
    // As a text, and decoded base64 also as a body that is not text.
    var old = try Exchange("http://a/", HTTPResponse("<\(spelling)>"))
    if let bytes = Base64.decode(spelling), bytes.first == 0xFF { old.response.body = bytes }
    let bytes = Fixture("a", exchanges: [old]).har
    try SystemFiles().replace("\(scratch.path)/a.har", with: bytes)
    let error = try #require(
      await #expect(throws: SourceError.self) { try await record("/new", into: scratch.path, as: "a", hiding: [Secret("s3cret-key")]) })
    #expect(error.kind.name == "secret-left")
    #expect(error.message == "a secret would remain in \(scratch.path)/a.har; nothing was written")
    #expect(!"\(error)".contains("s3cret"))
    #expect(try scratch.bytes("a.har") == bytes)
  }

  @Test("a folder that cannot be made is an error of storage")
  func unwritable() async throws {
    let error = try #require(await #expect(throws: SourceError.self) { try await record("/", into: "/dev/null/x", as: "a") })
    #expect(error.kind == .storage)
    #expect(error.message.hasPrefix("cannot write /dev/null/x/a.har: "))
  }

  @Test("a recording without requests writes no file")
  func nothing() throws {
    let scratch = try ScratchFolder()
    #expect(try Recording(of: "a", into: "\(scratch.path)/deeper").finish() == 0)
    #expect(try SystemFiles().list(scratch.path) == [])
  }
}

private func record(_ path: String, into folder: String, as name: String, hiding secrets: [Secret] = []) async throws {
  let recording = Recording(of: name, into: folder, hiding: secrets)
  _ = try await StubTransport { request, _ in HTTPResponse(request.address.path) }.through([Recorder(recording)]).send(
    .to("http://a\(path)"))
  try recording.finish()
}
