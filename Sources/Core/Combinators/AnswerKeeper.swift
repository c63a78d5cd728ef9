import Synchronization

/// Keeps what sources answered, to give it again when they cannot.
///
/// In memory here; the store's module keeps it on disk.
public protocol AnswerKeeper: Sendable {
  /// The last answer under `key`; nil when there is none or it came before `since`.
  func answer(_ key: AnswerKey, since: Moment?) async throws -> KeptAnswer?
  /// Keeps an answer in place of the one before it.
  func keep(_ answer: KeptAnswer, under key: AnswerKey) async throws
}

/// What an answer is kept under.
public struct AnswerKey: Sendable, Hashable {
  public let source: String
  public let question: String
  public let place: String

  public init(source: String, question: String, place: String) {
    self.source = source
    self.question = question
    self.place = place
  }
}

/// One page as it is kept.
public struct KeptAnswer: Sendable, Hashable {
  /// The records in their own fields, a JSON array.
  public let rows: [UInt8]
  public let faults: [RowFault]
  public let total: Int?
  public let next: Continuation
  /// How the source that made it pages.
  public let paging: Paging
  /// When the walk began that it is part of.
  public let walk: Moment
  /// When it came.
  public let at: Moment

  public init(rows: [UInt8], faults: [RowFault], total: Int?, next: Continuation, paging: Paging, walk: Moment, at: Moment) {
    self.rows = rows
    self.faults = faults
    self.total = total
    self.next = next
    self.paging = paging
    self.walk = walk
    self.at = at
  }
}

/// Answers kept for the life of a process.
public final class AnswersInMemory: AnswerKeeper {
  private let answers = Mutex<[AnswerKey: KeptAnswer]>([:])

  public init() {}

  public func answer(_ key: AnswerKey, since: Moment?) -> KeptAnswer? {
    answers.withLock { $0[key] }.flatMap { answer in since.map { answer.at >= $0 } ?? true ? answer : nil }
  }

  public func keep(_ answer: KeptAnswer, under key: AnswerKey) {
    answers.withLock { $0[key] = answer }
  }
}
