import AggregatorCore
package import Asking
package import RecordFormats
package import Terminal

/// The fields of a record as labelled lines. A long text keeps its paragraphs and lists, and its lines are aligned with its beginning.
package struct LabelledLines {
  private let columns: Columns
  /// The width in columns; nil if it is not limited.
  private let width: Int?
  private let style: Style

  package init(_ columns: Columns, width: Int?, style: Style) {
    (self.columns, self.width, self.style) = (columns, width, style)
  }

  /// Returns the lines of each field that has a value, or of each value that a person chose.
  package func of(_ record: ShownRecord, where isWanted: (Columns.Column) -> Bool = { _ in true }) -> [String] {
    let labelled = LabelledText(width: width, style: style)
    return columns.labelled(record, where: isWanted).flatMap { label, text in labelled.lines(Printable.clean(label), text) }
  }
}

/// A text after a label, or below the label where it has more room.
struct LabelledText {
  /// The width in columns; nil if it is not limited.
  let width: Int?
  let style: Style

  /// Returns the lines of a text after its label. An empty text has no lines, or those of `none`.
  func lines(_ label: String, _ text: String, orNone none: String = "") -> [String] {
    let paragraphs = Self.paragraphs(of: text)
    let said = paragraphs.isEmpty ? Self.paragraphs(of: none) : paragraphs
    return said.isEmpty ? [] : lines(label + ":", said)
  }

  /// Returns the lines of a text without anything that a terminal would obey, and without empty lines at the beginning and the end.
  private static func paragraphs(of text: String) -> [Substring] {
    var lines = Printable.clean(text, lines: .kept).split(separator: "\n", omittingEmptySubsequences: false)[...]
    func isEmpty(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " } }
    while let first = lines.first, isEmpty(first) { lines.removeFirst() }
    while let last = lines.last, isEmpty(last) { lines.removeLast() }
    return Array(lines)
  }

  private func lines(_ label: String, _ paragraphs: [Substring]) -> [String] {
    let only = paragraphs.count == 1 ? String(paragraphs[0]) : nil
    var (indent, lines) = (DisplayWidth.of(label) + 1, paragraphs.map(String.init))
    var labels: [String] = []
    if let width, only.map({ indent + DisplayWidth.of($0) > width }) ?? true {
      // Beside a long label, a text has too little room to be read. A text without spaces is better whole below its label.
      let isWholeBelow = only.map { DisplayWidth.of($0) + 2 <= width && !$0.contains(" ") } ?? false
      if indent > width / 3 || isWholeBelow {
        labels = DisplayWidth.wrap(label, width: width).map(style.title)
        indent = min(2, width / 4)
      }
      lines = paragraphs.flatMap { wrapped($0, width - indent) }
    }
    return labels
      + lines.enumerated().map { index, line in
        let text = style.link(style.isolated(line), to: only)
        if index == 0, labels.isEmpty { return style.title(label) + " " + text }
        return line.isEmpty ? "" : String(repeating: " ", count: indent) + text
      }
  }

  /// Wraps a line of a text at words. The text of a list item is aligned after the item's mark.
  private func wrapped(_ line: Substring, _ width: Int) -> [String] {
    let margin = line.prefix { $0 == " " }.count
    let text = line.dropFirst(margin)
    let mark = Self.mark(of: text)
    let indent = min(margin + mark.count, max(0, width - 10))
    let lines = DisplayWidth.wrap(String(text.dropFirst(mark.count)), width: max(1, width - indent))
    guard indent == margin + mark.count else { return DisplayWidth.wrap(String(text), width: max(1, width)) }
    return lines.enumerated().map { index, line in
      if index > 0 { return line.isEmpty ? "" : String(repeating: " ", count: indent) + line }
      return String(repeating: " ", count: margin) + mark + line
    }
  }

  /// Returns the mark of a list item at the beginning of a line, with its spaces: `- `, `• ` or `12. `. Empty if the line has none.
  private static func mark(of text: Substring) -> Substring {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let sign = digits.isEmpty ? text.prefix(1) : digits.count < 4 ? text.prefix(digits.count + 1) : ""
    guard let last = sign.last, digits.isEmpty ? "-*•".contains(last) : ".)".contains(last) else { return "" }
    let blanks = text.dropFirst(sign.count).prefix { $0 == " " }
    return blanks.isEmpty ? "" : text.prefix(sign.count + blanks.count)
  }
}
