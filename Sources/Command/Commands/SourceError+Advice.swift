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
      error.remedy = "'\(program) \(source.name) \(source.searches == nil ? "list" : "search TEXT")' finds what there is"
    case .notKept:
      error.remedy = "leave --offline out to ask the service"
    case .timedOut where invocation.has(.timeout):
      error.remedy = "give it longer than --timeout \(invocation.value(.timeout) ?? "")"
    case .refusedKey:
      let key = source.settings.first(where: \.isSecret)
      error.remedy = key.map { "type '\(program) config set \($0.name)'" } ?? "'\(program) config' shows where it is asked"
    case .throttled where retryAfter == nil:
      error.remedy = "the service does not say when it will answer again; try in an hour"
    case .badRequest:
      error.remedy = "--explain shows the request"
    case .malformed, .truncated, .unavailable, .noSuchAddress, .unreachable, .interrupted, .timedOut, .throttled:
      let address = source.settings.first { $0.kind == .address }
      let others = invocation.has(.live) ? "leave --live out to take what stands in for it" : nil
      error.remedy = others ?? address.map { "'\(program) config' shows where \($0.name) points" }
    default: break
    }
    return error
  }
}
