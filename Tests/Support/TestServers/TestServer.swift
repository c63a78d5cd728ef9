package import AggregatorCore
import Platform
import Store

@testable package import PostgresStore

/// The server that Scripts/with-postgres has started for these tests.
package enum TestServer {
  package static let address: ServerAddress? = getenv("AGGREGATOR_POSTGRES").flatMap { ServerAddress(String(cString: $0)) }

  package static var isThere: Bool { address != nil }

  /// An empty database of its own; all go with the server.
  package static func newDatabase() async throws -> ServerAddress {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    let end = ContinuousClock.now + .seconds(60)
    guard let address,
      let database = ServerAddress(address.text.reveal().replacingEach("/aggregator?", with: "/\(name)?"))
    else { throw SourceError(.storage, "no server was started for these tests") }
    _ = try await Connection.open(address, until: end).run([Query("CREATE DATABASE \(name) TEMPLATE template0")], until: end)
    return database
  }

  /// The store that a test is run on which holds for every store: the one in a file, or where there is a server, one on it.
  package static func newStore(orAt path: String) async throws -> any RecordStore {
    isThere ? PostgresStore(at: try await newDatabase()) : SQLiteStore(at: path)
  }
}
