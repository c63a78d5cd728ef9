import AggregatorCore

/// A request without an answer: HAR has no place for the reason, so tools write it to `_error`, each in its own words.
enum HARFailure {
  private static let kinds: [SourceError.Kind] = [.unreachable, .interrupted, .timedOut, .truncated, .malformed]

  /// `timed-out: no answer from example.com within 30 s`.
  static func text(_ error: SourceError) -> String { "\(error.kind.name): \(error.message)" }

  static func error(_ text: String) -> SourceError {
    let name = text.prefix { $0 != ":" }
    if let kind = kinds.first(where: { $0.name == name }) {
      return SourceError(kind, String(text.dropFirst(name.count + 1).drop { $0 == " " }))
    }
    return SourceError(kind(ofForeign: text), text.isEmpty ? "the recorded request failed" : "the recorded request failed (\(text))")
  }

  /// Browsers' and proxies' words.
  private static func kind(ofForeign text: String) -> SourceError.Kind {
    let text = text.lowercased()
    let unreachable = [
      "name_not_resolved", "refused", "connection_timed_out", "disconnected", "unreachable", "resolve", "connection failed",
    ]
    if unreachable.contains(where: text.contains) { return .unreachable }
    return text.contains("timed_out") || text.contains("timed out") || text.contains("timeout") ? .timedOut : .interrupted
  }
}
