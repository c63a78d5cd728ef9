import AggregatorCore
import Terminal

/// The pieces that help is made of, for a width.
struct HelpLayout: Sendable {
  /// How many columns a line may take.
  let width: Int

  func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return DisplayWidth.wrap(text, width: max(1, width - indent)).map { margin + $0 + "\n" }.joined()
  }

  /// Two columns under a heading, or one below the other where there is no room for both; nothing without rows.
  func table(_ heading: String, _ rows: [(left: String, right: String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let longest = rows.reduce(0) { max($0, DisplayWidth.of($1.left)) }
    let left = longest <= 34 ? longest : 28
    let right = width - left - 4
    let body =
      right < 24
      ? rows.map { paragraph($0.left, indent: 2) + paragraph($0.right, indent: 4) }.joined()
      : rows.map { self.row($0.left, $0.right, left: left, right: right) }.joined()
    return "\n" + paragraph("\(heading):") + body
  }

  private func row(_ name: String, _ text: String, left: Int, right: Int) -> String {
    let margin = String(repeating: " ", count: left + 4)
    let fits = DisplayWidth.of(name) <= left
    let first = fits ? "  " + DisplayWidth.pad(name, to: left) + "  " : paragraph(name, indent: 2) + margin
    return first + DisplayWidth.wrap(text, width: right).joined(separator: "\n" + margin) + "\n"
  }

  /// Words under a heading, with commas between; nothing without words.
  func list(_ heading: String, _ words: [String]) -> String {
    guard !words.isEmpty else { return "" }
    // What belongs together stays on one line where there is room.
    let bound = words.map {
      DisplayWidth.of($0) < width - 2 ? $0.replacingEach(" ", with: Self.bond).replacingEach("-", with: Self.dash) : $0
    }.joined(separator: ", ")
    let lines = DisplayWidth.wrap(bound, width: max(1, width - 2)).map {
      "  " + $0.replacingEach(Self.bond, with: " ").replacingEach(Self.dash, with: "-") + "\n"
    }
    return "\n" + paragraph("\(heading):") + lines.joined()
  }

  /// As wide as a space, and no place to break a line.
  private static let bond = "\u{A0}"
  /// A hyphen that is no place to break a line.
  private static let dash = "\u{2011}"

  /// What to type. A line that is too long goes on after a backslash, so that it can still be copied.
  func examples(_ examples: [String], of program: String) -> String {
    guard !examples.isEmpty else { return "" }
    let lines = examples.map { shellLines("\(program) \($0)").joined(separator: " \\\n    ") }
    return "\n" + paragraph("for example:") + lines.map { "  \($0)\n" }.joined()
  }

  private func shellLines(_ text: String) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      // Two for the margin, two for the backslash; further lines stand two columns further in.
      if let last = lines.last, DisplayWidth.of(last) + DisplayWidth.of(String(word)) + (lines.count > 1 ? 7 : 5) <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
