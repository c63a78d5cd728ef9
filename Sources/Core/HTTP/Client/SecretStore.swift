import Synchronization

/// A store for texts that only one person may read, such as the tokens of a login.
package protocol SecretStore: Sendable {
  /// Returns the text under that name; nil if none is stored.
  func text(_ name: String) throws(SourceError) -> [UInt8]?
  /// Stores a text for good before it returns; nil removes it.
  func keep(_ text: [UInt8]?, as name: String) throws(SourceError)
  /// Runs `work` while no other task or process does so under that name.
  func alone<Answer: Sendable>(_ name: String, _ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer
}

/// A store for the life of a process.
package final class SecretsInMemory: SecretStore {
  private let texts = Mutex<[String: [UInt8]]>([:])
  /// The work that was begun last under each name.
  private let last = Mutex<[String: Task<Void, Never>]>([:])

  package init() {}

  package func text(_ name: String) -> [UInt8]? { texts.withLock { $0[name] } }

  package func keep(_ text: [UInt8]?, as name: String) { texts.withLock { $0[name] = text } }

  package func alone<Answer: Sendable>(
    _ name: String, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let task = last.withLock { last in
      let before = last[name]
      let task = Task {
        await before?.value
        return try await work()
      }
      last[name] = Task { _ = try? await task.value }
      return task
    }
    return try await task.value
  }
}
