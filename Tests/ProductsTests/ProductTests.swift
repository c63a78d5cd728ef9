import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Products

@Suite("Products") struct ProductTests {
  @Test(
    "pictures are whole addresses, each once, and are split only if they were glued together",
    arguments: [
      (["https://a.example/1.jpg", "http://a.example/1.jpg"], ["https://a.example/1.jpg"]),
      (["//cdn.example/1.jpg", "none", "", " ", "NONE"], ["https://cdn.example/1.jpg"]),
      (["HTTPS://a.example/1.jpgHTTPS://a.example/2.jpg"], ["HTTPS://a.example/1.jpg", "HTTPS://a.example/2.jpg"]),
      (["https://a.example/1.jpghttps://a.example/2.jpg"], ["https://a.example/1.jpg", "https://a.example/2.jpg"]),
      (["https://a.example/1.jpg, http://a.example/2.jpg"], ["https://a.example/1.jpg", "http://a.example/2.jpg"]),
      (["https://a.example/web/https://b.example/1.jpg"], ["https://a.example/web/https://b.example/1.jpg"]),
      (["https://a.example/?u=https://b.example/1.jpg"], ["https://a.example/?u=https://b.example/1.jpg"]),
    ] as [([String], [String])])
  func pictures(given: [String], cleaned: [String]) {
    #expect(PictureAddresses.cleaned(given) == cleaned)
    #expect(PictureAddresses.cleaned(cleaned) == cleaned)
  }

  @Test("a placeholder text is nil", arguments: ["", "none", "None", " ", " NONE "])
  func placeholders(text: String) throws {
    let product = try Product(JSON(Array(#"{"id":"1","title":"\#(text)","merchant":"\#(text)","url":"\#(text)"}"#.utf8)), as: .own)
    #expect(product.title == nil)
    #expect(product.merchant == nil)
    #expect(product.url == nil)
  }

  @Test("one picture may be a text, in a file as in the service's row", arguments: [RowForm.own, .service])
  func onePicture(form: RowForm) throws {
    let row = try JSON(Array(#"{"id":"1","images":"//a.example/1.jpg, https://a.example/2.jpg"}"#.utf8))
    #expect(try Product(row, as: form).images == ["https://a.example/1.jpg", "https://a.example/2.jpg"])
  }

  @Test(
    "a value of another type is left out and counted, and its product stays",
    arguments: [("title", "7"), ("merchant", "{}"), ("url", "[1]"), ("images", "7"), ("images", #"["https://a.example/1.jpg", 7]"#)])
  func otherTypes(field: String, value: String) async throws {
    let page = try await ask(#"{"products":[{"id":"1","\#(field)":\#(value)},{"id":"2","title":"Lamp"}]}"#)
    #expect(page.items.map(\.id) == ["1", "2"] && page.faults.isEmpty)
    #expect(page.misfits.mapValues { $0.map(\.field) } == ["1": [field]])
  }

  @Test("rows that had to be cleaned are counted in an event, and clean ones are not")
  func counted() async throws {
    let rows = [
      #"{"id":"1","title":"Kettle","images":["https://a.example/1.jpg"]}"#, #"{"id":"2","title":"","images":[]}"#,
      #"{"id":"3","title":"Lamp","images":["none"]}"#, #"{"id":"4","title":null,"images":null}"#,
    ]
    let heard = Mutex<[Event]>([])
    let page = try await Event.listening { event in
      heard.withLock { $0.append(event) }
    } during: {
      try await ask(#"{"products":[\#(rows.joined(separator: ","))]}"#)
    }
    #expect(page.items.map(\.title) == ["Kettle", nil, "Lamp", nil])
    #expect(heard.withLock { $0.contains(.rowsCleaned(source: "products", 2)) })
  }

  @Test(
    "old and new envelopes and a bare array are read; any other body is an error, not an empty list",
    arguments: [#"{"products":[{"id":"1"}]}"#, #"{"posts":[{"id":"1"}]}"#, #"[{"id":"1"}]"#])
  func envelopes(body: String) async throws {
    #expect(try await ask(body).items.map(\.id) == ["1"])
    await #expect(throws: SourceError.self) { try await ask("{}") }
  }

  @Test(
    "a product is found under either name or bare, and an empty object means that nothing was found",
    arguments: [
      (#"{"product":{"id":"7"}}"#, 1), (#"{"post":{"id":"7"}}"#, 1), (#"{"id":"7"}"#, 1), (#"{"product":{}}"#, 0), ("{}", 0),
    ])
  func lookup(body: String, count: Int) async throws {
    #expect(try await ask(body, .record("7")).items.count == count)
  }

  @Test(
    "an object that is neither empty nor a product is an error, not a missing product",
    arguments: [#"{"error":"database is down"}"#, #"{"product":{"title":"Kettle"}}"#, #"{"product":null}"#, #"{"id":null}"#])
  func strange(body: String) async throws {
    let error = await #expect(throws: SourceError.self) { try await ask(body, .record("7")) }
    #expect(error?.kind == .malformed)
  }

  @Test("an id that would lead to another path names no product, and asks for nothing", arguments: ["", ".", "..", "../offset", "%2e%2e"])
  func dots(id: String) async throws {
    #expect(try await ask(#"{"id":"7"}"#, .record(id)).items == [])
  }

  private func ask(_ body: String, _ query: Query = .everything) async throws -> Page<Product> {
    let transport = StubTransport(playing: .json(body))
    let settings = Settings(declared: [.productsURL], flags: ["PRODUCTS_BASE_URL": "http://shop.example/"])
    let client = try World(settings: settings, transport: transport).client(.productsURL)
    let page = try await ProductService(client: client).page(PageRequest(query))
    if query == .everything {
      #expect(transport.requests.first?.method == .post)
      #expect(transport.requests.first?.body == Array(#"{"skip":0,"take":100}"#.utf8))
    }
    return page
  }
}

@Suite struct ProductsConformanceTests {
  @Test("Products keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .products).report()
    #expect(report.isPassed, "\(report)")
  }
}
