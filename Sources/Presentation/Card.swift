import AggregatorCore
package import Asking
package import RecordFormats
import Terminal

/// The texts of a record for a small card: a title, a badge, and a line below them.
package struct Card: Sendable, Hashable {
  /// The title, and the qualifier after a comma.
  package var title = ""
  /// A short text at the right edge, which is never cut.
  package var badge = ""
  package var subtitle = ""
  /// Values for one line in place of the subtitle, for a record that has no field for that.
  package var details: [String] = []

  package init(title: String = "", badge: String = "", subtitle: String = "", details: [String] = []) {
    (self.title, self.badge, self.subtitle, self.details) = (title, badge, subtitle, details)
  }

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
  /// Returns the card of a record. If a person chose the fields, it has only these.
  package func card(of record: ShownRecord) -> Card {
    Card(
      title: [cardText(.title, of: record), cardText(.qualifier, of: record)].filter { !$0.isEmpty }.joined(separator: ", "),
      badge: cardText(.badge, of: record), subtitle: cardText(.subtitle, of: record), details: details(of: record))
  }

  /// The greatest width of an id on a card. A longer id would take the room of values that tell more.
  private static var widestID: Int { 20 }

  /// Returns the id and the first telling values of a record without a field for the line below its title: texts as they are, then
  /// other values after their labels.
  private func details(of record: ShownRecord) -> [String] {
    guard !areChosen, !fields.contains(where: { $0.role == .subtitle }) else { return [] }
    let ids = values(of: record, in: all.filter(\.isID)).map(shownText).filter {
      DisplayWidth.of($0) <= Self.widestID && ![cardText(.title, of: record), cardText(.badge, of: record)].contains($0)
    }
    return ids
      + fields.distinguishingValues(besides: id) { record.value($0, at: moment) }.map { told in
        Printable.clean(told.text(labelled: told.label ?? told.leaf.path.labelInside))
      }
  }

  /// True when a card shows that column.
  func isOnCard(_ column: Column) -> Bool {
    let roles: [FieldRole] = [.title, .qualifier, .badge, .subtitle]
    return roles.contains { index(of: $0) == column.read.index }
  }

  /// Returns the index of the first field with that role; nil if it is not shown.
  private func index(of role: FieldRole) -> Int? {
    let index = fields.firstIndex { $0.role == role }
    return areChosen && !all.contains { $0.read.index == index } ? nil : index
  }

  /// Returns the text of a field with that role; of a part, only the values that are shown.
  private func cardText(_ role: FieldRole, of record: ShownRecord) -> String {
    guard let index = index(of: role) else { return "" }
    guard areChosen, fields[index].leaves.count > 1 else {
      return Printable.clean(record.value(index, at: moment).phrased(by: fields[index].lineFormat))
    }
    let chosen = all.filter { $0.read.index == index }
    return values(of: record, in: chosen).map(shownText).filter { !$0.isEmpty }.joined(separator: " ")
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
