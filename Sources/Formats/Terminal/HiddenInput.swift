import Platform
import Synchronization

/// Input that does not show while it is typed at standard input.
///
/// If the program is suspended meanwhile (Ctrl-Z), the terminal is restored. After the program is resumed, input is hidden again, and
/// the question is asked once more.
package enum HiddenInput {
  /// Makes the state in advance, because a signal handler must not be the first to touch it.
  package static func prepare() { isHidden.value = false }

  /// Runs `body`, which asks `prompt`, while typed text is hidden. If standard input is not a terminal, it only runs `body`.
  package static func during<Result>(_ prompt: String, _ body: () throws -> Result) rethrows -> Result {
    guard tcgetattr(0, usualTerminal.pointer) == 0 else { return try body() }
    return try Array(prompt.utf8).withUnsafeBufferPointer { copy in
      question = copy
      let suspension = signal(SIGTSTP, suspend)
      // If no shell could resume the program, it must not be suspended either.
      if unsafeBitCast(suspension, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGTSTP, SIG_IGN) }
      let resumption = signal(SIGCONT, resume)
      hide()
      defer {
        end()
        signal(SIGTSTP, suspension)
        signal(SIGCONT, resumption)
      }
      return try body()
    }
  }

  /// Shows typed text from now on; returns true if it was hidden until now. A signal handler may call it.
  @discardableResult
  package static func end() -> Bool {
    guard isHidden.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    tcsetattr(0, TCSAFLUSH, usualTerminal.pointer)
    // The line break that was typed did not show.
    Descriptor.write("\n", to: 2, within: 200)
    return true
  }

  fileprivate static func hide() {
    var hidden = usualTerminal.pointer.pointee
    hidden.c_lflag &= ~tcflag_t(ECHO)
    isHidden.value = true
    tcsetattr(0, TCSAFLUSH, &hidden)
  }

  /// Hides typed text and asks again, because the text typed before is lost.
  fileprivate static func goOn() {
    hide()
    Descriptor.write(UnsafeRawBufferPointer(question), to: 2, within: 200)
  }
}

private let isHidden = Atomic(false)

/// The only running `during` writes both before `isHidden` says that they may be read, and does not write them after that.
private let usualTerminal = TerminalSettings()
nonisolated(unsafe) private var question = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

// MARK: - Signal handlers, which make only calls that are allowed there

/// Restores the terminal, and suspends the program as if the signal had no handler. The lines after `stopHere`
/// run when the program is resumed.
private func suspend(_ number: CInt) {
  let wasHidden = HiddenInput.end()
  signal(number, SIG_DFL)
  TerminalSignals.stopHere()
  signal(number, suspend)
  if wasHidden { HiddenInput.goOn() }
}

/// Hides typed text again after a suspension without notice, because the shell may have set the terminal in its own way.
private func resume(_: CInt) {
  if isHidden.value { HiddenInput.goOn() }
}
