import AggregatorCore

/// A command as it is declared: its words, what it takes, what it does.
///
/// Parsing, help, completions, the manual page, usage errors and suggestions come from this one description.
struct Command: Sendable {
  /// The words that stand behind a command's own.
  enum Arguments: Sendable, Hashable {
    case none
    /// Exactly one; what to say to somebody who types more.
    case one(Placeholder, surplus: String? = nil)
    /// One or none.
    case optional(Placeholder)
    /// Exactly two.
    case two(Placeholder, Placeholder)
    /// One or more, read as a text with spaces between.
    case text(Placeholder)
    /// One or more, each by itself.
    case several(Placeholder)
    /// Any number.
    case any(Placeholder)
  }

  typealias Action = @Sendable (Invocation) async throws -> ExitCode

  /// `["countries", "search"]`; none for the program by itself.
  let words: [String]
  let arguments: Arguments
  let options: [Option]
  /// What the records are made of that it prints, made when somebody asks for some of it.
  let fields: @Sendable () -> [FieldOutline]
  /// Whether help and completions list it; one that only explains why it does not exist is not listed.
  let isListed: Bool
  let summary: String
  private let templates: @Sendable () -> [String]
  let run: Action

  init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, _ summary: String,
    examples: @autoclosure @escaping @Sendable () -> [String] = [], run: @escaping Action
  ) {
    self.words = words
    self.arguments = arguments
    self.options = options + Option.everywhere
    self.fields = fields
    self.isListed = isListed
    self.summary = summary
    templates = examples
    self.run = run
  }

  /// What to type behind the program's name to see what it does, made when somebody reads help; `PROGRAM` is its name. Tests run each.
  func examples(of program: String) -> [String] { templates().map { $0.replacingEach("PROGRAM", with: program) } }

  var name: String { words.joined(separator: " ") }

  /// `countries search TEXT`.
  var usage: String {
    switch arguments {
    case .none: name
    case .one(let one, _), .text(let one): "\(name) \(one.word)"
    case .two(let first, let second): "\(name) \(first.word) \(second.word)"
    case .several(let one): "\(name) \(one.word)..."
    case .optional(let one), .any(let one): "\(name) [\(one.word)]"
    }
  }

  /// What its argument at `index` is; nil where it takes none.
  func placeholder(at index: Int) -> Placeholder? {
    switch arguments {
    case .none: nil
    case .one(let one, _), .optional(let one): index == 0 ? one : nil
    case .two(let first, let second): index < 2 ? [first, second][index] : nil
    case .text(let one), .several(let one), .any(let one): one
    }
  }
}
