import AggregatorCore
import Synchronization

/// Keeps to the limits that a service reports with each answer, before it has to refuse a
/// request: `RateLimit-Remaining`, `X-RateLimit-Reset`.
final class RateLimits: Middleware {
  private let clock: any Timekeeper
  /// The time at which a host may be asked again, for each host that said that no requests remain.
  private let pauses = Mutex<[WebAddress.Origin: Moment]>([:])

  init(clock: any Timekeeper) { self.clock = clock }

  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    let origin = request.address.origin
    if let until = pauses.withLock({ $0[origin] }), until > clock.now {
      let wait = until - clock.now
      guard wait <= Patience.longestWait else {
        throw SourceError.throttled("the service's own limit is reached", for: wait)
      }
      Event.emit(.waiting(wait, because: "the service's own limit"))
      try await clock.sleep(until: until)
    }
    let response = try await next.send(request)
    let until = pause(after: response)
    pauses.withLock { $0[origin] = until }
    return response
  }

  /// Returns the time to continue; nil if requests remain, or if the service does not say.
  private func pause(after response: HTTPResponse) -> Moment? {
    func number(_ text: String?) -> Double? {
      text.flatMap { Double($0.split(separator: ",").first.map(\.trimmingSpaces) ?? "") }
    }
    // The newer forms have both numbers: `limit=100, remaining=0, reset=30` and `"default";r=0;t=30`.
    var values: [String: Double] = [:]
    for part in (response[header: "RateLimit"] ?? "").split(whereSeparator: { ",;".contains($0) }) {
      let sides = part.split(separator: "=", maxSplits: 1).map(\.trimmingSpaces)
      if sides.count == 2 { values[sides[0].lowercased()] = Double(sides[1]) }
    }
    let older = ["RateLimit", "X-RateLimit", "X-Rate-Limit"].map { prefix in
      (number(response[header: "\(prefix)-Remaining"]), number(response[header: "\(prefix)-Reset"]))
    }
    for case (let remaining?, let reset?) in older + [(values["remaining"] ?? values["r"], values["reset"] ?? values["t"])] {
      // A small number counts seconds from now, a large one those since 1970.
      let span = Duration.seconds(clamping: max(0, reset))
      return remaining > 0 ? nil : reset < 1e9 ? clock.now + span : Moment(sinceEpoch: span)
    }
    return nil
  }
}
