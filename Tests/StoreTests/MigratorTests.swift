import AggregatorCore
import ScratchFolders
import Synchronization
import Testing

@testable import Store

@Suite("Bringing a store up to date") struct MigratorTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func open(_ steps: [[String]], willRun: @escaping @Sendable (String) throws -> Void = { _ in }) throws -> (
    version: Int, tables: Int
  ) {
    var format = Database.Format(steps: steps)
    format.willRun = willRun
    let database = Database(scratch["store.db"], format: format, patience: .seconds(30), clock: SystemTime())
    return try database.reading { connection in
      (try connection.number("PRAGMA user_version"), try connection.number("SELECT count(*) FROM sqlite_schema"))
    }
  }

  private let first = [["CREATE TABLE a(x)", "CREATE TABLE b(x)"]]
  private var second: [[String]] { first + [["CREATE TABLE c(x)", "CREATE TABLE d(x)"]] }

  @Test("each step runs once")
  func once() throws {
    #expect(try open(first) == (1, 2))
    #expect(try open(second) == (2, 4))
    #expect(try open(second) { Issue.record("\($0) ran again") } == (2, 4))
  }

  private struct Interruption: Error {}

  @Test("an interrupted step never was, whichever statement it stopped at", arguments: ["CREATE TABLE c(x)", "CREATE TABLE d(x)"])
  func interrupted(at statement: String) throws {
    _ = try open(first)
    #expect(throws: Interruption.self) { try open(second) { if $0 == statement { throw Interruption() } } }
    #expect(try open(first) == (1, 2))
    #expect(try open(second) == (2, 4))
  }

  @Test("of many who upgrade at once one does, and all go on")
  func together() async throws {
    _ = try open(first)
    let runs = PictureCounts()
    let second = second
    let count: @Sendable (String) -> Void = { _ in runs.add() }
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { [self] in try open(second, willRun: count) }
      }
      for try await result in group { #expect(result == (2, 4)) }
    }
    #expect(runs.count == 2)
  }
}

private final class PictureCounts: Sendable {
  private let number = Mutex(0)

  func add() { number.withLock { $0 += 1 } }
  var count: Int { number.withLock { $0 } }
}
