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
    isPutOff.store(false, ordering: .sequentiallyConsistent)
    hasCome.store(false, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      restoreTerminal()
      // Whoever puts it off ends soon, or at the second time.
      if isPutOff.load(ordering: .sequentiallyConsistent), !hasCome.exchange(true, ordering: .sequentiallyConsistent) { return }
      _exit(ExitCode.interrupted.rawValue)
    }
    // What waits for a reader that lags shall wake.
    var action = sigaction()
    sigaction(SIGINT, nil, &action)
    action.sa_flags &= ~SA_RESTART
    sigaction(SIGINT, &action, nil)
    for fatal in [SIGTERM, SIGHUP, SIGQUIT] {
      signal(fatal) { number in
        restoreTerminal()
        // Whoever waits for the process learns which signal ended it.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Runs `body`, in which Ctrl-C is an error that is thrown, so that something can be put back in order; a second one ends at once.
  static func putOff<Result>(during body: () async throws -> Result) async throws -> Result {
    isPutOff.store(true, ordering: .sequentiallyConsistent)
    defer { isPutOff.store(false, ordering: .sequentiallyConsistent) }
    return try await body()
  }

  /// Whether Ctrl-C was put off.
  static var hasComeInBetween: Bool { hasCome.load(ordering: .sequentiallyConsistent) }

  /// Throws where Ctrl-C was put off.
  static func check() throws {
    if hasComeInBetween { throw CancellationError() }
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
private let isPutOff = Atomic(false)
private let hasCome = Atomic(false)
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
