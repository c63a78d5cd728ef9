/// An option as the command line declares it: parsing, help and errors all read this.
///
/// An option of a name is the same in every command that takes it, so a command line can be taken apart before anyone
/// knows which command it names.
struct Option: Sendable, Hashable {
  enum Value: Sendable, Hashable {
    /// A switch.
    case none
    /// A value, shown in help as this word.
    case required(String)
    /// One of these words.
    case choice([String])
    /// A value that may be left out.
    case optional(String)
  }

  let name: String
  let letter: Character?
  let value: Value
  let summary: String

  init(_ name: String, takes value: Value = .none, letter: Character? = nil, _ summary: String) {
    self.name = name
    self.letter = letter
    self.value = value
    self.summary = summary
  }

  /// How help and errors write it: `--limit N`.
  var usage: String {
    switch value {
    case .none: letter.map { "--\(name), -\($0)" } ?? "--\(name)"
    case .required(let word): "--\(name) \(word)"
    case .choice(let words): "--\(name) \(words.joined(separator: "|"))"
    case .optional(let word): "--\(name) [\(word)]"
    }
  }
}
