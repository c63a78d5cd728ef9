import AggregatorCore

/// The one place that decides what an error says and how the command ends for it.
struct Failure: Sendable, Hashable {
  let text: String
  let code: ExitCode

  init(_ error: any Error, program: String) {
    switch error {
    case let error as UsageError:
      var lines = ["\(program): \(error.message)"]
      if let suggestion = error.suggestion { lines.append("did you mean \"\(suggestion)\"?") }
      if let usage = error.usage { lines.append("usage: \(program) \(usage)") }
      lines.append("'\(program) help' tells more")
      self.init(text: lines.joined(separator: "\n"), code: .usage)
    case let error as SourceError:
      self.init(text: "\(program): \(error)", code: Self.code(for: error.kind))
    case is CancellationError:
      self.init(text: "\(program): interrupted", code: .interrupted)
    default:
      self.init(text: "\(program): \(error)", code: .failure)
    }
  }

  private init(text: String, code: ExitCode) {
    self.text = text.split(separator: "\n").map { Printable.clean(String($0)) }.joined(separator: "\n")
    self.code = code
  }

  private static func code(for kind: SourceError.Kind) -> ExitCode {
    switch kind {
    case .unreachable, .interrupted, .timedOut, .unavailable, .absent, .notKept: .unreachable
    case .throttled, .budgetSpent: .throttled
    case .malformed, .truncated: .misunderstood
    case .refusedKey, .missingKey: .refused
    case .notFound: .noRecord
    case .settings: .settings
    case .storage: .storage
    default: .failure
    }
  }
}
