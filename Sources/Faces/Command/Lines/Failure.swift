import AggregatorCore
package import Asking
import RecordFormats

/// The text and the exit code of an error; decided here alone.
struct Failure: Sendable, Hashable {
  let text: String
  let code: ExitCode
  /// True when the error is one of the store, so that all sources meet the same.
  let isOfStore: Bool

  init(_ error: any Error, program: String) {
    isOfStore = (error as? SourceError)?.isOfStore ?? false
    let lines: [String]
    switch error {
    case let error as UsageError: (lines, code) = (error.lines(for: program), error.code)
    case let error as SourceError: (lines, code) = (["\(program): \(error)"], ExitCode(for: error.kind))
    case is Console.Unwritable: (lines, code) = (["\(program): \(error)"], .storage)
    case is CancellationError: (lines, code) = (["\(program): interrupted"], .interrupted)
    default: (lines, code) = (["\(program): \(error)"], .failure)
    }
    text = lines.map { Printable.clean($0) }.joined(separator: "\n")
  }
}

/// A command line that was not understood.
package struct UsageError: Error, Sendable {
  let message: String
  /// Another code than that for a wrong line, if the line may be right.
  var code = ExitCode.usage
  /// Possible reasons, printed first.
  var notes: [String] = []
  /// The names to choose from, one a line.
  var choices: [String] = []
  /// The nearest words that would have been right.
  var suggestion: String?
  /// The usage line of the command that was meant.
  var usage: String?
  /// The subject whose help tells more: a command's words, or a source's name.
  var topic: String?

  package init(
    _ message: String, notes: [String] = [], choices: [String] = [], suggestion: String? = nil, usage: String? = nil,
    topic: String? = nil
  ) {
    (self.message, self.notes, self.choices) = (message, notes, choices)
    (self.suggestion, self.usage, self.topic) = (suggestion, usage, topic)
  }

  init(_ error: ColumnError) {
    switch error {
    case .none: self.init("--fields has no field names; type --fields alone to list them")
    case .unknown(let field): self.init(field, field.listing) { "--fields \($0)" }
    }
  }

  /// Makes the error for an unknown name. `message` replaces its words; `suggestion` turns the nearest name into what was probably meant.
  package init(
    _ unknown: Unknown, _ message: String? = nil, notes: [String] = [], usage: String? = nil, topic: String? = nil,
    _ suggestion: (String) -> String
  ) {
    let nearest = unknown.nearest.map(suggestion)
    self.init(message ?? "\(unknown)", notes: notes, suggestion: nearest, usage: usage, topic: topic)
  }

  /// Returns this error with the usage of `command`, unless it has a usage already.
  func about(_ command: Command) -> UsageError {
    guard usage == nil, !command.words.isEmpty else { return self }
    return copy(of: self) { ($0.usage, $0.topic) = ("\(command.usage) [OPTIONS]", command.name) }
  }

  /// Returns the error, what was probably meant, the usage, and what to type for more.
  fileprivate func lines(for program: String) -> [String] {
    (notes + [message]).map { "\(program): \($0)" } + choices
      + [
        suggestion.map { "did you mean \"\($0)\"?" },
        usage.map { "usage: \(program) \($0)" },
        "type '\(program) help\(topic.map { " \($0)" } ?? "")' for more",
      ].compactMap { $0 }
  }
}

/// The exit code of the command, for scripts: the numbers of `sysexits`, and 3 for an incomplete answer.
package enum ExitCode: Int32 {
  case success = 0
  case failure = 1
  case partial = 3
  case usage = 64
  case misunderstood = 65
  case noRecord = 66
  case unreachable = 69
  case storage = 74
  case throttled = 75
  case refused = 77
  case settings = 78
  case hungUp = 129
  case interrupted = 130

  fileprivate init(for kind: SourceError.Kind) {
    self =
      switch ErrorClass(of: kind) {
      case .misused: .usage
      case .misunderstood: .misunderstood
      case .missing: .noRecord
      case .unreachable: .unreachable
      case .storage: .storage
      case .later: .throttled
      case .refused: .refused
      case .settings: .settings
      case .unforeseen: .failure
      }
  }

  /// The codes from the most urgent on: first those that need a person, then those that may pass by themselves.
  private static let byUrgency: [ExitCode] = [
    .interrupted, .settings, .refused, .storage, .misunderstood, .failure, .unreachable, .throttled, .partial, .usage,
    .noRecord,
  ]

  /// Returns the most urgent of the codes of several sources.
  static func ofSeveral(_ codes: some Sequence<ExitCode>) -> ExitCode {
    let codes = Set(codes)
    return byUrgency.first(where: codes.contains) ?? .success
  }

  /// The meaning of each code: in a word or two for the overview, in full for the help of the options and the manual page.
  static let meanings: [(code: ExitCode, short: String, meaning: String)] = [
    (.success, "answered", "asked and answered, from wherever the notice says"),
    (.failure, "unforeseen", "anything unforeseen"),
    (.partial, "incomplete", "the answer is incomplete: what there is was printed"),
    (.usage, "usage", "the command line was not understood"),
    (.misunderstood, "not understood", "the service's answer was not understood, and nothing could replace it"),
    (.noRecord, "no such record", "no such record or file"),
    (.unreachable, "unreachable", "the service could not be reached, and nothing could replace its answer"),
    (.storage, "store failed", "the store could not be read or written, or the results could not be written"),
    (.throttled, "try later", "rate-limited, out of budget, or another sync is running: the message says when to try again"),
    (.refused, "key refused", "the key was refused or is missing"),
    (.settings, "settings", "the settings make no sense, or a named key file cannot be read"),
    (.hungUp, "terminal gone", "the terminal is gone"),
    (.interrupted, "interrupted", "interrupted"),
  ]
}
