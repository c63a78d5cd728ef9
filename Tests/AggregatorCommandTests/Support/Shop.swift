import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// A shop on the loopback with products and their pictures, and the command that asks it, with a cache of its own.
struct Shop {
  let server: StandInServer
  let cache: String
  let environment: [String: String]

  /// A PNG of one pixel. It is a real one, because programs that show pictures may look into it.
  static let png: [UInt8] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 4, 0, 0, 0, 181, 28, 12, 2, 0, 0, 0, 11, 73,
    68,
    65, 84, 120, 218, 99, 100, 248, 15, 0, 1, 5, 1, 1, 39, 24, 227, 102, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
  ]
  static let gif: [UInt8] = [
    71, 73, 70, 56, 57, 97, 1, 0, 1, 0, 128, 0, 0, 255, 255, 255, 0, 0, 0, 44, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 68, 1, 0, 59,
  ]

  /// A shop with a product for each title; `pictures` are the paths of its pictures, and `answer` sends what is at a path.
  init(
    _ products: [(title: String, pictures: [String])],
    answer: @escaping @Sendable (ServerConnection, String) -> Void = { connection, path in
      connection.answer(bytes: path.hasSuffix(".gif") ? Shop.gif : Shop.png)
    }
  ) throws {
    let rows = Rows()
    server = try StandInServer { connection in
      while let request = connection.request() {
        let path = request.target
        if path == "/products/offset" {
          connection.answer(#"{"products":[\#(rows.all(from: request).joined(separator: ","))]}"#)
        } else if path.hasPrefix("/product/") {
          connection.answer(rows.one(String(path.dropFirst("/product/".count))))
        } else {
          answer(connection, path)
        }
      }
    }
    let address = "http://127.0.0.1:\(server.port)/"
    rows.texts.withLock { texts in
      texts = products.enumerated().map { index, product in
        let images = product.pictures.map { #""\#($0.hasPrefix("/") ? address + $0.dropFirst() : $0)""# }.joined(separator: ",")
        return #"{"id":"\#(index + 1)","title":"\#(product.title)","images":[\#(images)]}"#
      }
    }
    cache = try Folder.fresh()
    environment = ["PRODUCTS_BASE_URL": address, "XDG_CACHE_HOME": cache]
  }

  /// The paths of pictures that were asked for, in order.
  var asked: [String] { server.requests.map(\.target).filter { !$0.hasPrefix("/product") } }

  func run(_ arguments: String..., environment: [String: String] = [:], in folder: String = "/") async throws -> Binary.Outcome {
    try await InProcess.run(arguments.words, environment: self.environment + environment, in: folder)
  }

  /// The names of the files in a folder, in order.
  static func names(in folder: String) throws -> [String] { try Binary.shell("ls -A \"$F\"", environment: ["F": folder]).lines }

  /// The rows. They are made after the server, because they contain its address.
  private final class Rows: Sendable {
    let texts = Mutex<[String]>([])

    func all(from request: ServerRequest) -> [String] {
      let skip = (try? JSON(request.bytes).int("skip")) ?? 0
      return texts.withLock { Array($0.dropFirst(skip)) }
    }
    func one(_ id: String) -> String { texts.withLock { texts in texts.first { $0.contains(#""id":"\#(id)""#) } ?? "{}" } }
  }
}

/// A service with a list of orders that a test can change, its added manifest, and the command with a store of its own.
struct Orders {
  private let list: OrderList
  private let server: StandInServer
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

  init(_ rows: [String] = Orders.rows) async throws {
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
  func become(_ rows: String...) { list.rows.withLock { $0 = rows } }

  func run(_ arguments: String..., input: String = "") async throws -> Binary.Outcome {
    try await InProcess.run(arguments.words, input: input, environment: Folder.homes(folder) + ["HOME": folder], in: folder)
  }
}
