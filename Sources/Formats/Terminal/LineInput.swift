import Platform
import Synchronization

/// The modes of the terminal at standard input while a line is edited: each key comes at once, and nothing is echoed.
///
/// Every end of the process has to call ``leave()``, even in a signal handler.
package enum LineInput {
  /// Makes the state in advance, because a signal handler must not be the first to touch it.
  package static func prepare() { usualModes.store(0, ordering: .sequentiallyConsistent) }

  /// Takes the terminal; returns false if standard input and output are not both a terminal.
  static func take() -> Bool {
    var modes = termios()
    guard tcgetattr(0, &modes) == 0, isatty(1) == 1, TerminalSignals.open() else { return false }
    // Never freed, because a signal handler may be reading it. A line costs sixty bytes.
    let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    copy.initialize(to: modes)
    TerminalSignals.take(withInterrupts: true)
    apply(copy)
    return true
  }

  /// Sets the modes again after a suspension without notice, because the shell may have set the terminal in its own way.
  static func resume() {
    if let usual = usual { apply(usual) }
  }

  /// Gives the terminal back after a line that was drawn to its end.
  static func finish() {
    // The handlers first: once the modes are back, Ctrl-C is a signal, and meant for what comes next.
    TerminalSignals.giveBack()
    restore { Descriptor.write(endSequence, to: 1, within: 200) }
  }

  /// Restores the terminal below the line that is drawn; returns false if it was not taken. A signal handler may call it.
  @discardableResult
  package static func leave() -> Bool { restore { Descriptor.write(abandonSequence, to: 1, within: 200) } }

  /// Restores the terminal, suspends the program, and takes the terminal again after the program is resumed. Returns false if no shell
  /// could resume it, so that it was not suspended.
  static func suspend() -> Bool {
    guard let usual else { return false }
    restore { Descriptor.write(endSequence, to: 1, within: 200) }
    defer { apply(usual) }
    return TerminalSignals.suspend()
  }

  private static var usual: UnsafeMutablePointer<termios>? {
    UnsafeMutablePointer(bitPattern: usualModes.load(ordering: .sequentiallyConsistent))
  }

  private static func apply(_ usual: UnsafeMutablePointer<termios>) {
    // Set before the modes change, because a signal may come right after.
    usualModes.store(Int(bitPattern: usual), ordering: .sequentiallyConsistent)
    var modes = usual.pointee
    cfmakeraw(&modes)
    // Other programs that print meanwhile need their line breaks.
    (modes.c_oflag, modes.c_cflag) = (usual.pointee.c_oflag, usual.pointee.c_cflag)
    // Keys that were typed ahead stay.
    tcsetattr(0, TCSANOW, &modes)
    Descriptor.write(beginSequence, to: 1, within: 200)
  }

  @discardableResult
  private static func restore(_ end: () -> Void) -> Bool {
    guard let usual else { return false }
    // This comes first, and in every thread that gets here, because a thread that was here before may end the process at once.
    tcsetattr(0, TCSANOW, usual)
    guard usualModes.exchange(0, ordering: .sequentiallyConsistent) != 0 else { return false }
    end()
    return true
  }

  // Pastes are marked.
  private static let beginSequence: StaticString = "\u{1B}[?2004h"
  private static let endSequence: StaticString = "\u{1B}[?2004l"
  // After whatever a frame has left unfinished, the shell gets a line of its own.
  private static let abandonSequence: StaticString = "\u{1B}[?2026l\u{1B}[?2004l\r\n\u{1B}[J"
}

/// The address of the modes that the terminal had before it was taken; 0 while it is not.
private let usualModes = Atomic(0)
