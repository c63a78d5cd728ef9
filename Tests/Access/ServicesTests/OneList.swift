import AggregatorCore
import SourceTesting

@testable import Services

/// A manifest of one list, or of a list and another below it, over any transport.
struct OneList {
  let manifest: Manifest
  var clock = TestClock.leaping
  let transport: StubTransport
  var values: [String: String] = [:]

  /// The fields of a thing.
  static let usual =
    #"{"name": "id"}, {"name": "name", "role": "title", "searchable": true}, {"name": "size", "type": "integer"}"#

  /// Makes the manifest. `paging` and `more` are members beside the usual ones, `top` is text before the sources, and `others` are sources
  /// before this one. The request names the place as usual for the paging, unless `query` gives another one or `body` is posted. The
  /// `budget` is unlimited by default.
  init(
    _ paging: String, _ more: String = "", query: String? = nil, body: String? = nil, top: String = "", others: String = "",
    path: String = "rows", rows: String? = "rows", fields: String = usual, budget: String = "",
    _ answer: @escaping @Sendable (Request) throws -> HTTPResponse
  ) throws {
    let usual = [
      "offset": #""skip": "{offset}", "take": "{size}""#, "page": #""page": "{page}""#, "token": #""after": "{token}""#,
      "last": #""after": "{token}""#,
    ]
    let query = query ?? usual.first { paging.contains("\"by\": \"\($0.key)\"") }?.value ?? ""
    let headers = paging.contains(#""by": "range""#) ? #", "headers": {"Range": "items={range}"}"# : ""
    let request = (body.map { #""method": "POST", "body": \#($0)"# } ?? #""query": {\#(query)}"#) + headers
    let text = """
      {"aggregator": 1, "address": {"setting": "TEST_URL", "default": "https://test.example/api/"}, "budget": "\(budget.isEmpty ? "unlimited" : budget)", \(top)
       "sources": {\(others)
        "things": {"summary": "Things", "list": {"path": "\(path)", \(request)}, \(rows.map { "\"rows\": \"\($0)\", " } ?? "")"key": "id",
        "fields": [\(fields)],
        "paging": {\(paging)}\(more.isEmpty ? "" : ", \(more)")}}}
      """
    manifest = try Manifest(Array(text.utf8), file: "test.json")
    transport = StubTransport { request, number in try answer(Request(request, number: number)) }
  }

  func source(_ name: String = "things") throws -> any DataSource<LooseRecord> {
    var world = World(settings: Settings(declared: manifest.settings, flags: values), transport: transport)
    (world.clock, world.terms.reach, world.patience) = (clock, .live, .none)
    return try manifest.source(name).source(in: world)
  }

  /// Every record in order, and the end of the walk.
  func records(_ query: Query = .everything) async throws -> (records: [LooseRecord], summary: Summary) {
    var walk = Walk(try source(), query, clock: clock)
    var records: [LooseRecord] = []
    while let page = try await walk.nextPage() { records += page }
    return (records, walk.summary)
  }

  /// The IDs of the records, and the end of the walk.
  func walked(_ query: Query = .everything) async throws -> (ids: [String], summary: Summary) {
    let (records, summary) = try await records(query)
    return (records.map(\.id), summary)
  }

  /// The error of the first page; nil if it comes.
  func error(_ query: Query = .everything) async -> SourceError? {
    do {
      _ = try await walked(query)
      return nil
    } catch {
      return error as? SourceError
    }
  }
}

/// A request as a stand-in reads it.
struct Request: Sendable {
  let number: Int
  let path: String
  let query: [String: String]
  let headers: [String: String]
  let body: Value

  init(_ request: HTTPRequest, number: Int = 0) {
    let address = request.wireAddress
    (self.number, path) = (number, address.path)
    query = address.queryItems.reduce(into: [:]) { $0[$1.name] = $1.value }
    headers = request.wireHeaders.reduce(into: [:]) { $0[$1.name.lowercased()] = $1.value }
    body = request.body.flatMap { try? JSON($0).value } ?? .null
  }

  /// The segments of the path, decoded.
  var segments: [String] { path.split(separator: "/").map { PercentEncoding.decode($0) } }

  func int(_ name: String, or usual: Int = 0) -> Int { query[name].flatMap { Int($0) } ?? usual }
}

extension HTTPResponse {
  static func json(_ body: Value, status: Int = 200, _ headers: KeyValuePairs<String, String> = [:]) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [.init("Content-Type", "application/json")] + headers.map { .init($0.key, $0.value) },
      body: body.bytes)
  }

  /// Rows with these ids, and further members.
  static func rows(_ ids: some Sequence<String>, _ members: KeyValuePairs<String, Value> = [:]) -> HTTPResponse {
    let rows = Value.list(ids.map { ["id": .text($0), "name": .text("Thing \($0)"), "size": 1] })
    return .json(.object([Member(name: "rows", value: rows)] + members.map { Member(name: $0.key, value: $0.value) }))
  }
}
