#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a value from standard input: on a terminal the line that is typed, unseen; else all there is, without its last line end.
enum SecretPrompt {
  static func read(_ prompt: String, console: Console) -> String {
    guard isatty(0) == 1 else { return piped() }
    return HiddenInput.during(prompt) {
      console.ask(prompt)
      return readLine(strippingNewline: true) ?? ""
    }
  }

  private static func piped() -> String {
    var lines: [String] = []
    // One more than any value has, so that a second line is seen and refused.
    while lines.count < 3, let line = readLine(strippingNewline: true) { lines.append(line) }
    return lines.joined(separator: "\n")
  }
}
