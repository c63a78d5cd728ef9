import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// A service with a list of orders that a test can change, its added manifest, and the command with a store of its own.
struct FakeOrders {
  private let list: OrderList
  let server: StandInServer
  let folder: String

  private final class OrderList: Sendable {
    let rows: Mutex<[String]>
    init(_ rows: [String]) { self.rows = Mutex(rows) }
  }

  /// Orders as the service writes them, with values that files write in several ways.
  static let rows = [
    #"{"id":"1","status":"open","total":1,"price":19.90,"paid":true,"tags":["a, b","c"],"rest":{"b":[1,{"c":null,"d":"x"}],"a":"1.0"},"made":"2024-02-29T10:00:00Z","note":" Say \"hi\",\r\n\tüñ "}"#,
    #"{"id":"2","status":"","total":0,"price":1e3,"paid":false,"tags":[],"rest":"470","made":null,"note":"0470"}"#,
    #"{"id":"3","status":"paid","total":9007199254740993,"price":-0.10,"paid":null,"tags":["true"],"rest":[],"note":"null"}"#,
  ]

  init(_ rows: [String] = FakeOrders.rows) async throws {
    let list = OrderList(rows)
    self.list = list
    server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer("[\(list.rows.withLock { $0 }.joined(separator: ","))]")
      }
    }
    folder = try Folder.fresh()
    let manifest = """
      {"aggregator": 1, "address": {"setting": "ORDERS_URL", "default": "\(try server.address("/"))"}, "budget": "unlimited", "sources": {"orders": {
        "summary": "Orders", "list": {"path": "orders"}, "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [
          {"name": "id", "width": "whole"}, {"name": "status", "role": "title", "searchable": true}, {"name": "total", "type": "number"},
          {"name": "price", "type": "decimal"}, {"name": "paid", "type": "boolean"}, {"name": "tags", "type": "texts"},
          {"name": "rest", "type": "json"}, {"name": "made", "type": "time"}, {"name": "note", "searchable": true}]}}}
      """
    try Folder.write(manifest, to: "\(folder)/orders.json")
    try await expect(run("add orders.json"), 0)
  }

  /// Sets the service's orders from now on.
  func become(_ rows: String...) { become(rows: rows) }

  func become(rows: [String]) { list.rows.withLock { $0 = rows } }

  func run(_ arguments: String..., input: String = "") async throws -> Binary.Outcome {
    try await run(arguments.words, input: input)
  }

  /// Runs a line with these conditions, which may have spaces.
  func run(_ line: String, where conditions: [String]) async throws -> Binary.Outcome {
    try await run([line].words + conditions.flatMap { ["--where", $0] })
  }

  private func run(_ words: [String], input: String = "") async throws -> Binary.Outcome {
    try await InProcess.run(words, input: input, environment: Folder.homes(folder) + ["HOME": folder], in: folder)
  }
}
