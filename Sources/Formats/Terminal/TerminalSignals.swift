import Platform
import Synchronization

/// The signals of a terminal: a new size, suspension, resumption. While they are taken, they reach the reading thread through a pipe.
enum TerminalSignals {
  /// Opens the pipe for notices; returns false if that fails.
  static func open() -> Bool {
    if notices >= 0 { return true }
    guard let pipe = Pipe() else { return false }
    // A signal handler must not wait.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    // The pipe stays open, because a signal may still be on its way into it.
    noticesWriteEnd.value = pipe.writing
    noticesReadEnd.value = pipe.reading
    return true
  }

  /// The reading end of the pipe for notices.
  static var notices: Int32 { noticesReadEnd.value }

  /// Handles the signals from now on; with `interrupts`, Ctrl-C as a signal too.
  static func take(withInterrupts interrupts: Bool = false) {
    usualHandlers.withLock {
      $0.resize = signal(SIGWINCH) { _ in post(.resized) }
      $0.suspension = signal(SIGTSTP) { _ in post(.suspended) }
      $0.resumption = signal(SIGCONT) { _ in post(.resumed) }
      $0.takesInterrupts = interrupts
      if interrupts { $0.interruption = signal(SIGINT) { _ in post(.interrupted) } }
    }
  }

  /// Restores the handlers as they were before.
  static func giveBack() {
    usualHandlers.withLock {
      signal(SIGWINCH, $0.resize)
      signal(SIGTSTP, $0.suspension)
      signal(SIGCONT, $0.resumption)
      if $0.takesInterrupts { signal(SIGINT, $0.interruption) }
    }
  }

  /// Suspends the program with its process group, and returns after it is resumed. If no shell could resume it, returns false at once.
  @discardableResult
  static func suspend() -> Bool {
    let usual = usualHandlers.withLock { unsafeBitCast($0.suspension, to: Int.self) }
    guard usual != unsafeBitCast(SIG_IGN, to: Int.self) else { return false }
    // The rest of the process group comes first. A signal for the whole process may reach another thread, while
    // this one takes the terminal again.
    signal(SIGTSTP, SIG_IGN)
    kill(0, SIGTSTP)
    signal(SIGTSTP, SIG_DFL)
    stopHere()
    signal(SIGTSTP) { _ in post(.suspended) }
    return true
  }

  /// Stops the process inside this call, whatever signals its threads block.
  static func stopHere() {
    var (suspension, usual) = (sigset_t(), sigset_t())
    sigemptyset(&suspension)
    sigaddset(&suspension, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &suspension, &usual)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &usual, nil)
  }
}

private let noticesReadEnd = Atomic(Int32(-1))
private let noticesWriteEnd = Atomic(Int32(-1))

/// The handlers of the signals before they were taken. Signal handlers do not read them.
private struct UsualHandlers {
  typealias Handler = @convention(c) (CInt) -> Void

  var resize: Handler? = SIG_DFL
  var suspension: Handler? = SIG_DFL
  var resumption: Handler? = SIG_DFL
  var interruption: Handler? = SIG_DFL
  var takesInterrupts = false
}

private let usualHandlers = Mutex(UsualHandlers())

/// Sends a notice to the reading thread. Makes only calls that are allowed in a signal handler.
private func post(_ notice: FullScreen.Notice) {
  Pipe.send(notice.rawValue, to: noticesWriteEnd.value)
}
