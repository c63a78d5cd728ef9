import AggregatorCore
import Terminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a value from standard input: on a terminal one typed line, hidden; else everything, without the last line break.
enum SecretPrompt {
  static func read(_ prompt: String, console: Console) -> String {
    guard isatty(0) == 1 else { return piped() }
    return HiddenInput.during(prompt) {
      console.ask(prompt)
      return lines(1).first ?? ""
    }
  }

  /// One more line than any value has, so that a second one is seen and refused.
  private static func piped() -> String { lines(3).joined(separator: "\n") }

  /// The first lines, without their line breaks; an unreadable input has none.
  private static func lines(_ most: Int) -> [String] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20, bytes.count(where: { $0 == newline }) < most {
      guard let count = try? chunk.withUnsafeMutableBytes({ try FileStream.standardInput.read(into: $0) }), count > 0 else { break }
      bytes += chunk[..<count]
    }
    if bytes.last == newline { bytes.removeLast() }
    guard !bytes.isEmpty else { return [] }
    return bytes.split(separator: newline, omittingEmptySubsequences: false).prefix(most).map {
      String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)
    }
  }

  private static var newline: UInt8 { UInt8(ascii: "\n") }
}
