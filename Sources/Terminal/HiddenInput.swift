import Platform
import Synchronization

/// What is typed at standard input, unseen. Ctrl-Z does nothing meanwhile: the shell would show what is typed after it.
package enum HiddenInput {
  /// Made now: a signal handler may not be the first to touch what it touches.
  package static func prepare() { isHidden.store(false, ordering: .sequentiallyConsistent) }

  /// Runs `body` while what is typed stays unseen; as it is where standard input is no terminal.
  package static func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard tcgetattr(0, &usualTerminal) == 0 else { return try body() }
    let suspension = signal(SIGTSTP, SIG_IGN)
    var hidden = usualTerminal
    hidden.c_lflag &= ~tcflag_t(ECHO)
    isHidden.store(true, ordering: .sequentiallyConsistent)
    tcsetattr(0, TCSAFLUSH, &hidden)
    defer {
      end()
      signal(SIGTSTP, suspension)
    }
    return try body()
  }

  /// Whatever is typed from now on is seen. A signal handler may call it.
  package static func end() {
    guard isHidden.exchange(false, ordering: .sequentiallyConsistent) else { return }
    tcsetattr(0, TCSAFLUSH, &usualTerminal)
    // The line end that was typed did not show.
    Descriptor.write("\n", to: 2, within: 200)
  }
}

private let isHidden = Atomic(false)

/// Written by the one `during` there is before `isHidden` says that it may be read, and not after.
nonisolated(unsafe) private var usualTerminal = termios()
