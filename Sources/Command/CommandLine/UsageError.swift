import AggregatorCore
import Presentation

/// A command line that was not understood.
struct UsageError: Error, Sendable {
  let message: String
  /// The nearest thing that would have been right.
  var suggestion: String?
  /// The usage line of the command that was meant.
  var usage: String?
  /// Whose help tells more: a command's words, or a source's name.
  var topic: String?

  init(_ message: String, suggestion: String? = nil, usage: String? = nil, topic: String? = nil) {
    self.message = message
    self.suggestion = suggestion
    self.usage = usage
    self.topic = topic
  }

  /// The word among `words` that a person who typed `word` probably meant.
  static func nearest(to word: String, among words: [String]) -> String? { Closest.closest(to: word, among: words) }

  /// This error, ending with the usage of `command`, unless it names another.
  func about(_ command: Command) -> UsageError {
    guard usage == nil, !command.words.isEmpty else { return self }
    return UsageError(message, suggestion: suggestion, usage: "\(command.usage) [OPTIONS]", topic: command.name)
  }
}

extension UsageError {
  init(_ error: ColumnError) {
    switch error {
    case .none: self.init("--fields has no field names; type --fields alone to list them")
    case .unknown(let name, let nearest, let known):
      self.init(
        "unknown field \"\(name)\"; available fields: \(known.joined(separator: ", "))", suggestion: nearest.map { "--fields \($0)" })
    }
  }
}

extension UsageError {
  /// What is wrong with the value of an option.
  init(_ error: SourceError, of option: Option) {
    self.init("--\(option.name): \(error.message)\(error.remedy.map { "; \($0)" } ?? "")")
  }
}
