import AggregatorCore
import Asking
import Platform
import SourceTesting
import Synchronization
import TestServices

@testable import Serve

/// A server on a port that the system chose, over services of a test. It ends when it is released.
final class TestServer: Sendable {
  let services: TestServices
  let port: Int
  private let running: Task<Void, any Error>

  convenience init(
    _ services: TestServices = TestServices(), endless: Bool = false, store: (any RecordStore)? = StoreInMemory(),
    _ change: (inout Service) -> Void = { _ in }
  ) async throws {
    let catalogue = try endless ? services.endlessCatalogue() : services.catalogue()
    try await self.init(services, of: { (catalogue, Settings(declared: [])) }, in: services.world(store: store), change)
  }

  init(
    _ services: TestServices = TestServices(), of look: @escaping @Sendable () throws -> (Catalogue, Settings), in world: World,
    _ change: (inout Service) -> Void = { _ in }
  ) async throws {
    var service = Service(look: look, in: world)
    change(&service)
    let (addresses, continuation) = AsyncStream<String>.makeStream()
    running = Task { [service] in
      defer { continuation.finish() }
      try await service.run(at: .port(0, of: "127.0.0.1")) { continuation.yield($0) }
    }
    self.services = services
    var port: Int?
    for await address in addresses {
      port = address.split(separator: ":").last.flatMap { Int($0) }
      break
    }
    guard let port else {
      try await running.value
      throw RawClient.Refused()
    }
    self.port = port
  }

  deinit { running.cancel() }

  /// Ends the server, and waits until it has ended.
  func end() async throws {
    running.cancel()
    try await running.value
  }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Sends a request on a connection of its own and reads the whole reply.
  func ask(_ target: String, method: String = "GET", _ headers: [String] = [], host: String? = nil) async throws -> RawReply {
    let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close"] + headers
    let bytes = try await raw(lines.joined(separator: "\r\n") + "\r\n\r\n")
    return RawReply(bytes, hasBody: method != "HEAD")
  }

  /// Sends bytes on a connection of its own, and returns what came until it was closed.
  func raw(_ text: String) async throws -> [UInt8] {
    let client = try client()
    client.send(text)
    return await client.read()
  }
}

extension RawReply {
  /// The JSON of the body.
  var json: Value { (try? JSON(body).value) ?? .null }

  /// A member of the JSON by its path.
  func value(_ path: String...) -> Value { json.value(at: path[...]) }
}
