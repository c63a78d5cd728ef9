import AggregatorCore
import Terminal

/// The cell of the apps this grew from: title and region at the left, the badge whole at the right edge, the subtitle below.
struct CardsRenderer<Item>: Renderer {
  let width: Int
  let style: Style
  let sink: any Sink
  private let columns: Columns<Item>
  private var isFirst = true

  init(_ columns: Columns<Item>, width: Int, style: Style, _ sink: any Sink) {
    self.columns = columns
    self.width = width
    self.style = style
    self.sink = sink
  }

  mutating func print(_ items: [Item]) throws {
    for item in items {
      if !isFirst { try sink.write("\n") }
      isFirst = false
      try sink.write(card(item).map { $0 + "\n" }.joined())
    }
  }

  private func card(_ item: Item) -> [String] {
    let badge = text(.badge, of: item)
    let title = [text(.title, of: item), text(.qualifier, of: item)].filter { !$0.isEmpty }.joined(separator: ", ")
    let badgeWidth = DisplayWidth.of(badge)
    let room = width - badgeWidth - 1
    var lines: [String]
    if badge.isEmpty {
      lines = DisplayWidth.wrap(title, width: max(1, width)).map(style.title)
    } else if room < min(Self.leastTitle, DisplayWidth.of(title)) {
      // No room beside it: the badge keeps the edge on a line of its own.
      lines = [pinned("", badge, badgeWidth)] + DisplayWidth.wrap(title, width: max(1, width)).map(style.title)
    } else {
      lines = DisplayWidth.wrap(title, width: room)
      lines = [pinned(lines.first ?? "", badge, badgeWidth)] + lines.dropFirst().map(style.title)
    }
    let subtitle = text(.subtitle, of: item)
    if !subtitle.isEmpty { lines += DisplayWidth.wrap(subtitle, width: max(1, width)).map(style.dim) }
    return lines
  }

  /// Fewer columns than this make a title unreadable.
  private static var leastTitle: Int { 8 }

  private func pinned(_ title: String, _ badge: String, _ badgeWidth: Int) -> String {
    let gap = max(0, width - DisplayWidth.of(title) - badgeWidth)
    return style.title(title) + String(repeating: " ", count: gap) + style.badge(badge)
  }

  private func text(_ role: FieldRole, of item: Item) -> String {
    columns.fields.first { $0.role == role }.map { shownText($0.shown(of: item, at: columns.moment)) } ?? ""
  }
}
