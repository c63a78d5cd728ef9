import Platform
import Synchronization

/// The terminal at standard input and output while one program has all of it: its modes, and how they are restored.
///
/// Every end of the process has to call ``leave()``, even in a signal handler. Signals that end a process are handled by the rest of the
/// program. The signals of a terminal (a new size, suspension, resumption) are those of `TerminalSignals`.
package enum FullScreen {
  /// News from the terminal or the system besides keys.
  package enum Notice: UInt8, Sendable, Hashable {
    case resized = 0x57
    /// The program is asked to suspend itself.
    case suspended = 0x5A
    /// The program was resumed; the terminal may be in any mode.
    case resumed = 0x43
    /// The program is asked to stop what it does. Only a line that is edited hears of it.
    case interrupted = 0x03
  }

  /// Makes the state in advance, because a signal handler must not be the first to touch it.
  package static func prepare() {
    isEntered.value = false
    isMouseTaken.value = false
    hasPictures.value = false
  }

  /// True when another program is between this one and the terminal. Such a program has its own idea of widths,
  /// and does not pass pictures on.
  package static func isMultiplexed(_ environment: [String: String]) -> Bool {
    ["TMUX", "STY", "ZELLIJ"].contains { !(environment[$0] ?? "").isEmpty }
  }

  /// Takes the terminal; returns false if standard input and output are not both a terminal.
  package static func enter() -> Bool {
    guard tcgetattr(0, usualModes.pointer) == 0, isatty(1) == 1, TerminalSignals.open() else { return false }
    take()
    TerminalSignals.take()
    return true
  }

  /// Takes the terminal again, whatever mode it is in.
  package static func take() {
    // Set before anything is written, because a signal may come right after.
    let isAgain = isEntered.exchange(true, ordering: .sequentiallyConsistent)
    var raw = usualModes.pointer.pointee
    cfmakeraw(&raw)
    // Keys that were typed ahead stay.
    tcsetattr(0, TCSANOW, &raw)
    // Terminals stack the modes of keys, so the one put there before is removed first.
    if isAgain { send("\u{1B}[<u") }
    send(enterSequence)
    if isMouseTaken.value { send(mouseSequence) }
  }

  /// Takes the mouse from the terminal, which selects text with it, or gives it back.
  package static func takeMouse(_ isTaken: Bool) {
    guard isMouseTaken.exchange(isTaken, ordering: .sequentiallyConsistent) != isTaken else { return }
    send(isTaken ? mouseSequence : mouseEndSequence)
  }

  /// Notes that the terminal keeps pictures from now on, so that they are removed at the end.
  package static func keepsPictures() { hasPictures.value = true }

  /// Restores the terminal as it was found; returns false if it was not taken. A signal handler may call it.
  @discardableResult
  package static func leave() -> Bool {
    guard isEntered.value else { return false }
    // This comes first, and in every thread that gets here, because a thread that was here before may end the process at once. It does
    // not wait for output that is not read.
    tcsetattr(0, TCSANOW, usualModes.pointer)
    guard isEntered.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    if hasPictures.value { send(KittyPlane.endSequence) }
    send(leaveSequence)
    return true
  }

  /// Notes that the terminal is gone: from now on nothing is restored and nothing is written.
  package static func abandon() { isEntered.value = false }

  /// Restores the terminal and the handlers of its signals.
  package static func end() {
    leave()
    TerminalSignals.giveBack()
  }

  /// Restores the terminal, suspends the program with its process group, and takes the terminal again after it is resumed.
  package static func suspend() {
    leave()
    TerminalSignals.suspend()
    take()
  }

  /// Sends a frame; returns false if the terminal is gone.
  package static func show(_ frame: [UInt8]) -> Bool {
    frame.withUnsafeBytes { Descriptor.write($0, to: 1) } == nil
  }

  // The alternate screen, keys that can be told apart, marked pastes, and a wheel that moves like arrow keys.
  private static let enterSequence: StaticString = "\u{1B}[?1049h\u{1B}[>1u\u{1B}[?2004h\u{1B}[?1007h"
  // The same in reverse, after whatever a frame has left unfinished. On a terminal without an alternate screen, the drawing stays above.
  private static let leaveSequence: StaticString =
    "\u{1B}\\\u{1B}[0m\u{1B}[?7h\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?1007l\u{1B}[?2004l\u{1B}[<u\u{1B}[?25h\u{1B}[999;1H\r\n\u{1B}[?1049l"

  private static let mouseSequence: StaticString = "\u{1B}[?1000h\u{1B}[?1006h"
  private static let mouseEndSequence: StaticString = "\u{1B}[?1006l\u{1B}[?1000l"

  /// Sends a sequence, but stops if the terminal takes nothing: a process that has to end must not wait for a reader.
  private static func send(_ text: StaticString) { Descriptor.write(text, to: 1, within: 200) }
}

// Input from the terminal while the program has it.
extension FullScreen {
  /// The time in milliseconds after which an escape that nothing follows was the key by itself.
  private static let silence: Int32 = 25

  /// Reads on a thread of its own, and passes on what comes, some events at a time; returns false if the thread cannot be started.
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

  /// Waits for what comes next. The last event is `ended` if the terminal is gone.
  static func next(_ parser: inout KeyParser) -> [TerminalInput] {
    let (patience, notices) = (parser.isUndecided ? silence : -1, TerminalSignals.notices)
    guard let ready = Descriptor.ready([(0, POLLIN), (notices, POLLIN)], within: patience) else { return [] }
    if ready == [false, false] { return parser.flush() }
    var events: [TerminalInput] = ready[1] ? read(from: notices).compactMap(Notice.init).map { .notice($0) } : []
    if ready[0] {
      let bytes = read(from: 0)
      events += bytes.isEmpty ? [.ended] : parser.read(bytes)
    }
    return events
  }

  /// Returns the bytes that have come; empty at the end.
  private static func read(from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
    return Array(bytes[..<count])
  }
}

private let isEntered = Atomic(false)
private let isMouseTaken = Atomic(false)
private let hasPictures = Atomic(false)

/// `enter` writes them before `isEntered` says that they may be read; the exchange of `isEntered` orders the two.
private let usualModes = TerminalSettings()
