import AggregatorCore
import CShells

/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// What it loads to complete a program's command lines: that hands the words so far to the program, and shows what comes back:
  /// `Completions.text` says in which form.
  func script(for program: String) -> String {
    let script =
      switch self {
      case .bash: bash_completions()
      case .zsh: zsh_completions()
      case .fish: fish_completions()
      }
    // A name that a shell takes for a function.
    let function = "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return String(decoding: UnsafeBufferPointer(start: script.bytes, count: script.count), as: UTF8.self)
      .replacingEach("FUNCTION", with: function).replacingEach("PROGRAM", with: program)
  }
}
