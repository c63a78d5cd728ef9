import AggregatorCore
import ScratchFolders
import StoreTesting
import Synchronization
import Testing

@testable import Store

@Suite struct StoreLawsTests {
  @Test("a store in a file keeps every law", arguments: StoreLaw.allCases)
  func laws(law: StoreLaw) async throws {
    let scratch = try ScratchFolder()
    // Whatever waits for its lock waits for as long as a day has.
    let laws = StoreLaws("sqlite", locking: { _ in try lock(scratch["store.db"]) }) {
      { SQLiteStore(at: scratch["store.db"], patience: .seconds(86_400)) }
    }
    #expect(await laws.breach(of: law) == nil)
  }

  /// As a backup does it.
  private func lock(_ path: String) throws -> @Sendable () -> Void {
    let other = Mutex<Connection?>(try Connection(path, .writing))
    try other.withLock { try $0?.run("BEGIN IMMEDIATE") }
    return { other.withLock { $0 = nil } }
  }
}
