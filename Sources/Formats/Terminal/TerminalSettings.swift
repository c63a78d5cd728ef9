import Platform

/// The settings that a terminal had, where a signal handler may read them.
///
/// They are on the heap and never freed: a global `termios` has no room for the padding that `tcgetattr` writes too (Swift 6.3).
struct TerminalSettings: Sendable {
  /// A lock cannot guard it, because a signal handler reads it. Its owner writes it before an atomic flag says that it may be read, and not
  /// after that.
  nonisolated(unsafe) let pointer = UnsafeMutablePointer<termios>.allocate(capacity: 1)
}
