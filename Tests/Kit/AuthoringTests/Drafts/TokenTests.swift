import AggregatorCore
import SourceTesting
import Testing

@testable import Authoring
@testable import Services

/// Tokens for the next page under many names, which a probe has to send back under the right one.
@Suite struct TokenTests {
  /// A member of an answer, and the parameter that takes its value.
  struct Spelling: Sendable, CustomTestStringConvertible {
    let member: String
    let parameter: String
    var isPosted = false
    /// True when the service refuses parameters that it does not know.
    var isStrict = false

    init(_ member: String, _ parameter: String) { (self.member, self.parameter) = (member, parameter) }

    var testDescription: String { "\(isPosted ? "POST" : "GET") \(member) as \(parameter)\(isStrict ? ", strict" : "")" }
  }

  private static let pairs: [(String, String)] = [
    ("next", "next"), ("next", "cursor"), ("next", "after"), ("next", "start"), ("next", "page_token"), ("next", "bookmark"),
    ("next", "token"), ("meta.cursor.next", "starting_after"),
    ("bookmark", "bookmark"), ("bookmark", "cursor"), ("nextCursor", "cursor"), ("next_cursor", "start_cursor"),
    ("nextCursor", "nextCursor"),
    ("next_page_token", "page_token"), ("nextPageToken", "pageToken"), ("nextPageToken", "nextPageToken"),
    ("next_token", "pagination_token"), ("continuation", "continuation"), ("continuation_token", "continuation_token"),
    ("_scroll_id", "scroll_id"), ("scroll_id", "scroll_id"), ("after", "after"), ("paging.next.after", "after"),
    ("pageInfo.endCursor", "after"), ("cursor", "cursor"), ("next_start", "start"), ("NextMarker", "marker"), ("marker", "marker"),
    ("last_evaluated_key", "last_evaluated_key"), ("resumptionToken", "resumptionToken"), ("next_batch", "next_batch"),
    ("nextPageId", "pageId"),
    ("offset", "offset"), ("next_page", "page"), ("next_page", "page_token"),
  ]
  static let spellings = pairs.flatMap { member, parameter in
    [false, true].map { isPosted in copy(of: Spelling(member, parameter)) { $0.isPosted = isPosted } }
  }
  /// A strict service refuses the request that tries the sizes of a page; two requests are left for the token.
  static let strict = [
    Spelling("next", "next"), Spelling("next", "cursor"), Spelling("next_cursor", "cursor"), Spelling("bookmark", "bookmark"),
  ].map { copy(of: $0) { $0.isStrict = true } }

  private static func answer(_ request: HTTPRequest, _ spelling: Spelling) throws -> HTTPResponse {
    let body = try request.body.map { try JSON($0).value }
    let sent: [(String, Value)] =
      spelling.isPosted
      ? body?.members?.map { ($0.name, $0.value) } ?? []
      : (WebAddress(request.shownAddress)?.queryItems ?? []).map { ($0.name, Int($0.value).map { .int($0) } ?? .text($0.value)) }
    let parameters = Dictionary(sent) { $1 }
    if spelling.isStrict, let stranger = parameters.keys.first(where: { ![spelling.parameter, "limit"].contains($0) }) {
      return HTTPResponse(status: 400, body: Array(#"{"error":"\#(stranger) is unknown"}"#.utf8))
    }
    let size = min(parameters["limit"]?.int ?? 10, 50)
    let text = parameters[spelling.parameter]?.text ?? ""
    let first = text.hasPrefix("tok-") ? Int(text.dropFirst(4)) ?? 0 : 0
    let next: Value = first + size < 230 ? .text("tok-\(first + size)") : .null
    let rows = (0..<230).dropFirst(first).prefix(size).map { index in
      Value.object([Member(name: "id", value: .int(index)), Member(name: "name", value: .text("Boat \(index)"))])
    }
    let path = try #require(ValuePath(spelling.member))
    return HTTPResponse(status: 200, body: Value.object([Member(name: "rows", value: .list(rows))]).setting(path, to: next).bytes)
  }

  @Test("a token is sent back under the name that the service takes it by, and then every row comes", arguments: spellings + strict)
  func spelling(_ spelling: Spelling) async throws {
    let transport = StubTransport { request, _ in try Self.answer(request, spelling) }
    var world = World(settings: Settings(declared: []), transport: transport)
    world.clock = TestClock.leaping
    var request = try NamedRequest(address: "https://test.example/v1/boats")
    if spelling.isPosted { (request.method, request.body) = (.post, .object([])) }
    let (probe, first) = try await Probe("boats", asking: request, in: world) { _ in }.begin()
    let draft = try await probe.draft(from: first)
    #expect(transport.requests.count <= Probe.most)
    let manifest = try draft.contents.manifest
    let said = "\(String(decoding: draft.bytes, as: UTF8.self))\n\(transport.requests.map(\.shownAddress))"
    #expect(manifest.sources.first?.list.paging.way.parameter?.name == spelling.parameter, "\(said)")
    world.settings = Settings(declared: manifest.settings, environment: [:])
    world.terms.reach = .live
    var walk = try Walk(manifest.source("boats").source(in: world), clock: world.clock)
    var ids: Set<String> = []
    while let page = try await walk.nextPage() { ids.formUnion(page.map(\.id)) }
    #expect(ids.count == 230 && walk.summary.verdict == .complete, "\(said)")
  }
}
