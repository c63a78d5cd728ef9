import AggregatorCore
import Asking
import Feed
import Presentation

// The order and the conditions of the list. They are parts of the ask, so they hold for the whole list.
extension Browser {
  /// Sorts by the current column: upwards, then downwards, then not at all.
  mutating func sort() -> [BrowserAction] {
    guard let span else { return items.isEmpty ? tell("no records to sort") : beginLine("sort ") }
    let name = span.path.text
    switch tab.listing.choice.order.first(where: { $0.path == span.path }) {
    case nil: return sort(by: name)
    case let order? where !order.isDescending: return sort(by: "-" + name)
    default: return sort(by: "")
    }
  }

  /// Sorts by the fields of a text such as `name,-made`; an empty one restores the list's own order.
  mutating func sort(by text: String) -> [BrowserAction] {
    var choice = tab.listing.choice
    do throws(SourceError) {
      choice.order = text.isEmpty ? [] : try RecordOrder.all(in: text, of: try knownLeaves())
    } catch { return tell(look.text(error)) }
    return choose(choice)
  }

  /// Shows only records whose value in the current column is that of the selected one, or another one.
  mutating func filterByCell(differing differs: Bool) -> [BrowserAction] {
    guard let cell else { return items.isEmpty ? tell("no records to filter") : beginLine("where ") }
    let condition = RecordCondition.onCell(cell.value, at: cell.path, differs: differs, on: tab.leaves, at: look.now())
    // No single condition describes several values, so a person types one.
    guard let condition else { return beginLine("where \(cell.path.text)\(differs ? "!~" : "~")") }
    return add(condition)
  }

  /// Shows only records that meet the condition as well; an empty text ends all conditions.
  mutating func filter(by text: String) -> [BrowserAction] {
    var choice = tab.listing.choice
    if text.isEmpty {
      choice.conditions = []
      return choose(choice)
    }
    do throws(SourceError) {
      return add(try RecordCondition(text, on: try knownLeaves(), at: look.now()))
    } catch { return tell(look.text(error)) }
  }

  private mutating func add(_ condition: RecordCondition) -> [BrowserAction] {
    var choice = tab.listing.choice
    if !choice.conditions.contains(condition) { choice.conditions.append(condition) }
    return choose(choice)
  }

  /// Asks for the list in that choice.
  mutating func choose(_ choice: FeedChoice) -> [BrowserAction] {
    let isRecord = mode == .record
    if isRecord { close() }
    tab.pick.isUnderWay = false
    tab.pick.listing = nil
    return (isRecord ? [.feed(tab: current, .hide)] : []) + [.feed(tab: current, .choose(choice))]
  }

  /// The values that conditions and orders may name. Throws before anything of the source is known.
  private func knownLeaves() throws(SourceError) -> [Leaf] {
    guard !tab.leaves.isEmpty else { throw SourceError(.settings, "the fields of \(tab.source.name) are not known yet") }
    return tab.leaves
  }

  /// The search, the conditions and the order in words; empty for the whole list in its own order.
  var choiceWords: String {
    let choice = tab.listing.choice
    let orders = choice.order.map { "\($0.path.text)\($0.isDescending ? " downwards" : "")" }
    let conditions = choice.conditions.map(\.description).joined(separator: " and ")
    let parts = [conditions.isEmpty ? "" : "where \(conditions)", orders.isEmpty ? "" : "by \(orders.joined(separator: ", "))"]
    return Printable.clean(parts.filter { !$0.isEmpty }.joined(separator: " · "))
  }
}
