/// Remembers which hosts could not be reached, or did not answer, a moment ago.
public protocol HostMemory: Sendable {
  /// When and why `host` could not be reached within `span`; nil where it could. What is later was noted by a clock that was ahead.
  func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)?
  /// Notes that a host could not be reached, or, with nil, that it could.
  func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async
}

/// Does not wait again for a host that could not be reached, or did not answer, within the last 30 seconds.
public struct ReachabilityMiddleware: Middleware {
  private static let span = Duration.seconds(30)
  /// Whoever has not answered for so long is silent, whether the caller or the transport gave up; a shorter wait says nothing of the host.
  private static let silence = Duration.seconds(7)

  let memory: any HostMemory
  let clock: any Timekeeper

  /// With what is remembered in `memory`, which processes may share.
  public init(_ memory: any HostMemory, clock: any Timekeeper = SystemTime()) {
    self.memory = memory
    self.clock = clock
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let host = request.address.origin
    let now = clock.now
    // A further try was decided on by who knows how the first one ended.
    let isRepeated = (Attempts.current?.count ?? 1) > 1
    if !Insistence.isAsked, !isRepeated, let failure = await memory.failure(of: host, within: (now - Self.span)...now) {
      throw failure.error.repeated(of: host, now - failure.at)
    }
    let request = changing(request) { $0.limits.connect = min($0.limits.connect, Self.patienceLeft ?? $0.limits.connect) }
    do {
      let response = try await next.send(request)
      await memory.note(nil, of: host, at: clock.now)
      return response
    } catch {
      let waited = clock.now - now
      if let error = error as? SourceError, error.kind == .unreachable {
        await note(error, of: host)
      } else if waited >= Self.silence, error is CancellationError || (error as? SourceError)?.kind == .timedOut {
        await note(SourceError(.unreachable, "no answer within \(waited.inWords)"), of: host)
      }
      throw error
    }
  }

  /// It is known also where nobody waits any longer.
  private func note(_ failure: SourceError, of host: WebAddress.Origin) async {
    try? await Deadline.disregarded { [memory, clock] in await memory.note(failure, of: host, at: clock.now) }
  }

  /// How long a connection may take where the deadline comes first: a little less, so that it is the connection that fails, and not the
  /// whole request. Nil where there is too little time to tell.
  private static var patienceLeft: Duration? {
    guard let left = Deadline.left, left >= .milliseconds(970) else { return nil }
    return left - min(left / 10, .milliseconds(300))
  }
}

extension SourceError {
  /// This failure to reach `host`, known for `age`: `cannot reach api.example (checked 12 s ago): connection refused`.
  fileprivate func repeated(of host: WebAddress.Origin, _ age: Duration) -> SourceError {
    let what = "cannot reach \(host.place)"
    let why = message.hasPrefix(what) ? message.dropFirst(what.count) : ": \(message)"
    return changing(self) { $0.message = "\(what) (checked \(age.ago))\(why)" }
  }
}
