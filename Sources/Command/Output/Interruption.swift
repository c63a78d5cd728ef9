import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What Ctrl-C does: it leaves the terminal as it was found and ends the process at once.
///
/// Everything that was stored was committed before; nothing else has to be waited for.
enum Interruption {
  static func install() {
    // Made now: a signal handler may not be the first to touch them.
    hasStatusLine = false
    isEchoHidden.store(false, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      restoreTerminal()
      _exit(ExitCode.interrupted.rawValue)
    }
    for fatal in [SIGTERM, SIGHUP, SIGQUIT] {
      signal(fatal) { number in
        restoreTerminal()
        // Whoever waits for the process learns which signal ended it.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Whether a status line stands on the terminal.
  static var hasStatusLine: Bool {
    get { isStatusShown.load(ordering: .sequentiallyConsistent) }
    set { isStatusShown.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// Runs `body` while what is typed at standard input stays invisible; as it is where that is no terminal.
  static func withoutEcho<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard tcgetattr(0, &usualTerminal) == 0 else { return try body() }
    var hidden = usualTerminal
    hidden.c_lflag &= ~tcflag_t(ECHO)
    isEchoHidden.store(true, ordering: .sequentiallyConsistent)
    tcsetattr(0, TCSAFLUSH, &hidden)
    defer { restoreTerminal() }
    return try body()
  }
}

private let isStatusShown = Atomic(false)
private let isEchoHidden = Atomic(false)

/// Written by the one `withoutEcho` there is before `isEchoHidden` says that it may be read, and not after.
nonisolated(unsafe) private var usualTerminal = termios()

/// Calls nothing but what a signal handler may call.
private func restoreTerminal() {
  if isStatusShown.exchange(false, ordering: .sequentiallyConsistent) { send("\r\u{1B}[K") }
  if isEchoHidden.exchange(false, ordering: .sequentiallyConsistent) {
    tcsetattr(0, TCSAFLUSH, &usualTerminal)
    // The line end that was typed did not show.
    send("\n")
  }
}

private func send(_ text: StaticString) { _ = write(2, text.utf8Start, text.utf8CodeUnitCount) }
