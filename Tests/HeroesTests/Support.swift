import AggregatorCore
import Heroes
import SourceTesting

/// The source as a program uses it, over a service that a test plays.
struct StubbedComicVine {
  let transport: StubTransport
  let clock = TestClock.leaping
  let source: any DataSource<Hero>

  /// Over a service with these answers, the last of which is repeated.
  init(
    _ answers: StubTransport.Answer..., key: String? = StubbedComicVine.key, reach: World.Reach = .live,
    store: any AnswerStore = StoreInMemory()
  ) throws {
    let answers = answers
    try self.init(
      StubTransport { _, index in try answers[min(index, answers.count - 1)].get() }, key: key, reach: reach, store: store)
  }

  /// Over a service that has these rows, and gives at most `most` of them at
  /// once from the requested offset; `others` answers all other requests.
  init(list rows: [String], most: Int, total: Int? = nil, others: StubTransport.Answer = .status(404)) throws {
    try self.init(
      StubTransport { request, _ in
        let offset = request.query.lazy.compactMap { item in
          if item.name == "offset", case .plain(let text) = item.value { Int(text) } else { nil }
        }.first
        let answer = offset.map { Envelope.list(Array(rows.dropFirst($0).prefix(most)), total: "\(total ?? rows.count)") } ?? others
        return try answer.get()
      })
  }

  init(
    _ transport: StubTransport, key: String? = StubbedComicVine.key, reach: World.Reach = .live, store: any AnswerStore = StoreInMemory()
  ) throws {
    self.transport = transport
    var flags = ["COMIC_VINE_BASE_URL": "https://vine.example/api"]
    flags["COMIC_VINE_API_KEY"] = key
    var world = World(settings: Settings(declared: SourceDescriptor.heroes.settings, flags: flags), transport: transport)
    world.terms.reach = reach
    world.clock = clock
    world.answers = store
    guard let source = try SourceDescriptor.heroes.source(in: world) as? any DataSource<Hero> else {
      throw SourceError(.settings, "these are no heroes")
    }
    self.source = source
  }

  static let key = "5ecret-of-the-test"

  /// The records that a query finds, and the end of the walk.
  func walk(_ query: Query = .everything, limit: Int? = nil) async throws -> (items: [Hero], summary: Summary) {
    var walk = Walk(source, query, bounds: Bounds(limit: limit), clock: clock)
    var items: [Hero] = []
    while let page = try await walk.nextPage() { items += page }
    return (items, walk.summary)
  }

  /// The error of the walk; nil if it succeeds.
  func failure(_ query: Query = .everything) async -> SourceError? {
    do {
      _ = try await walk(query)
      return nil
    } catch { return error as? SourceError }
  }

  /// The path and the query of each request, decoded, without the items that every request has.
  var asked: [String] {
    transport.requests.map { request in
      let items = request.query.filter { !["api_key", "format", "field_list"].contains($0.name) }
      return request.address.path
        + items.map { item in
          guard case .plain(let text) = item.value else { return " \(item.name)" }
          return " \(item.name)=\(text)"
        }.joined()
    }
  }
}

/// Comic Vine's envelope.
enum Envelope {
  static func list(_ rows: [String], total: String? = nil, code: Int = 1, more: String = "") -> StubTransport.Answer {
    .json(
      #"{"error":"OK","limit":100,"offset":0,"number_of_page_results":\#(rows.count),"number_of_total_results":"#
        + #"\#(total ?? "\(rows.count)"),"status_code":\#(code),"results":[\#(rows.joined(separator: ","))]\#(more)}"#)
  }

  static func detail(_ row: String) -> StubTransport.Answer {
    .json(#"{"error":"OK","limit":1,"offset":0,"number_of_total_results":1,"status_code":1,"results":\#(row)}"#)
  }

  static func error(_ code: Int, _ text: String, status: Int = 200) -> StubTransport.Answer {
    .status(
      status, ["Content-Type": "application/json"],
      body: #"{"error":"\#(text)","limit":0,"offset":0,"number_of_total_results":0,"status_code":\#(code),"results":[]}"#)
  }

  static func row(_ id: Int, _ name: String, _ more: String = "") -> String { #"{"id":\#(id),"name":"\#(name)"\#(more)}"# }
}
