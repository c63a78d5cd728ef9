import AggregatorCore
import ScratchFolders
import TestServers

@testable import Store

/// A list of friends whose pages come as a test says.
struct FriendList: DataSource {
  let profile: Profile
  private let answer: @Sendable (PageRequest, FriendList) async throws -> Page<Friend>

  init(_ paging: Paging, answer: @escaping @Sendable (PageRequest, FriendList) async throws -> Page<Friend>) {
    profile = Profile("friends", paging: paging)
    self.answer = answer
  }

  func page(_ request: PageRequest) async throws -> Page<Friend> { try await answer(request, self) }
}

extension RecordStore {
  /// The records of a walk over the stored records, and its summary.
  func walk(_ query: Query = .everything) async throws -> (items: [Friend], summary: Summary) {
    var walk = Walk(friends.records(), query)
    var items: [Friend] = []
    while let more = try await walk.nextPage() { items += more }
    return (items, walk.summary)
  }
}

extension SQLiteStore {
  func run(_ sql: String) throws { try database.reading { try $0.run(sql) } }
  func number(_ sql: String) throws -> Int { try database.reading { try $0.number(sql) } }
}

extension Fetch {
  static func page(_ number: Int, at seconds: Int = 1_000) -> Fetch {
    Fetch(at: Moment(secondsSinceEpoch: seconds), request: "all", place: "page \(number)")
  }
}

/// The base of a suite: a store in a file of its own.
class FileSuite {
  let scratch: ScratchFolder
  let store: SQLiteStore
  var friends: Archive<Friend> { store.friends }

  init() throws {
    scratch = try ScratchFolder()
    store = SQLiteStore(at: scratch["store.db"])
  }
}

/// The base of a suite: a store on a server if one exists, else a store in a file.
class StoreSuite {
  let scratch: ScratchFolder
  let store: any RecordStore
  var friends: Archive<Friend> { store.friends }

  init() async throws {
    scratch = try ScratchFolder()
    store = try await TestServer.newStore(orAt: scratch["store.db"])
  }
}
