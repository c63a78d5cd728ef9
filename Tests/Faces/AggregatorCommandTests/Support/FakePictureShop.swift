import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// A shop on the loopback with products and their pictures, and the command that asks it, with a cache of its own.
struct FakePictureShop {
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
      connection.answer(bytes: path.hasSuffix(".gif") ? FakePictureShop.gif : FakePictureShop.png)
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
