import AggregatorCore
import Platform
import SourceTesting
import Testing

/// A service that repeats the key that it was asked with.
@Suite("A key that the service repeats")
struct RedactionTests {
  private static let key = "s3cr3t/of-mine"
  private static let url = Setting("URL", .address, "where it is", default: "https://a.example/api/")
  private static let keySetting = Setting("KEY", .secret, "its key")
  private static let other = Setting("OTHER_KEY", .secret, "another service's key")

  private func client(_ transport: StubTransport, url: String = "https://a.example/api/", header: Bool = false) throws -> Client {
    let settings = Settings(
      declared: [Self.url, Self.keySetting, Self.other], flags: ["URL": url, "KEY": Self.key, "OTHER_KEY": "an0ther-key"])
    var world = World(settings: settings, transport: transport)
    world.patience = .none
    return try world.client(
      Self.url, keys: [header ? .header("Authorization", Self.keySetting, scheme: "Bearer") : .query("k", Self.keySetting)])
  }

  private func dumped(_ value: some Any) -> String {
    var text = "\(value)"
    dump(value, to: &text)
    return text
  }

  @Test(
    "a key that the service repeats is masked in answers, errors and events, whether it was in the query or in a header",
    arguments: [true, false])
  func masked(inHeader: Bool) async throws {
    let said = #"{"error":"no key \#(Self.key) or s3cr3t\/of-mine in ?k=\#(PercentEncoding.query(Self.key)), nor an0ther-key"}"#
    let transport = StubTransport(playing: .status(500, ["X-Key": Self.key], body: said))
    let recorder = EventRecorder()
    let response = try await recorder.listen {
      try await client(transport, header: inHeader).send(client(transport, header: inHeader).request())
    }
    let body = String(decoding: response.body, as: UTF8.self)
    #expect(Printable.clean(body) == #"{"error":"no key ••• or ••• in ?k=•••, nor •••"}"#)
    #expect(response[header: "X-Key"] == "•••")
    #expect(!recorder.events.isEmpty)
    for event in recorder.events { #expect(!dumped(event).contains("s3cr3t")) }
    #expect(transport.requests.allSatisfy { dumped($0.wireAddress).contains("s3cr3t") || inHeader })
  }

  @Test("a key is masked in errors of a transport")
  func thrown() async throws {
    let transport = StubTransport { request, _ in
      var error = SourceError(.interrupted, "lost \(request.wireAddress)", remedy: "try \(request.wireAddress)")
      error.others = [SourceError(.interrupted, "\(request.wireAddress)")]
      throw error
    }
    let recorder = EventRecorder()
    let error = await recorder.listen {
      await #expect(throws: SourceError.self) { try await client(transport).send(client(transport).request()) }
    }
    #expect(error?.message == "lost https://a.example/api/?k=•••")
    for text in [dumped(error as Any)] + recorder.events.map(dumped) { #expect(!text.contains("s3cr3t")) }
  }

  @Test("a key that the service repeats in a redirect is sent unchanged when it is followed")
  func redirected() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "/b?token=\(PercentEncoding.query(Self.key))"]), .json("[]"))
    let recorder = EventRecorder()
    _ = try await recorder.listen { try await client(transport).send(client(transport).request()) }
    #expect(transport.requests.last?.wireAddress.description == "https://a.example/b?token=s3cr3t%2Fof-mine")
    for event in recorder.events { #expect(!"\(event)".contains("s3cr3t")) }
  }

  @Test("a key is masked when it is the name of another host")
  func host() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "https://An0ther-Key.example/"]))
    let url = Setting("URL", .address, "where it is", default: "https://a.example/")
    let settings = Settings(declared: [url, Self.other], flags: ["OTHER_KEY": "An0ther-Key"])
    let client = try World(settings: settings, transport: transport).client(url, keys: [.query("k", Self.other)])
    let error = await #expect(throws: SourceError.self) { try await client.send(client.request()) }
    #expect(error?.kind == .unsafeRedirect)
    #expect(error.map { "\($0)".lowercased().contains("an0ther") } == false)
  }

  @Test(
    "a key is left out of the items of a next page's address, for any number of keys",
    arguments: [
      ("https://a.example/api/ports?apikey=s3cr3t%2Fof-mine&after=3", "https://a.example/api/ports?after=3&k=s3cr3t%2Fof-mine"),
      ("ports?token=a-s3cr3t%2Fof-mine-b", "https://a.example/api/ports?k=s3cr3t%2Fof-mine"),
    ])
  func next(address: String, asked: String) async throws {
    let transport = StubTransport(playing: .json(#"{"next":"\#(address)"}"#), .json("[]"))
    let client = try client(transport)
    let body = try await client.json("ports")
    guard case .token(let token) = try client.next(body.stringIfPresent("next")) else { throw SourceError(.malformed, "no token") }
    _ = try await client.send(client.request(following: token))
    #expect(transport.requests.last?.wireAddress.description == asked)
  }

  @Test("a key is recognized as the value of an item of the next address, however short")
  func short() throws {
    let client = Client(
      try #require(WebAddress("https://a.example/api/")), over: StubTransport(playing: .json("[]")),
      query: [.init("k", .secret(Secret("k1")))])
    #expect(try client.next("https://a.example/api/?apikey=k1&after=k1x") == .token("https://a.example/api/?after=k1x"))
  }

  @Test("a key in the path of the next address is an error")
  func path() async throws {
    let client = try client(StubTransport(playing: .json(#"{"next":"https://a.example/s3cr3t%2Fof-mine/ports"}"#)))
    let body = try await client.json("ports")
    #expect(throws: SourceError.self) { try client.next(body.stringIfPresent("next")) }
  }

  @Test("a key is masked in rows before they are read, which is told of each field, and a row whose id held it is broken")
  func rows() async throws {
    let rows = #"[{"id":"1","name":"k \#(Self.key)"},{"id":"\#(Self.key)","name":"b"},{"id":"3","name":"••• by the service"}]"#
    let source = ModelSource(paging: .whole) { $0.page([Int]()) }
    let page = try await Page<Row>(of: source, rows: client(StubTransport(playing: .json(rows))).json().asArray())
    #expect(page.items.map(\.id) == ["1", "3"] && Printable.clean(page.items[0].name) == "k •••")
    #expect(page.misfits.mapValues { $0.map(\.field) } == ["1": ["name"]])
    #expect(page.faults.map(\.reason) == ["[1]: its ID has the key, which is not shown"])
  }
}

@Suite("A key as the user of HTTP's Basic")
struct BasicRedactionTests {
  @Test(
    "a key of HTTP's Basic is masked where a service repeats it, but the name of a user is not",
    arguments: [("k3y-of-mine:", "no •••"), ("ada-lovelace:p4ssw0rd", "no ada-lovelace, •••")])
  func repeated(pair: String, said: String) async throws {
    let transport = StubTransport(playing: .status(401, body: pair.hasSuffix(":") ? "no k3y-of-mine" : "no ada-lovelace, p4ssw0rd"))
    let client = Client(
      try #require(WebAddress("https://a.example/")), over: transport,
      headers: [.init("Authorization", .secret(Secret("Basic \(Base64.encode(pair.utf8))")))], clock: TestClock())
    #expect(try await Printable.clean(String(decoding: client.send(client.request()).body, as: UTF8.self)) == said)
  }

  @Test(
    "a key gets its scheme only on the wire, and is masked without the scheme",
    arguments: [
      (HTTPRequest.Part.key(Secret("k3y-of-mine"), scheme: "Bearer"), "Bearer k3y-of-mine", "Bearer •••, k: •••"),
      (.basic(Secret("p4ssw0rd"), user: "ada"), "Basic YWRhOnA0c3N3MHJk", "Basic •••, k: •••"),
      (.basic(Secret("pw"), user: "ada"), "Basic YWRhOnB3", "Basic •••, k: pw"),
    ])
  func scheme(part: HTTPRequest.Part, sent: String, said: String) async throws {
    let key = try #require(part.secret?.reveal())
    let transport = StubTransport(playing: .status(401, body: "\(sent), k: \(key)"))
    let client = Client(
      try #require(WebAddress("https://a.example/")), over: transport, headers: [.init("Authorization", part)], clock: TestClock())
    let request = client.request()
    #expect(try await Printable.clean(String(decoding: client.send(request).body, as: UTF8.self)) == said)
    #expect(request.wireHeaders.map(\.value) == [sent])
  }
}

@Suite("Items of a base URL that look like secrets")
struct HiddenItemTests {
  private static let url = Setting("SHOP_URL", .address, "where it is")
  private static let pass = Setting("SHOP_ENTRY", .secret, "its key")
  private static let base = "https://a.example/api?lang=en&token=t0k%2Fen&api-key=1&shop_entry=x&page=2"

  private func settings(_ value: String = base) -> Settings { Settings(declared: [Self.url, Self.pass], flags: ["SHOP_URL": value]) }

  @Test(
    "secret items of a base URL are recognized by whole names, however their words are joined",
    arguments: [
      ("token", true), ("key", true), ("sig", true), ("secret", true), ("password", true), ("auth", true), ("code", true), ("apiKey", true),
      ("API_KEY", true), ("X-Amz-Signature", true), ("shop_entry", true), ("%74oken", true), ("monkey", false), ("tokens", false),
      ("keyword", false), ("page", false), ("author", false),
    ])
  func names(name: String, isSecret: Bool) throws {
    let value = "https://a.example/?\(name)=word"
    #expect(settings(value)[Self.url]?.shown == (isSecret ? "https://a.example/?\(name)=•••" : value))
    #expect(try settings(value).address(Self.url).shown == (isSecret ? "https://a.example/?\(name)=•••" : value))
  }

  @Test("a session in a base URL's path is sent but never shown, nor kept in the place of a next page")
  func path() throws {
    let settings = settings("https://a.example/api;jsessionid=0A1B2C3D4E5F/v1/")
    #expect(settings[Self.url]?.shown == "https://a.example/api;jsessionid=•••/v1/")
    let client = try World(settings: settings, transport: StubTransport(playing: .json("[]"))).client(Self.url)
    let request = client.request(.get, "list")
    #expect(request.wireAddress.description == "https://a.example/api;jsessionid=0A1B2C3D4E5F/v1/list")
    #expect(request.description == "GET https://a.example/api;jsessionid=•••/v1/list")
    #expect(try client.next("/list;jsessionid=0A1B2C3D4E5F?page=2") == .token("https://a.example/list?page=2"))
  }

  @Test("secret items of a base URL are sent as they are, and shown nowhere")
  func sent() async throws {
    let transport = StubTransport(playing: .status(403, body: "no token t0k/en, no t0k%2Fen"))
    let client = try World(settings: settings(), transport: transport).client(Self.url)
    let request = client.request(.get, "list", ["token": "page-2"])
    let response = try await client.send(request)
    #expect(
      transport.requests.first?.wireAddress.description
        == "https://a.example/api/list?lang=en&page=2&token=t0k%2Fen&api-key=1&shop_entry=x&token=page-2")
    // The items that a source adds are shown as they are.
    #expect(
      request.description == "GET https://a.example/api/list?lang=en&page=2&token=•••&api-key=•••&shop_entry=•••&token=page-2")
    #expect(Printable.clean(String(decoding: response.body, as: UTF8.self)) == "no token •••, no •••")
    #expect(settings()[Self.url]?.shown == "https://a.example/api?lang=en&token=•••&api-key=•••&shop_entry=•••&page=2")
    #expect(!"\(client.base) \(request) \(settings())".contains("t0k"))
  }

  @Test("secret items of a base URL stay out of the place of a next page, and come back when it is followed")
  func next() throws {
    let client = try World(settings: settings("https://a.example/?token=t0ken-x"), transport: StubTransport(playing: .json("[]")))
      .client(Self.url)
    #expect(try client.next("?token=t0ken-x&page=2") == .token("https://a.example/?page=2"))
    #expect(try client.request(following: "https://a.example/?page=2").wireAddress.description == "https://a.example/?page=2&token=t0ken-x")
  }

  @Test("secret items of a base URL are not carried beyond their own origin")
  func redirect() async throws {
    let transport = StubTransport(playing: .status(302, ["Location": "https://b.example/"]))
    let client = try World(settings: settings(), transport: transport).client(Self.url)
    await #expect { try await client.send(client.request()) } throws: { ($0 as? SourceError)?.kind == .unsafeRedirect }
  }
}
