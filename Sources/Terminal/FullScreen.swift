import Platform
import Synchronization

/// The terminal at standard input and output while one program has all of it: its modes, and how they are restored.
///
/// Whatever ends the process calls ``leave()``, a signal handler too. Who owns the signals that end a process does so; those of a terminal
/// (a new size, to be suspended, to go on) are owned here, and reach the reading thread through a pipe.
package enum FullScreen {
  /// What the terminal or the system tells beside keys.
  package enum Notice: UInt8, Sendable, Hashable {
    case resized = 0x57
    /// Somebody asks for the program to be suspended.
    case suspended = 0x5A
    /// The program goes on after it was suspended; the terminal is in any mode.
    case resumed = 0x43
  }

  /// Made now: a signal handler may not be the first to touch what it touches.
  package static func prepare() {
    isEntered.value = false
    isMouseTaken.value = false
    hasPictures.value = false
  }

  /// Whether another program is between us and the terminal, which has its own idea of widths and keeps pictures back.
  package static func isMultiplexed(_ environment: [String: String]) -> Bool {
    ["TMUX", "STY", "ZELLIJ"].contains { !(environment[$0] ?? "").isEmpty }
  }

  /// Takes the terminal; false where there is none at both ends.
  package static func enter() -> Bool {
    guard tcgetattr(0, &usualModes) == 0, isatty(1) == 1, openNotices() else { return false }
    take()
    usualHandlers.withLock {
      $0.resize = signal(SIGWINCH) { _ in post(.resized) }
      $0.suspension = signal(SIGTSTP) { _ in post(.suspended) }
      $0.resumption = signal(SIGCONT) { _ in post(.resumed) }
    }
    return true
  }

  /// Takes the terminal again, whatever mode it is in.
  package static func take() {
    // Set before anything is written, since a signal may come right after.
    let isAgain = isEntered.exchange(true, ordering: .sequentiallyConsistent)
    var raw = usualModes
    cfmakeraw(&raw)
    // Keys that were typed ahead stay.
    tcsetattr(0, TCSANOW, &raw)
    // Modes of keys are stacked: what was put there is taken away first.
    if isAgain { send("\u{1B}[<u") }
    send(enterSequence)
    if isMouseTaken.value { send(mouseSequence) }
  }

  /// Takes the mouse from the terminal, which selects texts with it, or gives it back.
  package static func takeMouse(_ isTaken: Bool) {
    guard isMouseTaken.exchange(isTaken, ordering: .sequentiallyConsistent) != isTaken else { return }
    send(isTaken ? mouseSequence : mouseEndSequence)
  }

  /// From now on the terminal keeps pictures, which are taken away in the end.
  package static func keepsPictures() { hasPictures.value = true }

  /// Restores the terminal as it was found; false where it was not taken. A signal handler may call it.
  @discardableResult
  package static func leave() -> Bool {
    guard isEntered.value else { return false }
    // First, and by each thread that comes here: the one that was before it may end the process at once. What nobody reads is not waited for.
    tcsetattr(0, TCSANOW, &usualModes)
    guard isEntered.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    if hasPictures.value { send(KittyPlane.endSequence) }
    send(leaveSequence)
    return true
  }

  /// The terminal is gone: nothing is restored and nothing is written any more.
  package static func abandon() { isEntered.value = false }

  /// Restores the terminal and the handlers of its signals.
  package static func end() {
    leave()
    usualHandlers.withLock {
      signal(SIGWINCH, $0.resize)
      signal(SIGTSTP, $0.suspension)
      signal(SIGCONT, $0.resumption)
    }
  }

  /// Restores the terminal, suspends the program with all that belongs to it, and takes the terminal again once it goes on.
  package static func suspend() {
    leave()
    // Where no shell could resume the program, it goes on at once.
    let usual = usualHandlers.withLock { unsafeBitCast($0.suspension, to: Int.self) }
    if usual != unsafeBitCast(SIG_IGN, to: Int.self) {
      // Those that belong to it first. A signal for the whole process may reach another thread, while this one takes the terminal again.
      signal(SIGTSTP, SIG_IGN)
      kill(0, SIGTSTP)
      signal(SIGTSTP, SIG_DFL)
      stopHere()
      signal(SIGTSTP) { _ in post(.suspended) }
    }
    take()
  }

  /// Stops the process in this call, whatever signals its threads let through.
  static func stopHere() {
    var (suspension, usual) = (sigset_t(), sigset_t())
    sigemptyset(&suspension)
    sigaddset(&suspension, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &suspension, &usual)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &usual, nil)
  }

  /// Sends a frame; false where the terminal is gone.
  package static func show(_ frame: [UInt8]) -> Bool {
    frame.withUnsafeBytes { Descriptor.write($0, to: 1) } == nil
  }

  /// The end of the pipe at which notices arrive.
  static var notices: Int32 { noticesReadEnd.value }

  /// False where no pipe can be made.
  private static func openNotices() -> Bool {
    if notices >= 0 { return true }
    guard let pipe = Pipe() else { return false }
    // A handler never waits.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    // The pipe stays: a signal may be on its way into it.
    noticesWriteEnd.value = pipe.writing
    noticesReadEnd.value = pipe.reading
    return true
  }

  // The alternate screen, keys that can be told apart, pastes that are marked, a wheel that moves as arrows do.
  private static let enterSequence: StaticString = "\u{1B}[?1049h\u{1B}[>1u\u{1B}[?2004h\u{1B}[?1007h"
  // The same in reverse, after whatever a frame was in the middle of. Where there is no alternate screen, what was drawn stays above.
  private static let leaveSequence: StaticString =
    "\u{1B}\\\u{1B}[0m\u{1B}[?7h\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?1007l\u{1B}[?2004l\u{1B}[<u\u{1B}[?25h\u{1B}[999;1H\r\n\u{1B}[?1049l"

  private static let mouseSequence: StaticString = "\u{1B}[?1000h\u{1B}[?1006h"
  private static let mouseEndSequence: StaticString = "\u{1B}[?1006l\u{1B}[?1000l"

  /// Sends a sequence, unless the terminal takes nothing: a process that is to end must not wait for somebody to read.
  private static func send(_ text: StaticString) { Descriptor.write(text, to: 1, within: 200) }
}

