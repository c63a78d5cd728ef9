/// Remembers the hosts that could not be reached, or did not answer, a moment ago.
public protocol HostMemory: Sendable {
  /// Returns when and why `host` could not be reached within `span`; nil if it could. An entry after `span` is from a clock that was ahead,
  /// and is ignored.
  func failure(of host: WebAddress.Origin, within span: ClosedRange<Moment>) async -> (at: Moment, error: SourceError)?
  /// Notes that a host could not be reached; nil notes that it could.
  func note(_ failure: SourceError?, of host: WebAddress.Origin, at now: Moment) async
}

/// Fails at once for a host that could not be reached, or did not answer, within the last 30 seconds.
public struct ReachabilityMiddleware: Middleware {
  private static let span = Duration.seconds(30)
  /// The wait after which a host counts as silent, whether the caller or the transport gave up. A shorter wait says nothing about the host.
  private static let silence = Duration.seconds(7)

  let memory: any HostMemory
  let clock: any Timekeeper

  /// A middleware with that memory, which processes may share.
  public init(_ memory: any HostMemory, clock: any Timekeeper = SystemTime()) {
    (self.memory, self.clock) = (memory, clock)
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let host = request.address.origin
    let now = clock.now
    // The caller that decided on another attempt knows how the first one ended.
    let isRepeated = (Attempts.current?.count ?? 1) > 1
    if !OriginDemand.isForService, !isRepeated, let failure = await memory.failure(of: host, within: (now - Self.span)...now) {
      throw failure.error.repeated(of: host, now - failure.at)
    }
    let request = copy(of: request) { $0.limits.connect = min($0.limits.connect, Self.patienceLeft ?? $0.limits.connect) }
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

  /// Notes a failure even after the deadline, and in a cancelled task.
  private func note(_ failure: SourceError, of host: WebAddress.Origin) async {
    try? await Deadline.disregarded(grace: .seconds(1)) { [memory, clock] in
      await memory.note(failure, of: host, at: clock.now)
    }
  }

  /// The time for a connection if the deadline comes first. It is a little less than the time left, so that the connection fails and not
  /// the whole request. Nil if the time is too short to tell anything.
  private static var patienceLeft: Duration? {
    guard let left = Deadline.left, left >= .milliseconds(970) else { return nil }
    return left - min(left / 10, .milliseconds(300))
  }
}

extension SourceError {
  /// Returns this error as one that was remembered for `age`: `cannot reach api.example (checked 12 s ago): connection refused`.
  fileprivate func repeated(of host: WebAddress.Origin, _ age: Duration) -> SourceError {
    let what = "cannot reach \(host.authority)"
    let why = message.hasPrefix(what) ? message.dropFirst(what.count) : ": \(message)"
    return copy(of: self) { $0.message = "\(what) (checked \(age.ago))\(why)" }
  }
}
