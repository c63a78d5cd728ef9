import AggregatorCore

// MARK: - Services that repeat the key

extension Trials {
  func indiscretion() async throws -> Outcome {
    guard stage.carriesSecret, let key = stage.bench.canaries.first else { return .notApplicable("it sends no secret") }
    for place in EchoTransport.Place.allCases {
      let rows = place == .rows ? try await rows(holding: key) : stage.stock.rows
      for reach in [World.Reach.anywhere, .live] {
        let (traces, server) = try await traces(place, key, rows, reach)
        if let trace = traces.first(where: { holds($0.text, key) }) {
          return .failed("the secret, which the service repeats \(place.rawValue), appears in \(trace.place)")
        }
        let followed = server.requests.compactMap { request in request.wireAddress.queryItems.first { $0.name == EchoTransport.item }?.value
        }
        if let value = followed.first(where: { $0 != EchoTransport.words(key) }) {
          return .failed("a next address was followed with \"\(value)\" in place of the secret that the service wrote there")
        }
      }
    }
    return .passed
  }

  /// The rows with the key in every text that the source reads without taking the record for another one.
  private func rows(holding key: String) async throws -> [Value] {
    guard let row = stage.stock.rows.first, let id = stage.stock.ids.first else { return [] }
    var paths: [FieldPath] = []
    for (path, value) in row.scalars(depth: 3) {
      guard let text = value.text,
        try await stage.bench.ids(of: [row.setting(path, to: .text("\(text) \(EchoTransport.words(key))"))]) == [id]
      else { continue }
      paths.append(path)
    }
    return stage.stock.rows.map { row in
      paths.reduce(row) { row, path in row[path]?.text.map { row.setting(path, to: .text("\($0) \(EchoTransport.words(key))")) } ?? row }
    }
  }

  private func holds(_ text: String, _ key: String) -> Bool {
    let encoded = Base64.encode(Array(key.utf8)).prefix { $0 != "=" }
    return text.contains(EchoTransport.words(key)) || text.contains(PercentEncoding.query(EchoTransport.words(key)))
      || text.contains(encoded.dropLast(1))
  }

  /// Every text that a walk leaves behind over a service that repeats the key at this place.
  private func traces(
    _ place: EchoTransport.Place, _ key: String, _ rows: [Value], _ reach: World.Reach
  ) async throws -> (traces: [(place: String, text: String)], server: ModelServer) {
    let bench = stage.bench
    let clock = TestClock.leaping
    let server = ModelServer(bench.model, fixture: bench.fixture, rows: rows, clock: clock)
    let answers = AnswerSpy()
    var world = World(settings: bench.settings, transport: EchoTransport(place: place, key: key, service: server))
    world.reach = reach
    world.clock = clock
    world.dice = SeededDice(seed: 7)
    world.answers = answers
    let source = try bench.descriptor.source(in: world)
    let recorder = EventRecorder()
    var traces = await recorder.listen { await walked(source, clock) }
    traces += recorder.events.map { ("an event", Self.text(of: $0)) }
    traces += answers.texts.map { ("a cached answer", $0) }
    traces += server.requests.map { ("a request's description", "\($0)") }
    return (traces, server)
  }

  private func walked(_ source: some DataSource, _ clock: TestClock) async -> [(place: String, text: String)] {
    var walk = Walk(source, bounds: stage.bounds, clock: clock)
    var traces: [(place: String, text: String)] = []
    do {
      while let items = try await walk.nextPage(), walk.summary.pages < 1000 {
        for item in items {
          var writer = JSONWriter()
          writer.write(source.schema.value(of: item))
          traces.append(("a record", String(decoding: writer.bytes, as: UTF8.self)))
        }
        if let cursor = walk.cursor { traces.append(("the cursor of the next page", cursor.text)) }
      }
    } catch {
      traces.append(("an error", Self.dumped(error)))
    }
    traces.append(("the summary of the walk", Self.dumped(walk.summary)))
    return traces
  }

  private static func dumped(_ value: some Any) -> String {
    var text = "\(value)"
    dump(value, to: &text)
    return text
  }

  /// All of it, bodies too.
  private static func text(of event: Event) -> String {
    guard case .responseReceived(let request, let response, _) = event else { return dumped(event) }
    let headers = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    return "\(request)\n\(headers)\n\(String(decoding: response.body, as: UTF8.self))"
  }
}
