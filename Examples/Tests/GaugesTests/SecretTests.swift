import AggregatorCore
import Gauges
import SourceTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite struct SecretTests {
  /// A key with awkward characters: every encoding spells it differently.
  private static let key = "k/3y+w1th \"quotes\" & %25=="

  @Test("a recording of the source has its key nowhere, in no spelling")
  func recording() async throws {
    let folder = try Self.makeFolder()
    defer { Self.remove(folder) }
    let recording = Recording(of: "gauges", into: folder)
    let ids = try await Self.walk(over: Self.service().through([Recorder(recording)]))
    #expect(ids == ["g1", "g2", "g3"])
    #expect(try recording.finish() == 3)

    let written = try Fixture.load(folder: folder)
    #expect(written.flatMap(\.exchanges).count == 3)
    // The kit's own search is not used, since this test checks it.
    for fixture in written {
      let bytes = try Self.read(fixture.name)
      #expect(bytes.contains("gauges.example"))
      for spelling in Self.spellings { #expect(!bytes.contains(spelling), "the key is in \(fixture.name)") }
    }
  }

  @Test("neither an error nor an event shows it")
  func errors() async throws {
    let recorder = EventRecorder()
    let error = await recorder.listen {
      await #expect(throws: SourceError.self) {
        try await Self.walk(over: StubTransport(playing: .status(403, body: "no such key: \(Self.key)")))
      }
    }
    #expect(error?.kind == .refusedKey)
    for text in ["\(error as Any)"] + recorder.events.map(Self.shown) {
      for spelling in Self.spellings { #expect(!text.contains(spelling)) }
    }
  }

  @Test("without it the service is not asked")
  func missing() async throws {
    let transport = StubTransport(playing: .status(500))
    let error = await #expect(throws: SourceError.self) { try await Self.walk(over: transport, key: nil) }
    #expect(error?.kind == .missingKey)
    #expect(error?.remedy == .set(["GAUGES_API_KEY"]))
    #expect(transport.requests.isEmpty)
  }
}

extension SecretTests {
  /// Returns the ids that the source gives over `transport`.
  @discardableResult
  private static func walk(over transport: some Transport, key: String? = key) async throws -> [String] {
    let descriptor = SourceDescriptor.gauges
    let settings = Settings(declared: descriptor.settings, flags: key.map { ["GAUGES_API_KEY": $0] } ?? [:])
    var world = World(settings: settings, transport: transport)
    world.terms.reach = .live
    func ids(_ source: some DataSource) async throws -> [String] {
      var walk = Walk(source)
      var ids: [String] = []
      while let items = try await walk.nextPage() { ids += items.map(\.id) }
      return ids
    }
    return try await ids(descriptor.source(in: world))
  }

  /// Makes a service that repeats the key of the request: in a header, in its rows and in a cookie.
  private static func service() -> StubTransport {
    StubTransport { request, _ in
      let query = request.wireAddress.query ?? ""
      let number = [1, 2, 3].last { query.contains("after=g\($0 - 1)") } ?? 1
      var writer = JSONWriter()
      let row: [(String, Value)] = [
        ("id", .text("g\(number)")), ("name", .text("Gauge \(number)")), ("sea", .text(key)), ("asked", .text("\(request.wireAddress)")),
      ]
      writer.write(.list([.object(row.map { Member(name: $0.0, value: $0.1) })]))
      let address = "https://api.gauges.example/v1/gauges?api_key=\(PercentEncoding.query(key))&after=g\(number)"
      var headers = [HTTPResponse.Header("Set-Cookie", "key=\(PercentEncoding.query(key))")]
      if number < 3 { headers.append(.init("Link", "<\(address)>; rel=\"next\"")) }
      return HTTPResponse(status: 200, headers: headers, body: writer.bytes)
    }
  }

  /// The key as it is, as an address spells it, and as JSON spells it; then the longest part that no encoding changes.
  private static var spellings: [String] {
    [key, PercentEncoding.query(key), "k\\/3y+w1th \\\"quotes\\\" & %25==", "w1th"]
  }

  private static func shown(_ event: Event) -> String {
    if case .responseReceived(let request, _, _) = event { return "\(request)" }
    return "\(event)"
  }

  // MARK: - Files

  private static func makeFolder() throws -> String {
    var template = Array("/tmp/gauges.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SourceError(.storage, "no temporary folder") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw SourceError(.storage, "\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func remove(_ folder: String) {
    unlink("\(folder)/gauges.har")
    rmdir(folder)
  }
}
