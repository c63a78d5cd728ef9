import AggregatorCore

/// A line that the prompt obeys itself, because it is not SQL.
enum PromptCommand: Sendable, Hashable {
  case quit
  case help
  /// The tables, or the columns of one.
  case describe(String?)
  /// The format of results; nil for the usual one.
  case format(String?)
  case unknown(String)

  /// Nil if the text is not such a line.
  init?(_ text: String) {
    var line = text.trimmingSpaces
    while line.last == ";" || line.last == " " { line.removeLast() }
    guard !line.contains("\n") else { return nil }
    let words = line.split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    let word = words.count > 1 ? words.dropFirst().joined(separator: " ") : nil
    switch first.lowercased() {
    case "\\q", ".quit", ".exit", ".q": self = .quit
    case "quit" where word == nil, "exit" where word == nil: self = .quit
    case "\\?", "\\h", ".help": self = .help
    case "help" where word == nil: self = .help
    case "\\d", "\\dt", ".tables", ".schema": self = .describe(word)
    case "\\f", ".mode": self = .format(word)
    default:
      guard first.hasPrefix("\\") || first.hasPrefix(".") else { return nil }
      self = .unknown(first)
    }
  }

  /// True when Enter ends the text: it is a line of this kind, or its last statement ends with a semicolon.
  static func isWhole(_ text: String) -> Bool { PromptCommand(text) != nil || StatementText(text).parts.rest == nil }

  /// The names to type, for completion.
  static let names = ["\\?", "\\d", "\\f", "\\q"]

  static let explanation = [
    "statement;     answer a statement, which may take several lines",
    "\\d             list the tables",
    "\\d TABLE       list the columns of a table",
    "\\f FORMAT      print results as \(formats.joined(separator: ", ")); \\f alone: as usual",
    "\\?             show this",
    "\\q or Ctrl-D   leave",
    "Tab completes names, Ctrl-R searches what was typed before, Ctrl-C stops a statement or clears the line.",
  ]

  /// The formats of rows.
  static var formats: [String] {
    guard case .choice(let words, _) = Option.format.value else { return [] }
    return words
  }
}
