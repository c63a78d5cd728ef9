import AggregatorCore
import Asking
package import RecordFormats
import Terminal

extension Card {
  /// A line of a card: a text at the left and, on one of the lines, the badge at the right.
  package struct Line: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case title, subtitle }

    package let kind: Kind
    package let text: String
    package var badge: String

    package init(_ kind: Kind, _ text: String, badge: String = "") { (self.kind, self.text, self.badge) = (kind, text, badge) }
  }

  /// The least number of columns in which a title can be read.
  private static var leastTitle: Int { 8 }

  /// Returns the lines of the card in `width` columns. The title wraps; if the badge leaves too little room for it,
  /// the badge has lines of its own.
  package func lines(width: Int) -> [Line] {
    let width = max(1, width)
    let room = width - DisplayWidth.of(badge) - 1
    var lines: [Line] = []
    if badge.isEmpty {
      if !title.isEmpty { lines = titles(width) }
    } else if room < min(Self.leastTitle, DisplayWidth.of(title)) {
      lines = DisplayWidth.wrap(badge, width: width).map { Line(.title, "", badge: $0) }
      if !title.isEmpty { lines += titles(width) }
    } else {
      lines = titles(room)
      lines[0].badge = badge
    }
    if !subtitle.isEmpty {
      lines += DisplayWidth.wrap(subtitle, width: width).map { Line(.subtitle, $0) }
    } else if !details.isEmpty {
      lines.append(Line(.subtitle, DisplayWidth.truncate(details.joined(separator: " · "), to: width)))
    }
    return lines
  }

  private func titles(_ width: Int) -> [Line] { DisplayWidth.wrap(title, width: width).map { Line(.title, $0) } }
}

extension Columns {
  /// True when a card shows that column.
  func isOnCard(_ column: Column) -> Bool {
    let roles: [FieldRole] = [.title, .qualifier, .badge, .subtitle]
    return roles.contains { index(of: $0) == column.read.index }
  }
}

/// The card of a record on a page. If a person chose the fields, those that are not on the card follow in labelled lines.
struct CardLines {
  let columns: Columns
  let width: Int
  let style: Style

  func of(_ record: ShownRecord) -> [String] {
    let address = style.hasLinks ? columns.address(of: record) : nil
    let lines = columns.card(of: record).lines(width: width).map { decorated($0, address) }
    return columns.areChosen
      ? lines + LabelledLines(columns, width: width, style: style).of(record) { !columns.isOnCard($0) } : lines
  }

  private func decorated(_ line: Card.Line, _ address: String?) -> String {
    if line.kind == .subtitle { return style.dim(style.isolated(line.text)) }
    let title = style.title(style.link(style.isolated(line.text), to: address))
    guard !line.badge.isEmpty else { return title }
    let gap = max(0, width - DisplayWidth.of(line.text) - DisplayWidth.of(line.badge))
    return title + String(repeating: " ", count: gap) + style.badge(style.isolated(line.badge))
  }
}
