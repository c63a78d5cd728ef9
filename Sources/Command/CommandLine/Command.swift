/// A command as it is declared: its words, what it takes, what it does.
///
/// Parsing, help, usage errors and suggestions come from this one description.
struct Command: Sendable {
  /// The words that stand behind a command's own.
  enum Arguments: Sendable, Hashable {
    case none
    /// Exactly one, shown in help as this word.
    case one(String)
    /// Exactly two.
    case two(String, String)
    /// One or more, read as a text with spaces between.
    case text(String)
    /// One or more, each by itself.
    case several(String)
    /// Any number.
    case any(String)
  }

  typealias Action = @Sendable (Invocation) async throws -> ExitCode

  /// `["countries", "search"]`; none for the program by itself.
  let words: [String]
  let arguments: Arguments
  let options: [Option]
  /// Whether help and completions list it; one that only explains why it does not exist is not listed.
  let isListed: Bool
  let summary: String
  let examples: [String]
  let run: Action

  init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [], isListed: Bool = true, _ summary: String,
    examples: [String] = [],
    run: @escaping Action
  ) {
    self.words = words
    self.arguments = arguments
    self.options = options + Option.everywhere
    self.isListed = isListed
    self.summary = summary
    self.examples = examples
    self.run = run
  }

  var name: String { words.joined(separator: " ") }

  /// `countries search TEXT`.
  var usage: String {
    switch arguments {
    case .none: name
    case .one(let word), .text(let word): "\(name) \(word)"
    case .two(let first, let second): "\(name) \(first) \(second)"
    case .several(let word): "\(name) \(word)..."
    case .any(let word): "\(name) [\(word)]"
    }
  }
}
