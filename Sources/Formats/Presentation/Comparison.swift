package import AggregatorCore
package import Asking
import RecordFormats
import Terminal

/// Two records value by value, under the names of the records.
package struct Comparison {
  package let differences: [Difference]
  /// The names of the two records. They are the same only if a record is compared with itself.
  private let one, other: String

  /// Compares two records. Each is named by its title, with its id if the titles are the same.
  package init(of one: ShownRecord, with other: ShownRecord, in fields: [FieldOutline]) {
    // A value that is unknown of one of them makes them neither equal nor different.
    let known = fields.filter { !one.lacks($0.name) && !other.lacks($0.name) }
    differences = known.differences(of: one.value, with: other.value)
    let titles = [one, other].map { Printable.clean($0.titles.first ?? "") }
    let names = zip([one, other], titles).map { record, title in
      let id = Printable.clean(record.id)
      return title.isEmpty ? id : titles[0] == titles[1] ? "\(id) \(title)" : title
    }
    (self.one, self.other) = (names[0], names[1])
  }

  /// True when the terminal is too narrow for two columns of values.
  package static func isTall(in layout: Layout) -> Bool { layout.isTerminal && layout.width < 60 }

  /// Returns the headings for the columns of a table, by the names of their fields.
  package func headings(for layout: Layout) -> [String: String] {
    let fields = differences.reduce(0) { max($0, DisplayWidth.of($1.leaf.shownName)) }
    // The mark and three gaps are beside these columns.
    let room = layout.isTerminal ? max(6, (layout.width - max(5, fields) - 7) / 2) : Int.max
    let names = names(in: room)
    return ["a": names.one, "b": names.other]
  }

  /// Returns both names in `room` columns. If their beginnings would look the same, each is shown from where they differ.
  private func names(in room: Int) -> (one: String, other: String) {
    let cut = (DisplayWidth.truncate(one, to: room), DisplayWidth.truncate(other, to: room))
    guard cut.0 == cut.1, one != other else { return cut }
    let shared = zip(one, other).prefix { $0 == $1 }.count
    return (
      DisplayWidth.truncate("…\(one.dropFirst(shared))", to: room),
      DisplayWidth.truncate("…\(other.dropFirst(shared))", to: room)
    )
  }

  /// Returns the comparison as lines: equal values once, and different values below the name of each record.
  package func text(for layout: Layout) -> String {
    let width = layout.isTerminal ? max(1, layout.width) : nil
    let style = layout.style
    let (one, other) = names(in: max(6, (width ?? .max) / 3))
    let lines = differences.flatMap { difference in
      let label = difference.leaf.shownName
      guard difference.isReal else {
        return LabelledText(width: width, style: style).lines(label, difference.one.plainText)
      }
      let inner = LabelledText(width: width.map { max(1, $0 - 2) }, style: style)
      let values = [(one, difference.one), (other, difference.other)].flatMap { name, value in
        inner.lines(name, value.plainText, orNone: "(none)")
      }
      return DisplayWidth.wrap("\(label) *", width: width ?? .max).map(style.title) + values.map { "  \($0)" }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
