/// Whether somebody said "again": then it is asked whatever is remembered, of answers and of hosts that could not be reached.
///
/// ```swift
/// try await Insistence.$isAsked.withValue(true) { try await walk.nextPage() }
/// ```
///
/// `Surroundings.isInsistent` is the same for all that is opened in them.
public enum Insistence {
  @TaskLocal public static var isAsked = false
}
