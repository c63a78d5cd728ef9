import AggregatorCore
import Recordings

/// Texts from outside as they may stand in Swift code: never more than what they are.
enum SwiftText {
  /// A string literal; nothing in it ends it or is computed.
  static func literal(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// What stands between the quotes of a literal. What cannot be seen, or makes a line read otherwise than it is, is spelled out.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": return "\\\(scalar)"
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      case " ": return " "
      default: break
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned, .surrogate,
        .nonspacingMark, .enclosingMark:
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: return String(scalar)
      }
    }.joined()
  }

  /// A clause in a comment or a document: one line, without anything but text.
  static func clause(_ text: String) -> String {
    let plain = Printable.clean(text).split(whereSeparator: { $0.isWhitespace || $0 == "`" }).joined(separator: " ")
    return plain.count > 80 ? plain.prefix(79) + "…" : plain
  }

  /// The lines that import these modules, in their order.
  static func imports(_ modules: [String]) -> String { modules.sorted().map { "import \($0)" }.joined(separator: "\n") }
}
