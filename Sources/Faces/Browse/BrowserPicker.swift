import AggregatorCore
import Feed
import Presentation
import Terminal

/// A list from which a person chooses a source, or the columns of the table. The typed text narrows it.
struct BrowserPicker: Sendable, Hashable {
  var typed = ""
  /// The index of the chosen item among those that match.
  var selected = 0
  /// The index of the first item on the screen.
  var top = 0

  /// An item to choose.
  struct Item {
    /// The index among all items.
    let index: Int
    let name: String
    /// A text beside the name.
    var note = ""
    /// A mark before the name, which says whether a column is shown; empty for a source.
    var mark = ""
  }
}

extension Browser {
  /// The items whose names contain the typed text.
  var pickable: [BrowserPicker.Item] {
    let all = mode == .columns ? columnItems : sourceItems
    guard let text = SearchPhrase(picker.typed) else { return all }
    return all.filter { text.isFound(in: [$0.name]) }
  }

  private var sourceItems: [BrowserPicker.Item] {
    tabs.indices.map {
      BrowserPicker.Item(index: $0, name: tabs[$0].source.name + tabs[$0].found, note: tabs[$0].source.stored)
    }
  }

  private var columnItems: [BrowserPicker.Item] {
    columnLeaves.enumerated().map { index, leaf in
      let value = tab.record.map { shownValue($0.look.value(at: leaf.path)) } ?? ""
      return BrowserPicker.Item(index: index, name: leaf.path.text, note: value, mark: isChosen(leaf.path) ? "[x] " : "[ ] ")
    }
  }

  /// Shows the list of sources, with the current one chosen.
  mutating func pickSource() -> [BrowserAction] { beginPicking(.sources, at: current) }

  /// Shows the list of columns, with the current one chosen.
  mutating func pickColumns() -> [BrowserAction] {
    guard !columnLeaves.isEmpty else { return tellNoColumns() }
    return beginPicking(.columns, at: columnLeaves.firstIndex { $0.path == span?.path } ?? 0)
  }

  private mutating func beginPicking(_ mode: Mode, at index: Int) -> [BrowserAction] {
    let isRecord = self.mode == .record
    if isRecord { close() }
    picker = BrowserPicker(selected: index)
    self.mode = mode
    movePicker(to: index)
    return isRecord ? [.feed(tab: current, .hide)] : []
  }

  /// Handles a key in the list; letters narrow it.
  mutating func takeInPicker(_ key: Key) -> [BrowserAction] {
    let page = max(1, layout.body.height)
    switch key.code {
    case .enter: return take(picked: true)
    case .text(" ") where mode == .columns && key.modifiers.isEmpty: return take(picked: false)
    case .escape where picker.typed.isEmpty: mode = .list
    case .escape: narrow("")
    case .backspace: narrow(String(picker.typed.dropLast()))
    case .down, .tab: movePicker(to: picker.selected + 1)
    case .up: movePicker(to: picker.selected - 1)
    case .pageDown: movePicker(to: picker.selected + page)
    case .pageUp: movePicker(to: picker.selected - page)
    case .home: movePicker(to: 0)
    case .end: movePicker(to: pickable.count)
    case .text("u") where key.modifiers == .control: narrow("")
    case .text where key.modifiers.contains(.control):
      switch BrowserVerb(key) {
      case .down: movePicker(to: picker.selected + 1)
      case .up: movePicker(to: picker.selected - 1)
      case let verb? where [.interrupt, .suspend, .redraw].contains(verb): return perform(verb)
      default: break
      }
    case .text(let scalar) where !key.modifiers.contains(.alt): narrow(picker.typed + String(Character(scalar)))
    default: break
    }
    return []
  }

  /// Shows the items whose names contain `text`, with the first one chosen.
  mutating func narrow(_ text: String) {
    picker.typed = String(text.prefix(Self.mostTyped))
    movePicker(to: 0)
  }

  /// Shows the chosen source, or shows or hides the chosen column; Enter ends the choice of columns.
  private mutating func take(picked isEnd: Bool) -> [BrowserAction] {
    let shown = pickable
    guard mode == .columns else { return picker.selected < shown.count ? perform(.tab(shown[picker.selected].index)) : [] }
    if isEnd {
      mode = .list
    } else if picker.selected < shown.count {
      toggleColumn(columnLeaves[shown[picker.selected].index].path)
    }
    return []
  }

  /// Chooses an item, and scrolls so that it is on the screen.
  private mutating func movePicker(to index: Int) {
    let height = max(1, layout.body.height)
    picker.selected = min(max(0, index), max(0, pickable.count - 1))
    picker.top = min(max(picker.top, picker.selected - height + 1), picker.selected)
  }

  func drawPicker(on screen: inout Screen) {
    let (area, shown) = (layout.body, pickable)
    let widest = 2 + (shown.map { DisplayWidth.of($0.mark + $0.name) }.max() ?? 0)
    if shown.isEmpty {
      screen.put(
        mode == .columns ? "no column matches" : "no source matches", at: (area.column + 2, area.row), width: area.width - 2)
    }
    for (row, item) in shown.dropFirst(picker.top).prefix(area.height).enumerated() {
      let isChosen = picker.top + row == picker.selected
      let place = (area.column + 2, area.row + row)
      let width = screen.put(Printable.clean(item.mark + item.name), at: place, width: area.width - 2)
      let column = max(place.0 + width + 2, area.column + 2 + min(widest, area.width / 2))
      screen.put(item.note, at: (column, place.1), width: area.width - (column - area.column), style: [.dim])
      guard isChosen else { continue }
      screen.restyle(from: area.column, to: area.column + area.width, row: area.row + row, adding: .reversed)
      screen.put(">", at: (area.column, area.row + row), style: [.reversed])
    }
  }

  /// The number of items in the list, for the foot of the screen.
  var pickerStatus: String {
    // The views are in the list too, and are no sources.
    let (total, word) = mode == .columns ? (columnLeaves.count, "column") : (sourceCount, "source")
    let count = pickable.count { $0.index < total }
    let all = "\(total) \(word)\(total == 1 ? "" : "s")"
    return count == total ? all : "\(count) of \(all)"
  }
}
