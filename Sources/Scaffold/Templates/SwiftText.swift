import AggregatorCore

/// Texts from outside as they may stand in Swift code: never more than what they are.
enum SwiftText {
  /// A string literal; nothing in it ends it or is computed.
  static func literal(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// What stands between the quotes of a literal.
  static func escaped(_ text: String) -> String { text.unicodeScalars.map(escaped).joined() }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": return "\\\\"
    case "\"": return "\\\""
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      // What cannot be seen, or makes a line read otherwise than it is, is spelled out.
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      case .spaceSeparator where scalar != " ", .nonspacingMark, .enclosingMark:
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: return String(scalar)
      }
    }
  }

  /// A literal in pieces of at most `width` characters, to be added up.
  static func pieces(_ text: String, width: Int = 90) -> [String] {
    var pieces: [String] = []
    var piece = ""
    for scalar in text.unicodeScalars {
      let next = escaped(scalar)
      if piece.count + next.count > width {
        pieces.append(piece)
        piece = ""
      }
      piece += next
    }
    pieces.append(piece)
    return pieces.map { "\"\($0)\"" }
  }

  /// A clause in a comment or a document: one line, without anything but text.
  static func clause(_ text: String) -> String {
    let plain = Printable.clean(text).split(whereSeparator: { $0.isWhitespace || $0 == "`" }).joined(separator: " ")
    return plain.count > 80 ? plain.prefix(79) + "…" : plain
  }
}

/// Lays code out as the formatter would.
enum Layout {
  static let width = 140

  /// `head(a, b)tail`, over several lines where one is too short for it.
  static func call(_ head: String, _ arguments: [String], _ tail: String = "", indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    let line = margin + head + "(" + arguments.joined(separator: ", ") + ")" + tail
    if line.count <= width, !line.dropLast().contains("\n") { return line }
    return margin + head + "(\n" + filled(arguments, indent: indent + 2) + ")" + tail
  }

  /// As many on a line as there is room for.
  static func filled(_ parts: [String], indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for (index, part) in parts.enumerated() {
      let text = index == parts.count - 1 ? part : part + ","
      if line.isEmpty {
        line = margin + text
      } else if line.count + 1 + text.count <= width, !text.contains("\n") {
        line += " " + text
      } else {
        lines.append(line)
        line = margin + text
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }

  /// `[a, b]`, an element on each line where one is too short for them; `room` is the width that the rest of the line takes.
  static func list(_ elements: [String], indent: Int, room: Int) -> String {
    let line = "[" + elements.joined(separator: ", ") + "]"
    if line.count + room + indent <= width, !line.contains("\n") { return line }
    let margin = String(repeating: " ", count: indent)
    if elements.count == 1 { return "[\n\(margin)  \(elements[0])\n\(margin)]" }
    return "[\n" + elements.map { "\(margin)  \($0),\n" }.joined() + margin + "]"
  }

  /// The lines that import these modules, in their order.
  static func imports(_ modules: [String]) -> String { modules.sorted().map { "import \($0)" }.joined(separator: "\n") }

  /// A long text as a sum of literals, the first at the end of a line.
  static func sum(_ pieces: [String], indent: Int) -> String {
    pieces.joined(separator: "\n" + String(repeating: " ", count: indent) + "+ ")
  }
}
