import AggregatorCore
import ScratchFolders
import Testing

@testable import Store

@Suite("Bringing a store up to date") struct MigratorTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func open(_ steps: [[String]]) throws -> [Int] {
    let format = Database.Format(steps: steps)
    let database = Database(scratch["store.db"], format: format, patience: .seconds(30), clock: SystemTime())
    return try database.reading { connection in
      try ["PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"].map { try connection.number($0) }
    }
  }

  private let first = [["CREATE TABLE a(x)", "CREATE TABLE b(x)"]]
  private var second: [[String]] { first + [["CREATE TABLE c(x)", "CREATE TABLE d(x)"]] }

  @Test("each step runs once, and an interrupted one never was", arguments: 0...2)
  func interrupted(behind count: Int) throws {
    #expect(try open(first) == [1, 2])
    #expect(throws: SourceError.self) { try open(first + [Array(second[1].prefix(count)) + ["CREATE TABLE a(x)"]]) }
    #expect(try open(first) == [1, 2])
    for _ in 0..<2 { #expect(try open(second) == [2, 4]) }
  }

  @Test("of many who upgrade at once one does, and all go on")
  func together() async throws {
    _ = try open(first)
    let second = second
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { [self] in try open(second) } }
      for try await result in group { #expect(result == [2, 4]) }
    }
  }
}
