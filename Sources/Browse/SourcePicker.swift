import AggregatorCore
import Feed
import Presentation
import Terminal

/// The list of all sources, from which a person chooses one. The typed text narrows it.
struct SourcePicker: Sendable, Hashable {
  var typed = ""
  /// The index of the chosen source among those that match.
  var selected = 0
  /// The index of the first source on the screen.
  var top = 0
}

extension Browser {
  /// The tabs of the sources whose names contain the typed text.
  var pickable: [Int] {
    guard let text = SearchPhrase(picker.typed) else { return Array(tabs.indices) }
    return tabs.indices.filter { text.isFound(in: [tabs[$0].source.name]) }
  }

  /// Shows the list of sources, with the current one chosen.
  mutating func pickSource() -> [BrowserAction] {
    let isRecord = mode == .record
    if isRecord { close() }
    picker = SourcePicker(selected: current)
    mode = .sources
    movePicker(to: current)
    return isRecord ? [.feed(tab: current, .hide)] : []
  }

  /// Handles a key in the list of sources; letters narrow the list.
  mutating func takeInPicker(_ key: Key) -> [BrowserAction] {
    let page = max(1, layout.body.height)
    switch key.code {
    case .enter: return showPicked()
    case .escape where picker.typed.isEmpty: mode = .list
    case .escape: narrow("")
    case .backspace: narrow(String(picker.typed.dropLast()))
    case .down, .tab: movePicker(to: picker.selected + 1)
    case .up: movePicker(to: picker.selected - 1)
    case .pageDown: movePicker(to: picker.selected + page)
    case .pageUp: movePicker(to: picker.selected - page)
    case .home: movePicker(to: 0)
    case .end: movePicker(to: tabs.count)
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

  /// Shows the sources whose names contain `text`, with the first one chosen.
  mutating func narrow(_ text: String) {
    picker.typed = String(text.prefix(Self.mostTyped))
    movePicker(to: 0)
  }

  private mutating func showPicked() -> [BrowserAction] {
    let shown = pickable
    guard picker.selected < shown.count else { return [] }
    return perform(.tab(shown[picker.selected]))
  }

  /// Chooses a source, and scrolls so that it is on the screen.
  private mutating func movePicker(to index: Int) {
    let height = max(1, layout.body.height)
    picker.selected = min(max(0, index), max(0, pickable.count - 1))
    picker.top = min(max(picker.top, picker.selected - height + 1), picker.selected)
  }

  func drawSources(on screen: inout Screen) {
    let (area, shown) = (layout.body, pickable)
    let widest = 2 + (shown.map { DisplayWidth.of(tabs[$0].source.name + tabs[$0].found) }.max() ?? 0)
    if shown.isEmpty { screen.put("no source matches", at: (area.column + 2, area.row), width: area.width - 2) }
    for (row, index) in shown.dropFirst(picker.top).prefix(area.height).enumerated() {
      let isChosen = picker.top + row == picker.selected
      let place = (area.column + 2, area.row + row)
      let width = screen.put(tabs[index].source.name + tabs[index].found, at: place, width: area.width - 2)
      let column = max(place.0 + width + 2, area.column + 2 + widest)
      screen.put(tabs[index].source.stored, at: (column, place.1), width: area.width - (column - area.column), style: [.dim])
      guard isChosen else { continue }
      screen.restyle(from: area.column, to: area.column + area.width, row: area.row + row, adding: .reversed)
      screen.put(">", at: (area.column, area.row + row), style: [.reversed])
    }
  }

  /// The number of sources in the list, for the foot of the screen.
  var pickerStatus: String {
    let count = pickable.count
    return count == tabs.count ? "\(count) sources" : "\(count) of \(tabs.count) sources"
  }
}
