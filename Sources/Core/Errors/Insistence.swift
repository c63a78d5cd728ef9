/// What somebody insists on.
///
/// ```swift
/// try await Insistence.on(.service) { try await walk.nextPage() }
/// ```
///
/// `World.isInsistent` is the first for all that is opened in them.
public enum Insistence: Sendable, Hashable {
  /// Somebody said "again": it is asked whatever is remembered, of answers and of hosts that could not be reached.
  case service
  /// Somebody does not want to wait: what stands in for the service answers a first page.
  case standIn

  /// What is insisted on in this task.
  public static var on: Insistence? { TaskTerms.current.insistence }

  public static var isAsked: Bool { on == .service }

  /// What `work` gives, in which somebody insists on `insistence`, or nobody on anything.
  public static func on<Answer>(
    _ insistence: Insistence?, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await TaskTerms.with({ $0.insistence = insistence }, isolation: isolation, work)
  }
}
