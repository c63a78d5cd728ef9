import AggregatorCore
import Terminal

/// The cell of the apps this grew from: title and region at the left, the badge whole at the right edge, the subtitle below.
///
/// Where somebody chose the fields, a card has these alone; the ones without a place of their own follow in labelled lines.
struct CardsRenderer<Item>: Renderer {
  let width: Int
  let style: Style
  let sink: any Sink
  private let columns: Columns<Item>
  private let labelled: LabelledLines<Item>
  private var isFirst = true

  private static var roles: [FieldRole] { [.title, .qualifier, .badge, .subtitle] }

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
      try sink.write(card(item).map { $0 + "\n" }.joined())
    }
  }

  private func card(_ item: Item) -> [String] {
    let badge = text(.badge, of: item)
    let title = [text(.title, of: item), text(.qualifier, of: item)].filter { !$0.isEmpty }.joined(separator: ", ")
    let address = style.hasLinks ? columns.address(of: item) : nil
    let decorated = { style.title(style.link(style.isolated($0), to: address)) }
    let badgeWidth = DisplayWidth.of(badge)
    let room = width - badgeWidth - 1
    var lines: [String] = []
    if badge.isEmpty {
      if !title.isEmpty { lines = DisplayWidth.wrap(title, width: width).map(decorated) }
    } else if room < min(Self.leastTitle, DisplayWidth.of(title)) {
      // No room beside it: the badge keeps the edge on lines of its own.
      lines = DisplayWidth.wrap(badge, width: width).map { pinned("", 0, $0) }
      if !title.isEmpty { lines += DisplayWidth.wrap(title, width: width).map(decorated) }
    } else {
      let titles = DisplayWidth.wrap(title, width: room)
      let first = titles.first ?? ""
      lines = [pinned(decorated(first), DisplayWidth.of(first), badge)] + titles.dropFirst().map(decorated)
    }
    let subtitle = text(.subtitle, of: item)
    if !subtitle.isEmpty { lines += DisplayWidth.wrap(subtitle, width: width).map { style.dim(style.isolated($0)) } }
    return columns.areChosen ? lines + labelled.of(item) { !isPlaced($0) } : lines
  }

  /// Fewer columns than this make a title unreadable.
  private static var leastTitle: Int { 8 }

  private func pinned(_ title: String, _ titleWidth: Int, _ badge: String) -> String {
    let gap = max(0, width - titleWidth - DisplayWidth.of(badge))
    return title + String(repeating: " ", count: gap) + style.badge(style.isolated(badge))
  }

  /// The first field with that role, if it is shown.
  private func field(_ role: FieldRole) -> Field<Item>? {
    let field = columns.fields.first { $0.role == role }
    return columns.areChosen && !columns.all.contains { $0.field.name == field?.name } ? nil : field
  }

  private func isPlaced(_ column: Columns<Item>.Column) -> Bool {
    Self.roles.contains { field($0)?.name == column.field.name }
  }

  /// What a field with that role shows: of a part the values that are shown.
  private func text(_ role: FieldRole, of item: Item) -> String {
    guard let field = field(role) else { return "" }
    guard columns.areChosen, field.outline.leaves.count > 1 else {
      return Printable.clean(phrased(field.shown(of: item, at: columns.moment), by: field.outline.phrase))
    }
    let chosen = columns.all.filter { $0.field.name == field.name }
    return columns.values(of: item, in: chosen).map(shownText).filter { !$0.isEmpty }.joined(separator: " ")
  }
}
