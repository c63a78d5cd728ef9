import AggregatorCore

/// The one place that decides what an error says and how the command ends for it.
struct Failure: Sendable, Hashable {
  let text: String
  let code: ExitCode

  /// What a command says of an error of its own.
  init(_ error: any Error, in invocation: Invocation) {
    self.init((error as? SourceError)?.ending(invocation) ?? error, program: invocation.program.name)
  }

  init(_ error: any Error, program: String) {
    switch error {
    case let error as UsageError: self.init(error.lines(for: program), code: .usage)
    case let error as SourceError: self.init(["\(program): \(error)"], code: Self.code(for: error.kind))
    case let error as Console.Unwritable: self.init(["\(program): \(error)"], code: .failure)
    case is CancellationError: self.init(["\(program): interrupted"], code: .interrupted)
    default: self.init(["\(program): \(error)"], code: .failure)
    }
  }

  private init(_ lines: [String], code: ExitCode) {
    self.text = lines.map { Printable.clean($0) }.joined(separator: "\n")
    self.code = code
  }

  private static func code(for kind: SourceError.Kind) -> ExitCode {
    switch kind {
    case .unreachable, .noTransport, .interrupted, .timedOut, .unavailable, .noSuchAddress, .unsafeRedirect, .notStored: .unreachable
    case .throttled, .budgetSpent: .throttled
    case .malformed, .truncated, .missingField: .misunderstood
    case .refusedKey, .missingKey: .refused
    case .notFound, .unreadableFile: .noRecord
    case .settings: .settings
    case .storage: .storage
    default: .failure
    }
  }
}

extension UsageError {
  /// What is wrong, what was probably meant, what would be right, and what to type for more.
  fileprivate func lines(for program: String) -> [String] {
    [
      "\(program): \(message)",
      suggestion.map { "did you mean \"\($0)\"?" },
      usage.map { "usage: \(program) \($0)" },
      "type '\(program) help\(topic.map { " \($0)" } ?? "")' for more",
    ].compactMap { $0 }
  }
}
