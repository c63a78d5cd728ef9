import AggregatorCore
import Platform
import Testing

@testable import PostgresStore

/// The server that Scripts/with-postgres has started for these tests.
enum TestServer {
  static let address: ServerAddress? = getenv("AGGREGATOR_POSTGRES").flatMap { ServerAddress(String(cString: $0)) }

  static var isThere: Bool { address != nil }
}
