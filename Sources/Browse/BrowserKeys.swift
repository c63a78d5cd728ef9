import Terminal

/// What a key asks for.
enum BrowserVerb: Sendable, Hashable {
  case down, up, pageDown, pageUp, halfDown, halfUp, top, bottom
  case search, open, close, nextTab, previousTab, tab(Int)
  case delete, undo, pick, showAll, more, refresh, standIn
  case picture, copy, link, mouse
  case help, redraw, suspend, quit, interrupt

  /// One line of the table of keys: how a person reads them, what they do, and the word for it in the foot of the screen, where it is shown.
  typealias Line = (verb: BrowserVerb, keys: [Key], shown: String, words: String, footer: String?)

  /// The keys, as the browser itself, its help and the foot of the screen read them. The most important first: a narrow foot shows no more.
  static let table: [Line] = [
    (.help, [.text("?"), Key(.function(1))], "?", "show or hide these keys", "keys"),
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
    (.delete, [.text("d"), Key(.delete)], "d", "delete the record", "delete"),
    (.undo, [.text("u")], "u", "undo the last deletion", "undo"),
    (.pick, [.text("D")], "D", "deal of the day", "deal"),
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
