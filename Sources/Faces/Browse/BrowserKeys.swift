import Feed
import Presentation
import Terminal

/// An action that a key asks for.
enum BrowserVerb: Sendable, Hashable {
  case down, up, pageDown, pageUp, halfDown, halfUp, top, bottom
  case search, open, close, nextTab, previousTab, sources, tab(Int)
  case delete, undo, pick, showAll, more, refresh, sync, standIn
  case left, right, sort, filter, exclude, width, hideColumn, columns, zoom
  case mark, unmark, export, copy, copyCell, copyRecord
  case picture, link, mouse, status, changes, find, line
  case help, redraw, suspend, quit, interrupt

  /// A line in the table of keys: the keys, their names in the help, what they do, and their word in the foot of the screen if it shows
  /// them.
  typealias Line = (verb: BrowserVerb, keys: [Key], shown: String, words: String, footer: String?)

  /// The keys, as the browser itself, its help and the foot of the screen read them. The most important ones come first,
  /// because a narrow foot shows no more.
  static let table: [Line] = [
    (.help, [.text("?"), Key(.f1)], "?", "show or hide these keys", "keys"),
    (.quit, [.text("q"), .text("Q")], "q", "quit", "quit"),
    (.search, [.text("/")], "/", "search as you type; Enter returns to the list", "search"),
    (.open, [Key(.enter)], "Enter", "show the record in full, or go back", "open"),
    (.sort, [.text("s")], "s", "sort by this column: up, down, as it was", "sort"),
    (.filter, [.text("f")], "f", "only records with this value in this column", "filter"),
    (.exclude, [.text("F")], "F", "only records with another value", nil),
    (.line, [.text(":")], ":", "type a command, such as :where FIELD=VALUE", "command"),
    (.showAll, [.text("a")], "a", "show all again", "show all"),
    (.right, [Key(.right), .text("l")], "l, Right", "next column", nil),
    (.left, [Key(.left), .text("h")], "h, Left", "previous column", nil),
    (.open, [], "Right", "search for the name that is suggested where nothing is found", nil),
    (.close, [Key(.escape), Key(.backspace)], "Esc", "go back; clear the search, then the conditions and the order", nil),
    (.width, [.text("w")], "w", "this column as wide as its values, or narrow", nil),
    (.columns, [.text("v")], "v", "choose the columns", "columns"),
    (.hideColumn, [.text("-")], "-", "hide this column", nil),
    (.zoom, [.text("z")], "z", "the list alone, or details beside it", nil),
    (.mark, [.text("x")], "x", "mark the record, or take the mark away", "mark"),
    (.unmark, [.text("X")], "X", "take all marks away", nil),
    (.export, [.text("e")], "e", "write the marked records, else the list, into a file", "export"),
    (.down, [.text("j"), Key(.down), .control("n"), .control("e")], "j, Down", "next record", nil),
    (.up, [.text("k"), Key(.up), .control("p"), .control("y")], "k, Up", "previous record", nil),
    (.pageDown, [.text(" "), Key(.pageDown), .control("f"), .control("v")], "Space, PgDn", "next screen", nil),
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
    (.more, [.text("m")], "m", "look for more", nil),
    (.refresh, [.text("r")], "r", "try again, or ask the service anew", "refresh"),
    (.sync, [.text("R")], "R", "store every record of this source; R again stops", nil),
    (.status, [.text("!")], "!", "the state of every stored list", "status"),
    (.changes, [.text("C")], "C", "what syncs found new, changed or gone", "changes"),
    (.find, [.text("A")], "A", "search every source", nil),
    (.standIn, [.control("o")], "Ctrl-O", "show what is at hand, without waiting for the service", nil),
    (.picture, [.text("i")], "i", "show or hide pictures", nil),
    (.copy, [.text("y")], "y", "copy the record's id", nil),
    (.copyCell, [.text("c")], "c", "copy the value in this column", nil),
    (.copyRecord, [.text("Y")], "Y", "copy the record as JSON", nil),
    (.link, [.text("o")], "o", "the address of the record's page, which is copied", nil),
    (.mouse, [.text("M")], "M", "use the mouse here, or give it back to the terminal", nil),
    (.redraw, [.control("l")], "Ctrl-L", "draw the screen anew", nil),
    (.suspend, [.control("z")], "Ctrl-Z", "suspend; type fg to return", nil),
    (.interrupt, [.control("c")], "Ctrl-C", "quit with exit code 130", nil),
  ]

  /// The action of a key; nil if it has none.
  init?(_ key: Key) {
    if case .text(let scalar) = key.code, key.modifiers.isEmpty, ("0"..."9").contains(scalar) {
      // The tenth key is 0, as on a keyboard.
      self = .tab((Int(scalar.value) - 0x31 + 10) % 10)
      return
    }
    // A letter already tells whether Shift was pressed.
    var key = key
    if case .text = key.code { key.modifiers.remove(.shift) }
    guard let line = Self.table.first(where: { $0.keys.contains(key) }) else { return nil }
    self = line.verb
  }
}

// The actions of the mouse, if a person wants it here.
extension Browser {
  /// The number of records or lines that one turn of the wheel moves.
  private static var turn: Int { 3 }

  mutating func take(_ event: MouseEvent) -> [BrowserAction] {
    // Another program may have left the mouse switched on.
    guard isMouseTaken else { return [] }
    switch event.kind {
    case .wheelDown: return (0..<Self.turn).flatMap { _ in perform(.down) }
    case .wheelUp: return (0..<Self.turn).flatMap { _ in perform(.up) }
    case .press: break
    }
    if event.row == 0 { return labels.lastIndex { $0.column <= event.column }.map { perform(.tab(labels[$0].index)) } ?? [] }
    guard ![.help, .sources, .columns].contains(mode) else { return [] }
    if mode == .line { mode = .list }
    if event.row == 1 { return perform(tab.pick.listing == nil ? .search : .showAll) }
    if event.row == layout.list.row - 1, let span = spans.last(where: { layout.list.column + 2 + $0.start <= event.column }) {
      tab.table.column = span.path
      return perform(.sort)
    }
    guard let index = index(at: event) else { return [] }
    if mode == .typing { mode = .list }
    guard index != tab.selected else { return perform(.open) }
    let actions = mode == .record ? perform(.close) : []
    tab.selected = index
    return actions
  }

  /// Returns the index of the record whose card is there.
  private func index(at event: MouseEvent) -> Int? {
    let list = layout.list
    guard mode != .record || layout.record != nil, list.row..<list.row + list.height ~= event.row,
      list.column..<list.column + list.width ~= event.column
    else { return nil }
    return tab.window.index(atLine: event.row - list.row)
  }
}
