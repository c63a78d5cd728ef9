import AggregatorCore
import Asking
import Services
import SourceTesting
import Store
import StoreTables
import Synchronization

/// Two services that change, one store, and statements over both.
final class TwoShops: Sendable {
  let store = StoreInMemory()
  let clock = TestClock()
  /// The rows of each service.
  let rows = Mutex<[String: [Value]]>([:])
  /// The total that a service announces beside what it has.
  let extra = Mutex(0)

  private static func manifest(_ name: String, _ more: String) throws -> Source<LooseRecord> {
    let text = """
      {"aggregator": 1, "address": {"setting": "\(name.uppercased())_URL", "default": "https://\(name).example/"}, "budget": "unlimited",
       \(more)
       "sources": {"\(name)": {"summary": "Things", "list": {"path": "\(name)", "query": {"skip": "{offset}", "take": "{size}"}},
        "rows": "rows", "key": "id", "fields": [{"name": "id", "type": "integer"},
         {"name": "name", "role": "title", "searchable": true}, {"name": "city"}, {"name": "person", "type": "integer"},
         {"name": "born", "type": "time"}, {"name": "weight", "type": "number"}, {"name": "life", "detail": true}], "detail": {"request": {"path": "\(name)/{id}"}, "row": ""},
        "paging": {"by": "offset", "size": 1000, "total": "total", "end": "total"}}}}
      """
    return try Manifest(Array(text.utf8), file: "\(name).json").source(name)
  }

  private static func people() throws -> Source<LooseRecord> {
    try manifest("people", #""keys": [{"setting": "PEOPLE_KEY", "header": "X-Key"}],"#)
  }

  func catalogue() throws -> Catalogue { try Catalogue([Self.people().descriptor, Self.manifest("orders", "").descriptor]) }

  /// The stored people.
  func archive() throws -> Archive<LooseRecord> { try Self.people().open(in: world()).stored }

  func world(key: String = "A") throws -> World {
    let transport = StubTransport { [self] request, _ in
      let name = "\(request)".contains("people") ? "people" : "orders"
      let rows = rows.withLock { $0[name] ?? [] }
      return HTTPResponse(
        status: 200, body: (["rows": .list(rows), "total": .int(rows.count + extra.withLock(\.self))] as Value).bytes)
    }
    let settings = try catalogue().sources.flatMap(\.settings)
    var world = World(settings: Settings(declared: settings, flags: ["PEOPLE_KEY": key]), transport: transport, keepingIn: store)
    (world.clock, world.patience) = (clock, .none)
    return world
  }

  func sync(_ name: String, _ rows: [Value]) async throws {
    self.rows.withLock { $0[name] = rows }
    // No two syncs are at the moment that a test has noted between them.
    clock.advance(by: .seconds(1))
    var ask = Ask(of: name)
    ask.terms.reach = .live
    _ = try await catalogue().open(ask, in: world()).sync(ask, SyncWishes(full: true))
    clock.advance(by: .seconds(3_600))
  }

  func answer(_ text: String, key: String = "A", _ change: (inout Statement) -> Void = { _ in }) async throws
    -> (rows: [[Value]], answer: StatementAnswer)
  {
    var statement = Statement(text)
    change(&statement)
    var answer = try await catalogue().answer(to: statement, in: world(key: key), by: SQLiteQueries())
    var rows: [[Value]] = []
    while let more = try await answer.nextRows() { rows += more }
    return (rows, answer)
  }

  func rows(_ text: String) async throws -> [[Value]] { try await answer(text).rows }
}
