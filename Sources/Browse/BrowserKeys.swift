import Feed
import Terminal

/// What a key asks for.
enum BrowserVerb: Sendable, Hashable {
  case down, up, pageDown, pageUp, halfDown, halfUp, top, bottom
  case search, open, close, nextTab, previousTab, sources, tab(Int)
  case delete, undo, pick, showAll, more, refresh, standIn
  case picture, copy, link, mouse
  case help, redraw, suspend, quit, interrupt

  /// One line of the table of keys: how a person reads them, what they do, and the word for it in the foot of the screen, where it is shown.
  typealias Line = (verb: BrowserVerb, keys: [Key], shown: String, words: String, footer: String?)

  /// The keys, as the browser itself, its help and the foot of the screen read them. The most important first: a narrow foot shows no more.
  static let table: [Line] = [
    (.help, [.text("?"), Key(.f1)], "?", "show or hide these keys", "keys"),
    (.quit, [.text("q"), .text("Q")], "q", "quit", "quit"),
    (.search, [.text("/")], "/", "search as you type; Enter returns to the list", "search"),
    (.open, [Key(.enter), Key(.right), .text("l")], "Enter", "show the record in full, or go back", "open"),
    (.open, [], "Right", "search for the name that is suggested where nothing is found", nil),
    (.close, [Key(.escape), Key(.left), .text("h"), Key(.backspace)], "Esc", "go back; clear the search", nil),
    (.down, [.text("j"), Key(.down), .control("n"), .control("e")], "j, Down", "next record", nil),
    (.up, [.text("k"), Key(.up), .control("p"), .control("y")], "k, Up", "previous record", nil),
    (.pageDown, [.text(" "), .text("f"), Key(.pageDown), .control("f"), .control("v")], "Space, PgDn", "next screen", nil),
    (.pageUp, [.text("b"), Key(.pageUp), .control("b")], "b, PgUp", "previous screen", nil),
    (.halfDown, [.control("d")], "Ctrl-D", "half a screen down", nil),
    (.halfUp, [.control("u")], "Ctrl-U", "half a screen up", nil),
    (.top, [.text("g"), .text("t"), .text("<"), Key(.home)], "g, Home", "back to top", nil),
    (.bottom, [.text("G"), .text(">"), Key(.end)], "G, End", "last record; of a service the last that is loaded", nil),
    (.nextTab, [Key(.tab), .text("]")], "Tab", "next source", "source"),
    (.previousTab, [Key(.tab, .shift), .text("[")], "Shift-Tab", "previous source", nil),
    (.sources, [.text("S")], "S", "choose a source by its name", "sources"),
    (.delete, [.text("d"), Key(.delete)], "d", "delete the record", "delete"),
    (.undo, [.text("u")], "u", "undo the last deletion", "undo"),
    (.pick, [.text("D")], "D", "a random record", "pick"),
    (.showAll, [.text("a")], "a", "show all again", "show all"),
    (.more, [.text("m")], "m", "look for more", nil),
    (.refresh, [.text("r"), .text("R")], "r", "try again, or ask anew", "refresh"),
    (.standIn, [.text("s"), .control("o")], "s, Ctrl-O", "show what is at hand, without waiting for the service", nil),
    (.picture, [.text("i")], "i", "show or hide pictures", nil),
    (.copy, [.text("y")], "y", "copy the record's id", nil),
    (.link, [.text("o")], "o", "the address of the record's page, which is copied", nil),
    (.mouse, [.text("M")], "M", "use the mouse here, or give it back to the terminal", nil),
    (.redraw, [.control("l")], "Ctrl-L", "draw the screen anew", nil),
    (.suspend, [.control("z")], "Ctrl-Z", "suspend; type fg to return", nil),
    (.interrupt, [.control("c")], "Ctrl-C", "quit with exit code 130", nil),
  ]

  /// What a key asks for; nil where that is nothing.
  init?(_ key: Key) {
    if case .text(let scalar) = key.code, key.modifiers.isEmpty, ("1"..."9").contains(scalar) {
      self = .tab(Int(scalar.value) - 0x31)
      return
    }
    // A letter is the same with Shift, which it shows already.
    var key = key
    if case .text = key.code { key.modifiers.remove(.shift) }
    guard let line = Self.table.first(where: { $0.keys.contains(key) }) else { return nil }
    self = line.verb
  }
}

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
    guard mode != .help, mode != .sources else { return [] }
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
