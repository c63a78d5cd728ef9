import AggregatorCore
import Recordings

// MARK: - Errors and fallbacks

extension HazardCheck {
  var errorOutcome: LawOutcome {
    if let complaint = first(malformedError) { return .failed(complaint) }
    guard let kinds = due.errors else {
      return walks.contains { $0.trouble != nil } ? .passed : .notApplicable("no error is expected")
    }
    if first(silentFailure) != nil { return .notApplicable("no error was seen") }
    // A fallback that hides a refusal breaks the law about fallbacks.
    if !due.fallsBack, anywhere.error == nil { return .notApplicable("a fallback answered") }
    for walk in walks {
      guard let trouble = walk.trouble else { return .failed("records came where an error is expected") }
      guard kinds.contains(trouble.kind) else {
        let due = kinds.map(\.name).sorted().joined(separator: " or ")
        return .failed("the error is of the kind \(trouble.kind.name); expected \(due)")
      }
    }
    return .passed
  }

  /// Returns a complaint about the form of an error, whatever its subject.
  private func malformedError(of walk: ObservedWalk) -> String? {
    if let error = walk.error, !(error is SourceError), !(error is CancellationError) {
      return "a \(type(of: error)) was thrown; only SourceError and CancellationError are allowed"
    }
    guard let error = walk.trouble else { return nil }
    if error.message.isEmpty { return "an error of the kind \(error.kind.name) has no message" }
    let name = source.descriptor.name
    if error.source != name {
      return "an error names \(error.source.map { "\"\($0)\"" } ?? "no source"); it should name \"\(name)\""
    }
    return nil
  }

  var fallbackOutcome: LawOutcome {
    for walk in walks where walk.origins.count > 1 {
      return .failed("one walk mixed pages of \(walk.origins.map(\.rawValue).sorted().joined(separator: " and "))")
    }
    if !live.origins.isSubset(of: [.live]) { return .failed("a fallback answered although only the service may") }
    if due.errors == nil { return .passed }
    if first(silentFailure) != nil || errorOutcome.isFailure { return .notApplicable("the error itself was wrong") }
    if !due.fallsBack {
      return .unless(
        anywhere.error == nil ? "\(anywhere.origin?.kind.rawValue ?? "something") answered in place of a refusal" : nil)
    }
    guard source.hasBundle else { return .notApplicable("it has no bundled records") }
    if let error = anywhere.error { return .failed("no fallback answered: \(error)") }
    guard let origin = anywhere.origin, origin.kind == .bundled else {
      return .failed("the fallback does not say that it is bundled")
    }
    return .unless(origin.reason == nil ? "the fallback does not say why it answered" : nil)
  }

  // MARK: - Manners

  private static let attempts = 3
  private static let longestWait = Duration.seconds(30)

  func impatience(of walk: ObservedWalk) -> String? {
    var repeats = 0
    for (before, after) in zip(walk.requests, walk.requests.dropFirst()) {
      let isSame = TapedRequest(before) == TapedRequest(after)
      repeats = isSame ? repeats + 1 : 0
      // Looking back from a page of one row asks for that page again, and so does following a token that leads nowhere.
      if isSame, !after.isRepeatable, hazard != .clampedToOne, hazard != .moreWithheld {
        return "\(after) was sent again, which is not declared safe to repeat"
      }
      if repeats >= Self.attempts { return "\(after) was sent more than \(Self.attempts) times" }
    }
    if let wait = walk.waits.max(), wait > Self.longestWait { return "it waited \(wait.inWords) at once" }
    let waited = walk.waits.reduce(.zero, +)
    switch hazard {
    case .unreachable where walk.requests.count > 1: return "an unreachable host was asked \(walk.requests.count) times"
    case .throttledForLong where waited > .zero: return "it waited \(waited.inWords) for a service that asked for a day"
    case .throttledForLong where walk.trouble.map { $0.retryAfter == nil } ?? false:
      return "the error does not say when to try again"
    case .throttledSeconds where isPatienceDue && waited < .seconds(2):
      return "it retried after \(waited.inWords); the service asked for 2 s"
    case .throttledUntilDate where isPatienceDue && waited < .seconds(4):
      return "it retried after \(waited.inWords); the service asked for 5 s"
    case .failsOnce where isPatienceDue && waited == .zero: return "it retried at once"
    default: return nil
    }
  }

  private var isPatienceDue: Bool { due.errors == nil && walks.allSatisfy { $0.requests.count > 1 } }

  func overlargeLimit(of walk: ObservedWalk) -> String? {
    let usual = HTTPLimits()
    for request in walk.requests {
      if request.limits.bodyBytes > usual.bodyBytes { return "\(request) takes \(request.limits.bodyBytes >> 20) MB" }
      if request.limits.total > usual.total { return "\(request) waits \(request.limits.total.inWords)" }
    }
    return nil
  }

  func leakedSecret(of walk: ObservedWalk) -> String? {
    let trace = walk.traces.first { trace in
      source.canaries.contains { trace.text.contains($0) || trace.text.contains(PercentEncoding.query($0)) }
    }
    return trace.map { "the secret appears in \($0.container)" }
  }
}
