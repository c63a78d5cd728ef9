import AggregatorCore
import PostgresStore
import Store

extension Invocation {
  func serverStore(at address: ServerAddress) -> any MovableStore { SQLiteStore(at: "/tmp/stub.db") }
}
