public import AggregatorCore

extension SourceSession {
  /// The texts of the parts that at most `count` readers read what is asked for in: each is the ``Ask/part`` of one of them.
  public func partitions(_ ask: Ask, count: Int) async throws -> [String] {
    var advised = ask
    advised.terms.reach = .anywhere
    return try await advising(advised) { try await listParts(of: ask.query, count: count, deadline: ask.deadline).map(\.text) }
  }
}
