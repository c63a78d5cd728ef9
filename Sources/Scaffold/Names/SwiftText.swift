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
