import AggregatorCore
import StoreTesting
import Synchronization
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct StoreLawsTests {
  @Test("a store on a server keeps every law", arguments: StoreLaw.allCases)
  func laws(law: StoreLaw) async throws {
    let address = try await TestServer.newDatabase()
    let laws = StoreLaws("postgres", locking: { _ in try await lock(address) }) {
      { TestServer.store(at: address) }
    }
    let breach = await laws.breach(of: law)
    #expect(breach == nil)
  }

  /// Locks every table, as a person does who changes tables by hand.
  private func lock(_ address: ServerAddress) async throws -> @Sendable () -> Void {
    let connection = try await DatabaseConnection.open(address, until: .now + .seconds(60))
    let tables = ["write_log", "source_info", "soft_deletion", "fetch_log"].map { "aggregator.\($0)" }.joined(separator: ", ")
    _ = try await connection.run(
      [ServerQuery("BEGIN"), ServerQuery("LOCK TABLE \(tables) IN SHARE ROW EXCLUSIVE MODE")], until: .now + .seconds(60))
    let other = Mutex<DatabaseConnection?>(connection)
    return { other.withLock { $0 = nil } }
  }
}
