/// What is asked for ahead of need: it is sent once, and again only when somebody needs it.
///
/// A task-local value, for only who asks knows of the need, and only who asks again, several layers below, can wait for it.
final class Errand: Sendable {
  @TaskLocal static var current: Errand?

  private let need = AsyncStream<Never>.makeStream()
  private let falter: @Sendable () -> Void

  /// `falter` hears each time that it fails in a way that may pass.
  init(faltering falter: @escaping @Sendable () -> Void) { self.falter = falter }

  /// Somebody needs it now.
  func isNeeded() { need.continuation.finish() }

  /// Returns once it may be sent again.
  func mayRepeat() async throws {
    falter()
    for await _ in need.stream {}
    try Task.checkCancellation()
  }
}
