/// What somebody insists on.
///
/// ```swift
/// try await Insistence.$on.withValue(.service) { try await walk.nextPage() }
/// ```
///
/// `Surroundings.isInsistent` is the first for all that is opened in them.
public enum Insistence: Sendable, Hashable {
  /// Somebody said "again": it is asked whatever is remembered, of answers and of hosts that could not be reached.
  case service
  /// Somebody does not want to wait: what stands in for the service answers a first page.
  case standIn

  @TaskLocal public static var on: Insistence?

  public static var isAsked: Bool { on == .service }
}
