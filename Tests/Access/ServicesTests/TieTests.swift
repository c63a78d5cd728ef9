import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Pages after a value of the last row. Rows after the edge of a page that share the value are missed.
@Suite struct TieTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let next: String
    /// Further members of the file: unwrap, a key of its own, a search.
    var more = ""
    var fields = OneList.usual
    var query = Query.everything
    let isSure: Bool
    var testDescription: String { "\(next) \(more) \(fields) \(query)" }
  }

  private static let group = #", {"name": "group", "path": "grp", "type": "integer"}"#
  private static let search = #""search": {"request": {"path": "found", "query": {"q": "{text}"}}, "#

  static let cases = [
    Case(next: "id", isSure: true), Case(next: "[\"id\"]", isSure: true),
    Case(next: "grp", isSure: false), Case(next: "[\"grp\"]", isSure: false),
    Case(next: "grp", fields: OneList.usual + group, isSure: false), Case(next: "[\"grp\"]", fields: OneList.usual + group, isSure: false),
    // An unwrapped member, and a member beside it.
    Case(next: "id", more: #""unwrap": "node""#, isSure: true), Case(next: "node.id", more: #""unwrap": "node""#, isSure: true),
    Case(next: "id", more: #""unwrap": "node""#, fields: #"{"name": "id", "path": "node.id"}"#, isSure: true),
    Case(next: "node.grp", more: #""unwrap": "node""#, isSure: false), Case(next: "grp", more: #""unwrap": "node""#, isSure: false),
    // A key that is put together, or of which a row has several, is not any of its parts.
    Case(next: "id", fields: #"{"name": "no", "path": "id"}, {"name": "grp"}, {"name": "id", "text": "{no}-{grp}"}"#, isSure: false),
    Case(next: "ids[*]", fields: #"{"name": "id", "path": "ids[*]"}"#, isSure: false),
    Case(next: "ids[0]", fields: #"{"name": "id", "path": "ids[0]"}"#, isSure: true),
    Case(next: "ids[-1]", fields: #"{"name": "id", "path": "ids[0]"}"#, isSure: false),
    // The service's own search has its own paging, or else that of the list.
    Case(next: "id", more: search + #""paging": {"by": "last", "next": "id", "end": "empty"}}"#, query: .matching("Thing"), isSure: true),
    Case(next: "id", more: search + #""paging": {"by": "last", "next": "grp", "end": "empty"}}"#, query: .matching("Thing"), isSure: false),
    Case(next: "grp", more: search + #""rows": "rows"}"#, query: .matching("Thing"), isSure: false),
    Case(next: "grp", more: search + #""paging": {"by": "last", "next": "id", "end": "empty"}}"#, query: .matching("Thing"), isSure: true),
    Case(next: "grp", more: search + #""paging": {"by": "last", "next": "id", "end": "empty"}}"#, isSure: false),
    Case(
      next: "grp", more: #""changes": {"field": "at", "request": {"query": {"since": "{since}"}}}"#,
      fields: OneList.usual + #", {"name": "at", "type": "time"}"#, query: .changed(since: TestClock.start), isSure: false),
  ]

  @Test("a walk after a value is complete only if no two rows can share it", arguments: cases)
  func ties(one: Case) async throws {
    let things = try OneList(
      #""by": "last", "next": \#(String(decoding: Value.text(one.next).bytes, as: UTF8.self)), "end": "empty""#, one.more,
      fields: one.fields
    ) { request in
      let number = request.number
      let row: Value = ["id": .text("r\(number)"), "ids": [.text("r\(number)")], "grp": .int(number), "name": "Thing"]
      return .json(["rows": number < 2 ? [one.more.contains("unwrap") ? ["node": row] : row] : []])
    }
    let (ids, summary) = try await things.walked(one.query)
    #expect(ids.count == 2 && summary.verdict == (one.isSure ? .complete : .unverifiable))
  }

  @Test("a key of several fields is shared by no row, but each of its parts may be")
  func parts() async throws {
    let manifest = try Manifest(
      Array(
        #"{"aggregator": 1, "address": {"setting": "TEST_URL", "default": "https://test.example/"}, "sources": {"things": {"summary": "Things", "list": {"path": "rows", "query": {"after": "{token}"}}, "rows": "rows", "key": ["shop", "no"], "fields": [{"name": "shop"}, {"name": "no"}], "paging": {"by": "last", "next": "no", "end": "empty"}}}}"#
          .utf8), file: "test.json")
    let transport = StubTransport { _, number in .json(["rows": number < 2 ? [["shop": "a", "no": .int(number)]] : []]) }
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    // On a busy machine an answer may come so late that others replace it.
    (world.terms.reach, world.clock) = (.live, TestClock.leaping)
    var walk = Walk(try manifest.source("things").source(in: world), clock: world.clock)
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.verdict == .unverifiable)
  }

  /// Thirty rows. The second and third ten share a value, and those after the edge of the second page are missed.
  private static func shared(_ request: Request, _ total: (Int) -> Value) -> HTTPResponse {
    let groups = (0..<10).map { $0 } + Array(repeating: 10, count: 20)
    let after = request.query["after"].flatMap { Int($0) } ?? -1
    let rows = groups.indices.filter { groups[$0] > after }.prefix(15)
    return .json(["rows": .list(rows.map { ["id": .text("r\($0)"), "grp": .int(groups[$0])] }), "total": total(request.number)])
  }

  @Test("rows that share a value are missed, and the walk is not complete", arguments: ["grp", #"[\"grp\"]"#])
  func passedOver(next: String) async throws {
    for fields in [OneList.usual, OneList.usual + Self.group] {
      let things = try OneList(#""by": "last", "next": "\#(next)", "end": "empty""#, fields: fields) { Self.shared($0) { _ in .null } }
      let (ids, summary) = try await things.walked()
      #expect(ids.count == 15 && summary.verdict == .unverifiable)
    }
  }

  @Test("a total that does not move tells whether rows were missed", arguments: [15, 30])
  func total(total: Int) async throws {
    let things = try OneList(#""by": "last", "next": "grp", "total": "total", "end": "empty""#) { Self.shared($0) { _ in .int(total) } }
    #expect(try await things.walked().summary.verdict == (total == 15 ? .complete : .partial(.total(missing: 15))))
  }

  @Test("a total that is missing from some pages proves nothing")
  func lateTotal() async throws {
    let things = try OneList(#""by": "last", "next": "grp", "total": "total", "end": "empty""#) {
      Self.shared($0) { $0 == 0 ? .int(15) : .null }
    }
    #expect(try await things.walked().summary.verdict == .unverifiable)
  }

  // The verdict of a list by tokens or keys whose total moved is that of the walk.
  @Test("a total that moved and happens to add up proves nothing")
  func moved() async throws {
    let things = try OneList(#""by": "last", "next": "grp", "total": "total", "end": "empty""#) {
      Self.shared($0) { .int($0 == 0 ? 30 : 15) }
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 15 && summary.verdict == .unverifiable)
  }
}
