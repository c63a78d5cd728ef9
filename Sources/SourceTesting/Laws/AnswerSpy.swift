import AggregatorCore
import Synchronization

/// Keeps answers in memory, and shows what was kept.
final class AnswerSpy: AnswerKeeper {
  private let memory = StoreInMemory()
  private let log = Mutex<[String]>([])

  /// Everything that was kept, and under what.
  var texts: [String] { log.withLock { $0 } }

  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await memory.answer(key, step: step) }

  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    log.withLock { $0 += ["\(key)", String(decoding: answer.rows, as: UTF8.self), "\(answer.next)"] }
    return try await memory.keep(answer, under: key, step: step)
  }
}
