import Synchronization

/// Remembers which hosts could not be reached a moment ago.
public protocol HostMemory: Sendable {
  /// What went wrong with `host` within `span`, if anything did: what lies behind its end was noted by a clock that was ahead.
  func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) -> SourceError?
  /// Notes that a host could not be reached, or, with nil, that it could.
  func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment)
}

/// Does not wait again for a host that could not be reached within the last 30 seconds.
public struct ReachabilityMiddleware: Middleware {
  private static let span = Duration.seconds(30)

  let memory: any HostMemory
  let clock: any Timekeeper
  /// Whether to knock whatever is remembered.
  let isInsistent: Bool

  public init(_ memory: any HostMemory, clock: any Timekeeper = SystemTime(), insisting isInsistent: Bool = false) {
    self.memory = memory
    self.clock = clock
    self.isInsistent = isInsistent
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let host = request.address.origin
    let now = clock.now
    if !isInsistent, var failure = memory.failure(of: host, within: (now - Self.span)...now) {
      failure.message += ", moments ago"
      throw failure
    }
    var request = request
    request.limits.connect = min(request.limits.connect, Self.patienceLeft ?? request.limits.connect)
    do {
      let response = try await next.send(request)
      memory.note(nil, of: host, at: clock.now)
      return response
    } catch let error as SourceError where error.kind == .unreachable {
      memory.note(error, of: host, at: clock.now)
      throw error
    }
  }

  /// How long a connection may take where the deadline comes first: a little less, so that it is the connection that fails and not
  /// the whole request, and the host is known not to have answered. Nil where there is too little time to tell.
  private static var patienceLeft: Duration? {
    guard let left = Deadline.left, left >= .milliseconds(970) else { return nil }
    return left - min(left / 10, .milliseconds(300))
  }
}

/// Hosts remembered for the life of a process.
public final class HostsInMemory: HostMemory {
  private let failures = Mutex<[WebAddress.Origin: (moment: Moment, error: SourceError)]>([:])

  public init() {}

  public func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) -> SourceError? {
    failures.withLock { $0[host].flatMap { span.contains($0.moment) ? $0.error : nil } }
  }

  public func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) {
    failures.withLock { $0[host] = failure.map { (now, $0) } }
  }
}
