import Platform
import Synchronization

/// What is typed at standard input, unseen.
///
/// When the program is suspended meanwhile (Ctrl-Z), the terminal is restored; when the program goes on, what is typed is
/// unseen again, and the question is asked once more.
package enum HiddenInput {
  /// Made now: a signal handler may not be the first to touch what it touches.
  package static func prepare() { isHidden.value = false }

  /// Runs `body`, which asks `prompt`, while what is typed stays unseen; as it is where standard input is no terminal.
  package static func during<Result>(_ prompt: String, _ body: () throws -> Result) rethrows -> Result {
    guard tcgetattr(0, &usualTerminal) == 0 else { return try body() }
    return try Array(prompt.utf8).withUnsafeBufferPointer { copy in
      question = copy
      let suspension = signal(SIGTSTP, suspend)
      // Where no shell could resume the program, it must not be suspended either.
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

  /// Whatever is typed from now on is seen; says whether it was not until now. A signal handler may call it.
  @discardableResult
  package static func end() -> Bool {
    guard isHidden.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    tcsetattr(0, TCSAFLUSH, &usualTerminal)
    // The line end that was typed did not show.
    Descriptor.write("\n", to: 2, within: 200)
    return true
  }

  fileprivate static func hide() {
    var hidden = usualTerminal
    hidden.c_lflag &= ~tcflag_t(ECHO)
    isHidden.value = true
    tcsetattr(0, TCSAFLUSH, &hidden)
  }

  /// Asks again: what was typed before is gone.
  fileprivate static func goOn() {
    hide()
    Descriptor.write(UnsafeRawBufferPointer(question), to: 2, within: 200)
  }
}

private let isHidden = Atomic(false)

/// Both are written by the one `during` there is before `isHidden` says that they may be read, and not after.
nonisolated(unsafe) private var usualTerminal = termios()
nonisolated(unsafe) private var question = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

// MARK: - Handlers: they call nothing but what a signal handler may call

/// Restores the terminal and suspends the program as if the signal had no handler; what is below `stopHere` comes when
/// the program goes on.
private func suspend(_ number: CInt) {
  let wasHidden = HiddenInput.end()
  signal(number, SIG_DFL)
  FullScreen.stopHere()
  signal(number, suspend)
  if wasHidden { HiddenInput.goOn() }
}

/// After a suspension that could not be heard of, the shell may have set the terminal to its own liking.
private func resume(_: CInt) {
  if isHidden.value { HiddenInput.goOn() }
}
