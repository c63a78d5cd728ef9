import AggregatorCore
package import Terminal

/// The fields of a record as labelled lines: a long text keeps its paragraphs and lists, and stands under its beginning.
package struct LabelledLines<Item> {
  private let columns: Columns<Item>
  /// Nil where nothing limits the width.
  private let width: Int?
  private let style: Style

  package init(_ columns: Columns<Item>, width: Int?, style: Style) {
    self.columns = columns
    self.width = width
    self.style = style
  }

  /// Each field that says something, as a whole, or each value that was chosen.
  package func of(_ item: Item, where isWanted: (Columns<Item>.Column) -> Bool = { _ in true }) -> [String] {
    let fields: [(label: String, text: String)]
    if columns.areChosen {
      let wanted = columns.all.filter(isWanted)
      fields = zip(wanted, columns.values(of: item, in: wanted)).map { column, value in
        (
          column.field.outline.label.flatMap { column.leaf.path.names.count == 1 ? $0 : nil } ?? column.leaf.path.label,
          value.plainText
        )
      }
    } else {
      fields = columns.shown.map { field in
        (
          field.outline.label ?? FieldPath([field.name]).label,
          field.shown(of: item, at: columns.moment).phrased(by: field.outline.phrase)
        )
      }
    }
    return fields.flatMap { label, text in
      let paragraphs = Self.paragraphs(of: text)
      return paragraphs.isEmpty ? [] : lines(Printable.clean(label) + ":", paragraphs)
    }
  }

  /// The lines of a text without anything that a terminal would obey, and without empty ones around them.
  private static func paragraphs(of text: String) -> [Substring] {
    var lines = Printable.clean(text, lines: .kept).split(separator: "\n", omittingEmptySubsequences: false)[...]
    func isEmpty(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " } }
    while let first = lines.first, isEmpty(first) { lines.removeFirst() }
    while let last = lines.last, isEmpty(last) { lines.removeLast() }
    return Array(lines)
  }

  private func lines(_ label: String, _ paragraphs: [Substring]) -> [String] {
    let labelWidth = DisplayWidth.of(label)
    let whole = paragraphs.count == 1 ? DisplayWidth.of(String(paragraphs[0])) : nil
    let address = style.hasLinks ? String(paragraphs[0]) : nil
    let decorated = { style.link(style.isolated($0), to: paragraphs.count == 1 ? address : nil) }
    guard let width else { return hung(label, labelWidth + 1, paragraphs.map(String.init), decorated) }
    if let whole, labelWidth + 1 + whole <= width { return hung(label, labelWidth + 1, paragraphs.map(String.init), decorated) }
    // Beside a long label there is no room to read in, and what has no words is better whole below.
    let isWholeBelow = whole.map { $0 + 2 <= width } ?? false && !paragraphs[0].contains(" ")
    guard labelWidth + 1 <= width / 3, !isWholeBelow else {
      let indent = min(2, width / 4)
      let below = paragraphs.flatMap { wrapped($0, width - indent) }
      let labels = DisplayWidth.wrap(label, width: width).map(style.title)
      return labels + below.map { $0.isEmpty ? "" : String(repeating: " ", count: indent) + decorated($0) }
    }
    return hung(label, labelWidth + 1, paragraphs.flatMap { wrapped($0, width - labelWidth - 1) }, decorated)
  }

  /// The label, and the lines beside and below it.
  private func hung(_ label: String, _ indent: Int, _ lines: [String], _ decorated: (String) -> String) -> [String] {
    lines.enumerated().map { index, line in
      if index == 0 { return style.title(label) + " " + decorated(line) }
      return line.isEmpty ? "" : String(repeating: " ", count: indent) + decorated(line)
    }
  }

  /// A line of a text, wrapped at words: what follows the mark of a list stands behind the mark.
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

  /// `- `, `• ` or `12. ` at the beginning of a line.
  private static func mark(of text: Substring) -> Substring {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let sign = digits.isEmpty ? text.prefix(1) : digits.count < 4 ? text.prefix(digits.count + 1) : ""
    guard let last = sign.last, digits.isEmpty ? "-*•".contains(last) : ".)".contains(last) else { return "" }
    let blanks = text.dropFirst(sign.count).prefix { $0 == " " }
    return blanks.isEmpty ? "" : text.prefix(sign.count + blanks.count)
  }
}
