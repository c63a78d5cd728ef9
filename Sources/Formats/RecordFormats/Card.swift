package import AggregatorCore
package import Asking

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
}

extension Columns {
  /// Returns the card of a record. One without a title is called by its id. If a person chose the fields, it has only these.
  package func card(of record: ShownRecord) -> Card {
    let title = [cardText(.title, of: record), cardText(.qualifier, of: record)].filter { !$0.isEmpty }.joined(separator: ", ")
    let id = title.isEmpty && !areChosen ? Printable.clean(record.id) : nil
    return Card(
      title: id ?? title, badge: cardText(.badge, of: record), subtitle: cardText(.subtitle, of: record),
      details: details(of: record).filter { $0 != id })
  }

  /// The greatest length of an id on a card. A longer id would take the room of values that tell more.
  private static var widestID: Int { 20 }

  /// Returns the id and the first telling values of a record without a field for the line below its title: texts as they are, then
  /// other values after their labels.
  private func details(of record: ShownRecord) -> [String] {
    guard !areChosen, !fields.contains(where: { $0.role == .subtitle }) else { return [] }
    let ids = values(of: record, in: all.filter(\.isID)).map(shownText).filter {
      $0.unicodeScalars.count <= Self.widestID && ![cardText(.title, of: record), cardText(.badge, of: record)].contains($0)
    }
    return ids
      + fields.distinguishingValues(besides: id) { record.value($0, at: moment) }.map { told in
        Printable.clean(told.text(labelled: told.label ?? told.leaf.path.labelInside))
      }
  }

  /// Returns the index of the first field with that role; nil if it is not shown.
  package func index(of role: FieldRole) -> Int? {
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