// What comes from the terminal while one program has it.
extension FullScreen {
  /// An escape that nothing follows for so long was the key by itself.
  private static let silence: Int32 = 25

  /// Reads on a thread of its own and hands over what comes, some events at a time; false where no thread can be started.
  package static func read(_ take: @escaping @Sendable ([TerminalInput]) -> Void) -> Bool {
    SystemThread.start {
      var parser = KeyParser()
      while true {
        let events = next(&parser)
        if !events.isEmpty { take(events) }
        if events.last == .ended { return }
      }
    }
  }

  private static func next(_ parser: inout KeyParser) -> [TerminalInput] {
    let patience = parser.isUndecided ? silence : -1
    guard let ready = Descriptor.ready([(0, POLLIN), (notices, POLLIN)], within: patience) else { return [] }
    if ready == [false, false] { return parser.flush() }
    var events: [TerminalInput] = ready[1] ? read(from: notices).compactMap(Notice.init).map { .notice($0) } : []
    if ready[0] {
      let bytes = read(from: 0)
      events += bytes.isEmpty ? [.ended] : parser.read(bytes)
    }
    return events
  }

  /// What has come; nothing at the end.
  private static func read(from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
    return Array(bytes[..<count])
  }
}

private let isEntered = Atomic(false)
private let isMouseTaken = Atomic(false)
private let hasPictures = Atomic(false)
private let noticesReadEnd = Atomic(Int32(-1))
private let noticesWriteEnd = Atomic(Int32(-1))

/// No lock can guard it, since a signal handler reads it: `enter` writes it before `isEntered` says that it may be read, and nobody after
/// that; the exchange of `isEntered` orders the two.
nonisolated(unsafe) private var usualModes = termios()

/// What the signals of the terminal did before it was taken; no signal handler asks.
private struct UsualHandlers {
  typealias Handler = @convention(c) (CInt) -> Void

  var resize: Handler? = SIG_DFL
  var suspension: Handler? = SIG_DFL
  var resumption: Handler? = SIG_DFL
}

private let usualHandlers = Mutex(UsualHandlers())

/// Calls nothing but what a signal handler may call.
private func post(_ notice: FullScreen.Notice) {
  Pipe.send(notice.rawValue, to: noticesWriteEnd.value)
}
