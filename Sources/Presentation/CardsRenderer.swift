import AggregatorCore
import Terminal

/// One card below the other. Where somebody chose the fields, those without a place on it follow in labelled lines.
struct CardsRenderer<Item>: Renderer {
  let width: Int
  let style: Style
  let sink: any Sink
  private let columns: Columns<Item>
  private let labelled: LabelledLines<Item>
  private var isFirst = true

  init(_ columns: Columns<Item>, width: Int, style: Style, _ sink: any Sink) {
    self.columns = columns
    self.width = max(1, width)
    self.style = style
    self.sink = sink
    labelled = LabelledLines(columns, width: self.width, style: style)
  }

  mutating func print(_ items: [Item]) throws {
    for item in items {
      if !isFirst { try sink.write("\n") }
      isFirst = false
      try sink.write(lines(of: item).map { $0 + "\n" }.joined())
    }
  }

  private func lines(of item: Item) -> [String] {
    let address = style.hasLinks ? columns.address(of: item) : nil
    let lines = columns.card(of: item).lines(width: width).map { decorated($0, address) }
    return columns.areChosen ? lines + labelled.of(item) { !columns.isOnCard($0) } : lines
  }

  private func decorated(_ line: Card.Line, _ address: String?) -> String {
    if line.kind == .subtitle { return style.dim(style.isolated(line.text)) }
    let title = style.title(style.link(style.isolated(line.text), to: address))
    guard !line.badge.isEmpty else { return title }
    let gap = max(0, width - DisplayWidth.of(line.text) - DisplayWidth.of(line.badge))
    return title + String(repeating: " ", count: gap) + style.badge(style.isolated(line.badge))
  }
}
