import AggregatorCore
import SourceTesting

extension SourceError {
  /// This error with what to type about it, where it does not say so itself.
  func advising(_ invocation: Invocation, _ source: SourceDescriptor) -> SourceError {
    guard remedy == nil || kind == Replay.unmatched else { return self }
    let program = invocation.program.name
    var error = self
    switch kind {
    case Replay.unmatched:
      error.remedy = Invocation.howToRecord
    case .notFound:
      error.remedy = "type '\(program) \(source.name) \(source.searches == nil ? "list" : "search TEXT")' to find one"
    case .notKept:
      error.remedy = "omit --offline to ask the service"
    case .timedOut where invocation.has(.timeout):
      if message == Deadline.isLate.message, let time = try? invocation.duration(.timeout) { error.message += " after \(time.inWords)" }
      error.remedy = "try a longer --timeout"
    case .refusedKey:
      let key = source.settings.first(where: \.isSecret)
      error.remedy = key.map { "type '\(program) config set \($0.name)'" } ?? "type '\(program) config' to see which address is asked"
    case .throttled where retryAfter == nil:
      error.remedy = "the service does not say for how long; try again in an hour"
    case .badRequest:
      error.remedy = "use --explain to see the request"
    case .malformed, .truncated, .unavailable, .noSuchAddress, .unreachable, .noTransport, .interrupted, .timedOut, .throttled:
      let address = source.settings.first { $0.kind == .address }
      let others = invocation.has(.live) ? "omit --live to use cached or bundled data" : nil
      error.remedy = others ?? address.map { "type '\(program) config' to check \($0.name)" }
    default: break
    }
    return error
  }
}
