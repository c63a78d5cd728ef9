import AggregatorCore
import Platform
import Testing

@testable import PostgresStore

/// The server that Scripts/with-postgres has started for these tests.
enum TestServer {
  static let address: ServerAddress? = getenv("AGGREGATOR_POSTGRES").flatMap { ServerAddress(String(cString: $0)) }

  static var isThere: Bool { address != nil }

  /// An empty database of its own; all go with the server.
  static func newDatabase() async throws -> ServerAddress {
    let (address, name) = (try #require(address), "test_\(UInt64.random(in: 0 ... .max))")
    let end = ContinuousClock.now + .seconds(60)
    _ = try await Connection.open(address, until: end).run([Query("CREATE DATABASE \(name) TEMPLATE template0")], until: end)
    return try #require(ServerAddress(address.text.reveal().replacingEach("/aggregator?", with: "/\(name)?")))
  }
}
