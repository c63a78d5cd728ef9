import AggregatorCore
import SourceTesting
import Synchronization

/// A products service on the loopback with many products, and the command that asks it, with a store of its own.
struct FakeProducts {
  let server: StandInServer
  let folder: String
  let environment: [String: String]

  /// `count` products. `onRequest` gets the offset of each page that is asked for, and returns true if it has answered itself.
  init(
    _ count: Int, budget: String = "unlimited",
    onRequest: @escaping @Sendable (Int, ServerConnection) -> Bool = { _, _ in false }
  ) throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        let skip = FakeProducts.skip(in: request)
        if onRequest(skip, connection) { continue }
        let rows = (skip..<max(skip, min(count, skip + 100))).map {
          #"{"id":"\#($0)","title":"Kettle \#($0)","merchant":"Shop","images":[]}"#
        }
        connection.answer(#"{"products":[\#(rows.joined(separator: ","))]}"#)
      }
    }
    folder = try Folder.fresh()
    environment = ["PRODUCTS_BASE_URL": "\(try server.address("/"))", "PRODUCTS_BUDGET": budget] + Folder.homes(folder)
  }

  /// The offsets of the pages that were asked for.
  var asked: [Int] { server.requests.map(Self.skip) }

  func run(_ arguments: String...) async throws -> Binary.Outcome { try await run(arguments.words) }

  func run(_ arguments: [String]) async throws -> Binary.Outcome {
    try await InProcess.run(["products"] + arguments, environment: environment, in: folder)
  }

  /// Starts the command and returns at once; its messages go to `errors`.
  func start(_ arguments: String..., errors: Int32? = nil) throws -> Spawned { try start(arguments.words, errors: errors) }

  func start(_ arguments: [String], errors: Int32? = nil) throws -> Spawned {
    try Binary.start(["products"] + arguments, environment: environment, in: folder, errors: errors)
  }

  private static func skip(in request: ServerRequest) -> Int {
    (try? JSON(request.bytes).int("skip")) ?? -1
  }
}

extension StandInServer {
  /// An environment in which it is the service of every source, and all stored files are in `folder`.
  func environment(in folder: String) throws -> [String: String] {
    [
      "COUNTRIES_URL": "\(try address("/countries.json"))", "PRODUCTS_BASE_URL": "\(try address("/"))",
      "RANDOM_USER_BASE_URL": "\(try address("/api/1.4/"))", "RANDOM_USER_BUDGET": "unlimited",
      "COMIC_VINE_BASE_URL": "\(try address("/api/"))", "COMIC_VINE_API_KEY": FakeComicVine.key, "COMIC_VINE_BUDGET": "unlimited",
    ] + Folder.homes(folder)
  }
}
