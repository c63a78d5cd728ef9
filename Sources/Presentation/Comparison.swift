package import AggregatorCore
package import Asking
import Terminal

/// Two records value by value, under what a person calls them.
package struct Comparison {
  package let differences: [Difference]
  /// What each is called: never the same.
  private let one, other: String

  /// Compares two records, each named by its title, with its id where the titles are the same.
  package init<Item: SourceItem>(of one: Item, with other: Item, in schema: Schema<Item>) {
    differences = schema.differences(of: schema.value(of: one), with: schema.value(of: other))
    let titles = [one, other].map { item in Printable.clean(schema.titles(of: item).first ?? "") }
    let names = zip([one, other], titles).map { item, title in
      let id = Printable.clean(item.id)
      return title.isEmpty ? id : titles[0] == titles[1] ? "\(id) \(title)" : title
    }
    (self.one, self.other) = (names[0], names[1])
  }

  /// Whether a terminal of that width has no room for two columns of values.
  package static func isTall(in layout: Layout) -> Bool { layout.isTerminal && layout.width < 60 }

  /// What stands above the columns of a table, by the names of their fields.
  package func headings(for layout: Layout) -> [String: String] {
    let fields = differences.reduce(0) { max($0, DisplayWidth.of($1.leaf.shownName)) }
    // Beside these stand the mark and three gaps.
    let room = layout.isTerminal ? max(6, (layout.width - max(5, fields) - 7) / 2) : Int.max
    let names = names(in: room)
    return ["a": names.one, "b": names.other]
  }

  /// Both names in `room` columns: from where they differ on, where their beginnings would be the same.
  private func names(in room: Int) -> (one: String, other: String) {
    let cut = (DisplayWidth.truncate(one, to: room), DisplayWidth.truncate(other, to: room))
    guard cut.0 == cut.1, one != other else { return cut }
    let shared = zip(one, other).prefix { $0 == $1 }.count
    return (
      DisplayWidth.truncate("…\(one.dropFirst(shared))", to: room),
      DisplayWidth.truncate("…\(other.dropFirst(shared))", to: room)
    )
  }

  /// Writes what both have once, and below the name of each what differs.
  package func renderer(for layout: Layout, into sink: any Sink) -> some Renderer<Difference> {
    let width = layout.isTerminal ? max(1, layout.width) : nil
    let style = layout.style
    let (one, other) = names(in: max(6, (width ?? .max) / 3))
    return TextRenderer<Difference>(into: sink) { difference in
      let label = difference.leaf.shownName
      let lines: [String]
      if difference.isReal {
        let inner = LabelledText(width: width.map { max(1, $0 - 2) }, style: style)
        let values = [(one, difference.one), (other, difference.other)].flatMap { name, value in
          inner.lines(name, value.plainText, orNone: "(none)")
        }
        lines = DisplayWidth.wrap("\(label) *", width: width ?? .max).map(style.title) + values.map { "  \($0)" }
      } else {
        lines = LabelledText(width: width, style: style).lines(label, difference.one.plainText)
      }
      return lines.map { $0 + "\n" }.joined()
    }
  }
}
