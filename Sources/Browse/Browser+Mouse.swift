import Feed
import Terminal

// What the mouse does, where it was asked for.
extension Browser {
  /// How many records or lines a turn of the wheel moves.
  private static var turn: Int { 3 }

  mutating func take(_ event: MouseEvent) -> [BrowserAction] {
    // Somebody else may have left it on.
    guard isMouseTaken else { return [] }
    switch event.kind {
    case .wheelDown: return (0..<Self.turn).flatMap { _ in perform(.down) }
    case .wheelUp: return (0..<Self.turn).flatMap { _ in perform(.up) }
    case .press: break
    }
    if event.row == 0 { return labels.lastIndex { $0.column <= event.column }.map { perform(.tab(labels[$0].index)) } ?? [] }
    guard mode != .help else { return [] }
    if event.row == 1 { return perform(tab.picked == nil ? .search : .showAll) }
    guard let index = index(at: event) else { return [] }
    if mode == .typing { mode = .list }
    guard index != tab.selected else { return perform(.open) }
    let actions = mode == .record ? perform(.close) : []
    tab.selected = index
    return actions
  }

  /// Which record's card is there.
  private func index(at event: MouseEvent) -> Int? {
    let list = layout.list
    guard mode != .record || layout.record != nil, list.row..<list.row + list.height ~= event.row,
      list.column..<list.column + list.width ~= event.column
    else { return nil }
    var row = list.row
    for index in tab.top..<max(tab.top, items.count) where row <= event.row {
      row += lineCount(at: index)
      if event.row < row { return index }
    }
    return nil
  }
}
