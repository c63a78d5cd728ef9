import AggregatorCore
import StoreTables
import TestServers

@testable import PostgresStore

extension RecordStore {
  /// The records of a walk over the stored records.
  func walk(_ query: Query = .everything, limit: Int? = nil) async throws -> [Friend] {
    var walk = Walk(friends.records(), query, bounds: Bounds(limit: limit))
    var items: [Friend] = []
    while let more = try await walk.nextPage() { items += more }
    return items
  }
}

extension PostgresStore {
  /// The first column of a statement's rows.
  func texts(_ sql: String) async throws -> [String] { try await server.read(sql).map { $0.text(0) } }
}

extension Fetch {
  static func page(_ number: Int, at seconds: Int = 1_000, request: String = "all") -> Fetch {
    Fetch(at: Moment(secondsSinceEpoch: seconds), request: request, place: "page \(number)")
  }
}
