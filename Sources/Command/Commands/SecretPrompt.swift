#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Reads one line from standard input; on a terminal it asks, and what is typed stays invisible.
enum SecretPrompt {
  static func read(_ prompt: String, console: Console) throws -> String {
    guard isatty(0) == 1 else { return readLine(strippingNewline: true) ?? "" }
    var shown = termios()
    guard tcgetattr(0, &shown) == 0 else { return readLine(strippingNewline: true) ?? "" }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &hidden)
    defer { tcsetattr(0, TCSAFLUSH, &shown) }
    console.note(prompt)
    return readLine(strippingNewline: true) ?? ""
  }
}
