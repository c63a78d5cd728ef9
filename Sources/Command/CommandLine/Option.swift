/// An option as the command line declares it: parsing, help, completions and errors all read this.
///
/// An option of a name is the same in every command that takes it, so a command line can be taken apart before anyone
/// knows which command it names.
struct Option: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    /// A switch.
    case none
    /// A value that must be there.
    case required(Placeholder)
    /// One of these words, or a file that ends so.
    case choice([String], orFilesEnding: [String] = [])
    /// A value that may be left out.
    case optional(Placeholder)
  }

  /// What an option is about. Only those of the first kind belong to few commands; help explains the others once, for all.
  enum Topic: String, Sendable, Hashable, CaseIterable {
    case command = "options of single commands"
    case output = "what is printed"
    case origin = "where answers come from"
    case everywhere = "options of every command"
  }

  let name: String
  let letter: Character?
  let value: Value
  /// Whether it may be given several times, each with a value of its own.
  let isRepeatable: Bool
  let topic: Topic
  let summary: String

  init(
    _ name: String, takes value: Value = .none, letter: Character? = nil, repeatable isRepeatable: Bool = false,
    about topic: Topic = .command, _ summary: String
  ) {
    self.name = name
    self.letter = letter
    self.isRepeatable = isRepeatable
    self.value = value
    self.topic = topic
    self.summary = summary
  }

  /// How errors write it: `--limit N`.
  var usage: String {
    switch value {
    case .none: "--\(name)"
    case .required(let placeholder): "--\(name) \(placeholder.word)"
    case .choice(let words, let endings): "--\(name) \((words + (endings.isEmpty ? [] : ["FILE"])).joined(separator: "|"))"
    case .optional(let placeholder): "--\(name) [\(placeholder.word)]"
    }
  }

  /// How help lists it: `--limit N, -n`.
  var listing: String { letter.map { "\(usage), -\($0)" } ?? usage }
}
