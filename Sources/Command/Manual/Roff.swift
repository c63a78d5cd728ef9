import AggregatorCore

/// A manual page under way, in the macros that every `man` reads.
struct Roff: Sendable {
  private(set) var text = ""

  /// A line that begins with a macro; each argument is kept whole.
  mutating func macro(_ name: String, _ arguments: String...) {
    text += ([".\(name)"] + arguments.map { "\"\(Self.escaped($0).replacingEach("\"", with: "\\(dq"))\"" }).joined(separator: " ") + "\n"
  }

  /// The head of the page. Names and addresses are not hyphenated, and lines end where they may.
  mutating func begin(_ program: String, _ version: String, _ day: CalendarDay) {
    text +=
      ".TH \(Self.escaped(program.uppercased())) 1 \(day) \"\(Self.escaped("\(program) \(version)"))\" \"User Commands\"\n.nh\n.ad l\n"
  }

  mutating func breakLine() { text += ".br\n" }

  /// Running text. The source has short lines, as its readers expect.
  mutating func write(_ words: String) {
    var lines: [String] = []
    for word in words.split(separator: " ") {
      let escaped = Self.escaped(String(word))
      if let last = lines.last, last.utf8.count + escaped.utf8.count < 78 {
        lines[lines.count - 1] = "\(last) \(escaped)"
      } else {
        lines.append(escaped)
      }
    }
    for escaped in lines {
      // Elsewhere in a line these are what they are; at its beginning they would make it a macro.
      text += (escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped + "\n"
    }
  }

  mutating func item(_ term: String, _ meaning: String) {
    macro("TP")
    macro("B", term)
    write(meaning)
  }

  mutating func verbatim(_ lines: [String]) {
    macro("PP")
    text += ".nf\n"
    for line in lines {
      macro("RS", "4n")
      text += "\\&" + Self.escaped(line) + "\n"
      macro("RE")
    }
    text += ".fi\n"
  }

  /// What is typed has plain hyphens and quotes; what is no ASCII is named by its number, so that no locale is needed.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in Printable.clean(text).unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      // Where a long address may break.
      case "/": escaped += "/\\:"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default: escaped += "\\[u\(Self.hex(scalar.value))]"
      }
    }
    return escaped.replacingEach("/\\:/\\:", with: "//")
  }

  private static func hex(_ number: UInt32) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
