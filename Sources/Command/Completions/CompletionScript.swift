import AggregatorCore

/// What a shell loads to complete a program's command lines.
///
/// Each script hands the words so far to the program, and shows what comes back: `Completions.text` says in which form.
struct CompletionScript: Sendable {
  let program: String

  func text(for shell: Shell) -> String {
    let script =
      switch shell {
      case .bash: Self.bash
      case .zsh: Self.zsh
      case .fish: Self.fish
      }
    return script.replacingEach("FUNCTION", with: function).replacingEach("PROGRAM", with: program)
  }

  /// A name that a shell takes for a function.
  private var function: String {
    "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
