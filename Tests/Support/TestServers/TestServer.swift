package import AggregatorCore
import Platform
import Store

@testable package import PostgresStore

/// The server that Scripts/with-postgres has started for these tests.
package enum TestServer {
  package static let address: ServerAddress? = getenv("AGGREGATOR_POSTGRES").flatMap { ServerAddress(String(cString: $0)) }

  package static var isThere: Bool { address != nil }

  /// Makes an empty database; all of them are removed with the server.
  package static func newDatabase() async throws -> ServerAddress {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    let end = ContinuousClock.now + patience
    guard let address,
      let database = ServerAddress(address.text.reveal().replacingEach("/aggregator?", with: "/\(name)?"))
    else { throw SourceError(.storage, "no server was started for these tests") }
    _ = try await DatabaseConnection.open(address, until: end).run([ServerQuery("CREATE DATABASE \(name) TEMPLATE template0")], until: end)
    return database
  }

  /// The time for which a test waits for the server. All tests share the server, so an answer may take a minute on a busy machine.
  package static let patience = Duration.seconds(600)

  /// Returns the store of an empty database.
  package static func newStore() async throws -> PostgresStore { store(at: try await newDatabase()) }

  package static func store(at address: ServerAddress, copying isCopy: Bool = false) -> PostgresStore {
    PostgresStore(at: address, copying: isCopy, patience: patience)
  }

  /// Returns the store for a test that holds for every store: one on the server if there is one, else one in a file.
  package static func newStore(orAt path: String) async throws -> any RecordStore {
    if isThere { try await newStore() } else { SQLiteStore(at: path) }
  }
}

/// A record for the tests of stores.
package struct Friend: Record {
  package var id: String
  package var name: String
  package var nicknames: [String]
  package var note: String?

  package static let fields: [Field<Friend>] = [
    Field("id", \.id, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("nicknames", \.nicknames, searchable: true),
    Field("note", \.note),
  ]

  package init() { self.init(id: "") }

  package init(id: String, name: String = "", nicknames: [String] = [], note: String? = nil) {
    (self.id, self.name, self.nicknames, self.note) = (id, name, nicknames, note)
  }

  package init(_ number: Int, _ name: String? = nil) { self.init(id: "\(number)", name: name ?? "Friend \(number)") }
}

extension RecordStore {
  package var friends: Archive<Friend> { Archive("friends", in: self) }
}
