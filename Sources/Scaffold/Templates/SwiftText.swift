import AggregatorCore

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
}

/// Lays code out as the formatter would.
enum Layout {
  static let width = 140

  /// `head value`, in two lines where one is too short for it; the first has its indent already.
  static func pair(_ head: String, _ value: String, indent: Int) -> String {
    let line = "\(head) \(value)"
    return value.contains("\n") || indent + line.count < width
      ? line : "\(head)\n\(String(repeating: " ", count: indent + 2))\(value)"
  }

  /// `head(a, b, [c, d], e)tail`; where a line is too short for it, each part and each element of the list on a line of its own.
  static func call(
    _ head: String, _ arguments: [String], list: [String] = [], _ tail: String = "", indent: Int, _ last: String? = nil
  ) -> String {
    let margin = String(repeating: " ", count: indent)
    let short = arguments + (list.isEmpty ? [] : ["[\(list.joined(separator: ", "))]"]) + [last].compactMap { $0 }
    let line = "\(margin)\(head)(\(short.joined(separator: ", ")))\(tail)"
    if line.count <= width, !short.contains(where: { $0.contains("\n") }) { return line }
    let elements = list.map { "\(margin)    \($0)" }.joined(separator: ",\n") + (list.count > 1 ? "," : "")
    let long = arguments + (list.isEmpty ? [] : ["[\n\(elements)\n\(margin)  ]"]) + [last].compactMap { $0 }
    return "\(margin)\(head)(\n" + long.map { "\(margin)  \($0)" }.joined(separator: ",\n") + ")\(tail)"
  }

  /// A document as a literal of `Value`, one member a line where it is long.
  static func literal(_ value: Value, indent: Int) -> String {
    let parts: [String]
    switch value {
    case .text(let text): return SwiftText.literal(text)
    case .null: return ".null"
    case .bool, .int, .double, .decimal: return String(decoding: value.bytes, as: UTF8.self)
    case .object([]): return "[:]"
    case .list(let values): parts = values.map { literal($0, indent: indent + 2) }
    case .object(let members):
      parts = members.map { pair(SwiftText.literal($0.name) + ":", literal($0.value, indent: indent + 2), indent: indent + 2) }
    }
    let line = "[\(parts.joined(separator: ", "))]"
    if line.count <= 80, !line.contains("\n") { return line }
    let margin = String(repeating: " ", count: indent)
    return "[\n" + parts.map { "\(margin)  \($0)" }.joined(separator: ",\n") + (parts.count > 1 ? ",\n" : "\n") + "\(margin)]"
  }

  /// The lines that import these modules, in their order.
  static func imports(_ modules: [String]) -> String { modules.sorted().map { "import \($0)" }.joined(separator: "\n") }
}
