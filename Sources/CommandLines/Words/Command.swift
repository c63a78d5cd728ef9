package import AggregatorCore
import Asking
import Platform

/// A command as it is declared: its words, what it takes, what it does.
///
/// Parsing, help, completions, the manual page, usage errors and suggestions come from this one description.
package struct Command: Sendable {
  /// The words that stand behind a command's own.
  package struct Arguments: Sendable, Hashable {
    let placeholders: [Placeholder]
    /// How many there may be; the last one may stand for many.
    package let count: ClosedRange<Int>
    /// True when they are one text with spaces between.
    var isText = false
    /// What to say to somebody who types more.
    var surplus: String?

    private init(_ placeholders: [Placeholder], _ count: ClosedRange<Int>) {
      (self.placeholders, self.count) = (placeholders, count)
    }

    package static let none = Arguments([], 0...0)
    package static func one(_ one: Placeholder, surplus: String? = nil) -> Self {
      changing(Arguments([one], 1...1)) { $0.surplus = surplus }
    }
    package static func optional(_ one: Placeholder) -> Self { Arguments([one], 0...1) }
    package static func two(_ one: Placeholder, _ other: Placeholder) -> Self { Arguments([one, other], 2...2) }
    /// One, and another that may be left out.
    package static func oneOrTwo(_ one: Placeholder, _ other: Placeholder) -> Self { Arguments([one, other], 1...2) }
    /// One or more, read as a text with spaces between.
    package static func text(_ one: Placeholder) -> Self { changing(Arguments([one], 1...Int.max)) { $0.isText = true } }
    /// One or more, each by itself.
    package static func several(_ one: Placeholder) -> Self { Arguments([one], 1...Int.max) }
    package static func any(_ one: Placeholder) -> Self { Arguments([one], 0...Int.max) }

    /// What the one at `index` is; nil where none is taken.
    package func placeholder(at index: Int) -> Placeholder? {
      index < placeholders.count ? placeholders[index] : index < count.upperBound ? placeholders.last : nil
    }
  }

  /// `["countries", "search"]`; none for the program by itself.
  package let words: [String]
  package let arguments: Arguments
  package let options: [Option]
  /// What the records are made of that it prints, made when somebody asks for some of it.
  package let fields: @Sendable () -> [FieldOutline]
  /// Whether help and completions list it; one that only explains why it does not exist is not listed.
  package let isListed: Bool
  package let summary: String
  private let templates: @Sendable (Catalogue) -> [String]
  package let run: @Sendable (Invocation) async throws -> ExitCode

  package init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, _ summary: String,
    examplesIn examples: @escaping @Sendable (Catalogue) -> [String],
    run: @escaping @Sendable (Invocation) async throws -> ExitCode
  ) {
    (self.words, self.arguments, self.options, self.fields) = (words, arguments, options + Option.everywhere, fields)
    (self.isListed, self.summary, templates, self.run) = (isListed, summary, examples, run)
  }

  /// One whose examples name no source, or one that is always there.
  package init(
    _ words: [String], _ arguments: Arguments = .none, options: [Option] = [],
    printing fields: @autoclosure @escaping @Sendable () -> [FieldOutline] = [], isListed: Bool = true, _ summary: String,
    examples: @autoclosure @escaping @Sendable () -> [String] = [],
    run: @escaping @Sendable (Invocation) async throws -> ExitCode
  ) {
    self.init(
      words, arguments, options: options, printing: fields(), isListed: isListed, summary, examplesIn: { _ in examples() },
      run: run)
  }

  /// What to type behind the program's name to see what it does, made when somebody reads help; `PROGRAM` is its name. Tests run each.
  func examples(of program: String, in catalogue: Catalogue) -> [String] {
    templates(catalogue).map { $0.replacingEach("PROGRAM", with: program) }
  }

  package var name: String { words.joined(separator: " ") }

  /// What it does in a few words: its summary up to the first semicolon.
  var headline: String { String(summary.prefix { $0 != ";" }) }

  func takes(_ option: Option) -> Bool { options.contains { $0.name == option.name } }

  /// `countries search TEXT`.
  var usage: String {
    let isMany = arguments.count.upperBound == .max && !arguments.isText
    let words = arguments.placeholders.enumerated().map { index, placeholder in
      let word = placeholder.word + (isMany ? "..." : "")
      return index < arguments.count.lowerBound ? word : "[\(word)]"
    }
    return ([name] + words).joined(separator: " ")
  }
}

/// A word of a command line that a person fills in: help shows it, completions offer what it stands for.
package enum Placeholder: Sendable, Hashable {
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

  package static let text = Placeholder.free("TEXT")
  package static let name = Placeholder.free("NAME")
  package static let count = Placeholder.free("N")
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

/// A shell that completions are written for.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
