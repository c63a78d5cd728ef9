import AggregatorCore
import Platform
import Terminal

/// Reads a value from standard input: on a terminal one typed line, hidden; else everything, without the last line break.
enum SecretPrompt {
  static func read(_ prompt: String, console: Console) throws(SourceError) -> String {
    let value =
      console.isInputTerminal
      ? HiddenInput.during(prompt) {
        console.ask(prompt)
        return lines(1, of: console).first ?? []
      } : Array(lines(3, of: console).joined(separator: [newline]))
    guard let text = String(validating: value, as: UTF8.self) else {
      throw SourceError(.settings, "the value is not valid UTF-8", remedy: "type or pipe the text itself")
    }
    return text
  }

  /// Whether a person at a terminal says yes; nil where nobody can be asked.
  static func confirms(_ question: String, console: Console) -> Bool? {
    guard console.isInputTerminal, console.isErrorTerminal else { return nil }
    console.ask(question)
    return ["y", "yes"].contains(String(decoding: lines(1, of: console).first ?? [], as: UTF8.self).trimmingSpaces.lowercased())
  }

  /// The first lines, without their line breaks; an unreadable input has none. Of a pipe two more than any value has are read, so that
  /// further ones are seen and refused.
  private static func lines(_ most: Int, of console: Console) -> [[UInt8]] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20, bytes.count(where: { $0 == newline }) < most {
      guard let count = try? chunk.withUnsafeMutableBytes({ try console.input?.read(into: $0) }), count > 0 else { break }
      bytes += chunk[..<count]
    }
    if bytes.last == newline { bytes.removeLast() }
    guard !bytes.isEmpty else { return [] }
    return bytes.split(separator: newline, omittingEmptySubsequences: false).prefix(most).map {
      Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0)
    }
  }

  private static var newline: UInt8 { UInt8(ascii: "\n") }
}
