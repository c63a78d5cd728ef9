import AggregatorCore
import Asking
import Platform

/// A command as it is declared: its words, what it takes, what it does.
///
/// Parsing, help, completions, the manual page, usage errors and suggestions come from this one description.
struct Command: Sendable {
  /// The words that stand behind a command's own.
  enum Arguments: Sendable, Hashable {
    case none
    /// Exactly one; what to say to somebody who types more.
    case one(Placeholder, surplus: String? = nil)
    case optional(Placeholder)
    case two(Placeholder, Placeholder)
    /// One, and another that may be left out.
    case oneOrTwo(Placeholder, Placeholder)
    /// One or more, read as a text with spaces between.
    case text(Placeholder)
    /// One or more, each by itself.
    case several(Placeholder)
    case any(Placeholder)
  }

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
  let run: @Sendable (Invocation) async throws -> ExitCode

  init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, _ summary: String,
    examples: @autoclosure @escaping @Sendable () -> [String] = [],
    run: @escaping @Sendable (Invocation) async throws -> ExitCode
  ) {
    (self.words, self.arguments, self.options) = (words, arguments, options + Option.everywhere)
    (self.fields, self.isListed, self.summary) = (fields, isListed, summary)
    (templates, self.run) = (examples, run)
  }

  /// What to type behind the program's name to see what it does, made when somebody reads help; `PROGRAM` is its name. Tests run each.
  func examples(of program: String) -> [String] { templates().map { $0.replacingEach("PROGRAM", with: program) } }

  var name: String { words.joined(separator: " ") }

  /// What it does in a few words: its summary up to the first semicolon.
  var headline: String { String(summary.prefix { $0 != ";" }) }

  func takes(_ option: Option) -> Bool { options.contains { $0.name == option.name } }

  /// `countries search TEXT`.
  var usage: String {
    switch arguments {
    case .none: name
    case .one(let one, _), .text(let one): "\(name) \(one.word)"
    case .two(let first, let second): "\(name) \(first.word) \(second.word)"
    case .oneOrTwo(let first, let second): "\(name) \(first.word) [\(second.word)]"
    case .several(let one): "\(name) \(one.word)..."
    case .optional(let one): "\(name) [\(one.word)]"
    case .any(let one): "\(name) [\(one.word)...]"
    }
  }

  /// What its argument at `index` is; nil where it takes none.
  func placeholder(at index: Int) -> Placeholder? {
    switch arguments {
    case .none: nil
    case .one(let one, _), .optional(let one): index == 0 ? one : nil
    case .two(let first, let second), .oneOrTwo(let first, let second): index < 2 ? [first, second][index] : nil
    case .text(let one), .several(let one), .any(let one): one
    }
  }
}

extension Command {
  /// A verb of a source: `run` gets what is asked, everything unless `ask` says otherwise, and the opened source. With `--plan` it is told
  /// what would be sent for `plan`, which is to begin an answer unless the verb does something else.
  ///
  /// Of the `ends` of its examples `TEXT`, `ID` and `OTHER` become what the source names as its sample; one that needs a missing sample is
  /// left out.
  init(
    _ source: SourceDescriptor, _ verb: String, _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], _ summary: String,
    examples ends: @autoclosure @escaping @Sendable () -> [String],
    asking ask: (@Sendable (Invocation) throws -> SourceQuestion)? = nil,
    planning plan: @escaping @Sendable (SourceQuestion, any SourceSession) async throws -> String = {
      try await $0.beginning(of: $1)
    },
    run: @escaping @Sendable (SourceQuestion, any SourceSession) async throws -> ExitCode
  ) {
    self.init(
      [source.name, verb], arguments, options: options, printing: fields(), summary, examples: source.examples(verb, ends())
    ) { invocation in
      let question = try ask?(invocation) ?? SourceQuestion(.everything, of: source, invocation)
      if invocation.has(.plan) { return try await question.plan(plan) }
      return try await run(question, question.opened())
    }
  }
}

extension SourceDescriptor {
  fileprivate func examples(_ verb: String, _ ends: [String]) -> [String] {
    ends.compactMap { end in
      var words = [name, verb]
      for word in end.split(separator: " ") {
        let known = [("TEXT", sample?.text), ("ID", sample?.id), ("OTHER", sample?.other)].first { $0.0 == word }
        guard let known else {
          words.append(String(word))
          continue
        }
        guard let value = known.1 else { return nil }
        words.append(Paths.quoted(value))
      }
      return words.joined(separator: " ")
    }
  }
}

/// A word of a command line that a person fills in: help shows it, completions offer what it stands for.
enum Placeholder: Sendable, Hashable {
  /// A text, a number or a length of time: nothing that could be offered.
  case free(String)
  case source
  /// The id of a stored record; of a deleted one; the id of any, or a name that it answers to.
  case id, deletedID, record
  /// Field names; a comma may follow for another one, or whatever else belongs to it. Of an order each may stand behind a dash.
  case fields, order
  /// A field, what it is compared by, and a value.
  case condition
  case requirements
  case setting
  case command
  case shell
  case file
  /// Of a store: a file, or a server's address.
  case place(String)
  /// A source in a file, or a file.
  case sourceOrFile
  case folder, checkout
  /// An address, a recording, a line for curl, a description or a manifest.
  case spec

  static let text = Placeholder.free("TEXT")
  static let name = Placeholder.free("NAME")
  static let count = Placeholder.free("N")
  static let seconds = Placeholder.free("SECONDS")
  static let duration = Placeholder.free("DURATION")

  var word: String {
    switch self {
    case .free(let word): word
    case .source: "SOURCE"
    case .id, .deletedID, .record: "ID"
    case .fields: "a,b"
    case .order: "FIELD"
    case .condition: "FIELD=VALUE"
    case .requirements: "COND"
    case .setting: "KEY"
    case .command: "COMMAND"
    case .shell: Shell.allCases.map(\.rawValue).joined(separator: "|")
    case .file: "FILE"
    case .sourceOrFile: "NAME|FILE"
    case .place(let word): word
    case .checkout: "PATH"
    case .folder: "DIR"
    case .spec: "SPEC"
    }
  }
}
