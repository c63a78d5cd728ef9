import AggregatorCore
import ScratchFolders
import TestServers

@testable import Store

/// What a suite is tried on: a store in a file of its own.
class FileSuite {
  let scratch: ScratchFolder
  let store: SQLiteStore
  var friends: Archive<Friend> { store.friends }

  init() throws {
    scratch = try ScratchFolder()
    store = SQLiteStore(at: scratch["store.db"])
  }
}

/// The same on a server, where there is one.
class StoreSuite {
  let scratch: ScratchFolder
  let store: any RecordStore
  var friends: Archive<Friend> { store.friends }

  init() async throws {
    scratch = try ScratchFolder()
    store = try await TestServer.newStore(orAt: scratch["store.db"])
  }
}
