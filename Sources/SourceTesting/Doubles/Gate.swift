/// Holds tasks at a point until a test lets them go on: hold, act, release.
///
/// ```swift
/// let gate = Gate()
/// let work = Task { try await source.page(request) }   // calls gate.pass() inside
/// try await gate.arrivals(atLeast: 1)
/// work.cancel()
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct Post: Sendable {
    var isOpen = false
    var arrivals = 0
  }

  private let post = Watched(Post())

  public init() {}

  /// How many tasks have come so far, those that went on included.
  public var arrivals: Int { post.state.arrivals }

  /// Whether everyone is let through.
  var isOpen: Bool { post.state.isOpen }

  /// Waits for the gate to open; throws `CancellationError` when the task is cancelled first.
  public func pass() async throws {
    post.change { $0.arrivals += 1 }
    try await post.wait { $0.isOpen }
  }

  /// Returns once so many tasks have come; throws `CancellationError` when the task is cancelled first.
  public func arrivals(atLeast count: Int) async throws {
    try await post.wait { $0.arrivals >= count }
  }

  /// Lets everyone through, now and from now on.
  public func open() {
    post.change { $0.isOpen = true }
  }
}
