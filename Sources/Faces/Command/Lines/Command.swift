package import AggregatorCore
import Asking
import Platform

/// The declaration of a command: its words, what it takes and what it does.
///
/// Parsing, help, completions, the manual page, usage errors and suggestions come from this one description.
package struct Command: Sendable {
  /// The arguments that follow a command's own words.
  package struct Arguments: Sendable, Hashable {
    let placeholders: [Placeholder]
    /// The number of arguments allowed. When it is larger than the number of placeholders, the last placeholder repeats.
    let count: ClosedRange<Int>
    /// True when the arguments are one text with spaces between.
    var isText = false
    /// The message for surplus arguments; nil for the usual one.
    var surplus: String?

    private init(_ placeholders: [Placeholder], _ count: ClosedRange<Int>) {
      (self.placeholders, self.count) = (placeholders, count)
    }

    package static let none = Arguments([], 0...0)
    package static func one(_ one: Placeholder, surplus: String? = nil) -> Self {
      copy(of: Arguments([one], 1...1)) { $0.surplus = surplus }
    }
    package static func optional(_ one: Placeholder) -> Self { Arguments([one], 0...1) }
    package static func two(_ one: Placeholder, _ other: Placeholder, surplus: String? = nil) -> Self {
      copy(of: Arguments([one, other], 2...2)) { $0.surplus = surplus }
    }
    /// One argument, and another that may be left out.
    package static func oneOrTwo(_ one: Placeholder, _ other: Placeholder) -> Self { Arguments([one, other], 1...2) }
    /// One or more arguments, read as a text with spaces between.
    package static func text(_ one: Placeholder) -> Self { copy(of: Arguments([one], 1...Int.max)) { $0.isText = true } }
    /// One or more separate arguments.
    package static func several(_ one: Placeholder) -> Self { Arguments([one], 1...Int.max) }
    /// One argument, and any number of others.
    package static func oneOrMore(_ one: Placeholder, _ others: Placeholder) -> Self { Arguments([one, others], 1...Int.max) }
    package static func any(_ one: Placeholder) -> Self { Arguments([one], 0...Int.max) }

    /// Returns the placeholder of the argument at `index`; nil if the command takes none there.
    func placeholder(at index: Int) -> Placeholder? {
      index < placeholders.count ? placeholders[index] : index < count.upperBound ? placeholders.last : nil
    }
  }

  /// The words that name the command, such as `["countries", "search"]`; empty for the program by itself.
  let words: [String]
  let arguments: Arguments
  let options: [Option]
  /// The fields of the records that the command prints, made only when a field is asked for.
  let fields: @Sendable () -> [FieldOutline]
  /// True when help and completions list the command. A command that only explains why it does not exist is not listed.
  let isListed: Bool
  /// True when the command runs until somebody ends it. Its time limit then applies to each of its requests.
  let livesOn: Bool
  let summary: String
  private let templates: @Sendable (Catalogue) -> [String]
  let run: @Sendable (Invocation) async throws -> ExitCode

  package init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, livesOn: Bool = false,
    _ summary: String, examplesIn examples: @escaping @Sendable (Catalogue) -> [String],
    run: @escaping @Sendable (Invocation) async throws -> ExitCode
  ) {
    (self.words, self.arguments, self.options, self.fields) = (words, arguments, options + Option.everywhere, fields)
    (self.isListed, self.summary, templates, self.run) = (isListed, summary, examples, run)
    self.livesOn = livesOn
  }

  /// Makes a command whose examples name no source, or only one that always exists.
  package init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, livesOn: Bool = false,
    _ summary: String, examples: @autoclosure @escaping @Sendable () -> [String] = [],
    run: @escaping @Sendable (Invocation) async throws -> ExitCode
  ) {
    self.init(
      words, arguments, options: options, printing: fields(), isListed: isListed, livesOn: livesOn, summary,
      examplesIn: { _ in examples() }, run: run)
  }

  /// Returns examples: the words to type after the program's name. `PROGRAM` in a template
  /// becomes that name. They are made when somebody reads help, and tests run each.
  func examples(of program: String, in catalogue: Catalogue) -> [String] {
    templates(catalogue).map { $0.replacingEach("PROGRAM", with: program) }
  }

  package var name: String { words.joined(separator: " ") }

  /// The summary up to the first semicolon, which is a few words.
  var headline: String { String(summary.prefix { $0 != ";" }) }

  func takes(_ option: Option) -> Bool { options.contains { $0.name == option.name } }

  /// The command as a usage line shows it: `countries search TEXT`.
  var usage: String {
    let isMany = arguments.count.upperBound == .max && !arguments.isText
    let words = arguments.placeholders.enumerated().map { index, placeholder in
      let word = placeholder.word + (isMany && index == arguments.placeholders.count - 1 ? "..." : "")
      return index < arguments.count.lowerBound ? word : "[\(word)]"
    }
    return ([name] + words).joined(separator: " ")
  }
}

/// A word of a command line that a person fills in. Help shows it; completions offer what it stands for.
package enum Placeholder: Sendable, Hashable {
  /// A text, a number or a length of time, for which completions have nothing to offer.
  case free(String)
  case source
  /// The id of a stored record; the id of a deleted record; the id of any record, or a name that it answers to.
  case id, deletedID, record
  /// Field names. A comma may follow, for another name or for whatever else belongs to the list. In an order a dash may precede each.
  case fields, order
  /// The name of one field.
  case field
  /// A field, an operator, and a value.
  case condition
  case requirements
  case setting
  case command
  case alias
  case shell
  case file
  /// The location of a store: a file, or a server's address.
  case store(String)
  /// A source in a file, or a file.
  case sourceOrFile
  case folder, checkout
  /// An address, a recording, a line for curl, a description or a manifest.
  case spec

  package static let text = Placeholder.free("TEXT")
  package static let name = Placeholder.free("NAME")
  package static let count = Placeholder.free("N")
  package static let seconds = Placeholder.free("SECONDS")
  package static let duration = Placeholder.free("DURATION")

  var word: String {
    switch self {
    case .free(let word): word
    case .source: "SOURCE"
    case .id, .deletedID, .record: "ID"
    case .fields: "a,b"
    case .order, .field: "FIELD"
    case .condition: "FIELD=VALUE"
    case .requirements: "COND"
    case .setting: "KEY"
    case .command: "COMMAND"
    case .alias: "NAME"
    case .shell: Shell.allCases.map(\.rawValue).joined(separator: "|")
    case .file: "FILE"
    case .sourceOrFile: "NAME|FILE"
    case .store(let word): word
    case .checkout: "PATH"
    case .folder: "DIR"
    case .spec: "SPEC"
    }
  }
}

/// A shell that completions are written for.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
