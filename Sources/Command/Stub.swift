import AggregatorCore
import PostgresStore

extension Invocation {
  func serverStore(at address: ServerAddress) -> any RecordStore { StoreInMemory() }
}
