import AggregatorCore
import Asking
import CShells
import RecordFormats

/// `completions SHELL` prints a script for a shell to load. The script runs the hidden `__complete` at each press of Tab.
enum CompletionCommands {
  static let script = Command(
    ["completions"], .one(.shell), "print what a shell loads to complete commands; also options, fields and ids",
    examples: ["completions bash", "completions zsh > _PROGRAM", "completions fish > PROGRAM.fish"]
  ) { invocation in
    let name = invocation.arguments[0]
    guard let shell = Shell(rawValue: name) else {
      let known = Shell.allCases.map(\.rawValue)
      let unknown = Unknown("shell", name, among: known)
      throw UsageError(unknown, "\(unknown); choose one of \(known.joined(separator: ", "))") { "completions \($0)" }
    }
    try invocation.program.console.write(shell.script(for: invocation.program.name))
    return .success
  }

  /// The hidden command that prints what the words so far may become; the last of them may be unfinished.
  static let candidates = Command(
    ["__complete"], .any(.text), isListed: false, "print what may come next on a command line"
  ) {
    invocation in
    try await invocation.program.console.write(WordsAtCursor(invocation).completions().text)
    return .success
  }
}

/// The candidates for the next word of a command line.
struct Completions: Sendable {
  /// The way in which the shell uses the values, and what it offers with them.
  enum Manner: String, Sendable {
    /// The shell adds a blank after the value.
    case words
    /// The shell adds no blank, since more may follow.
    case parts
    case files
    case folders
  }

  var manner = Manner.words
  var candidates: [(value: String, description: String)]

  init(_ manner: Manner = .words, _ values: [String] = []) { (self.manner, candidates) = (manner, values.map { ($0, "") }) }

  init(_ values: [(String, String)]) { candidates = values.map { ($0.0, $0.1) } }

  /// The output for the script: a line for the manner, then one for each candidate: its value, a tab and its description.
  ///
  /// Values that `Printable.clean` changes are left out: they could control the terminal, and a person could not type them.
  var text: String {
    let lines = candidates.filter { !$0.value.isEmpty && Printable.clean($0.value) == $0.value }
      .map { $0.description.isEmpty ? $0.value : "\($0.value)\t\(Printable.clean($0.description))" }
    return ([manner.rawValue] + lines).map { $0 + "\n" }.joined()
  }
}

extension Shell {
  /// Returns the script that completes a program's command lines. It passes the words so
  /// far to the program and shows what that prints, in the form of `Completions.text`.
  func script(for program: String) -> String {
    let script =
      switch self {
      case .bash: bash_completions()
      case .zsh: zsh_completions()
      case .fish: fish_completions()
      }
    // A name that is valid for a shell function.
    let function = "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return String(decoding: UnsafeBufferPointer(start: script.bytes, count: script.count), as: UTF8.self)
      .replacingEach("FUNCTION", with: function).replacingEach("PROGRAM", with: program)
  }
}
