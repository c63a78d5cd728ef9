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
