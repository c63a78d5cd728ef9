import Terminal

/// What a key asks for.
enum BrowserVerb: Sendable, Hashable {
  case down, up, pageDown, pageUp, halfDown, halfUp, top, bottom
  case search, open, close, nextTab, previousTab, tab(Int)
  case delete, undo, pick, showAll, more, refresh, standIn
  case picture, copy, link, mouse
  case help, redraw, suspend, quit, interrupt
}

/// One line of the table of keys, which the foot of the screen, the help and the browser itself read.
struct BrowserKey: Sendable {
  let verb: BrowserVerb
  let keys: [Key]
  /// How a person reads the keys.
  let shown: String
  let words: String
  /// The word for it in the foot of the screen; nil where it is not shown there.
  var footer: String?

  init(_ verb: BrowserVerb, _ keys: [Key], _ shown: String, _ words: String, footer: String? = nil) {
    self.verb = verb
    self.keys = keys
    self.shown = shown
    self.words = words
    self.footer = footer
  }

  /// The most important first: a narrow foot shows no more.
  static let all = [
    BrowserKey(.help, [.text("?"), Key(.function(1))], "?", "show or hide these keys", footer: "keys"),
    BrowserKey(.quit, [.text("q"), .text("Q")], "q", "quit", footer: "quit"),
    BrowserKey(.search, [.text("/")], "/", "search as you type; Enter returns to the list", footer: "search"),
    BrowserKey(.open, [Key(.enter), Key(.right), .text("l")], "Enter", "show the record in full, or go back", footer: "open"),
    BrowserKey(.open, [], "Right", "search for the name that is suggested where nothing is found"),
    BrowserKey(.close, [Key(.escape), Key(.left), .text("h"), Key(.backspace)], "Esc", "go back; clear the search"),
    BrowserKey(.down, [.text("j"), Key(.down), .control("n"), .control("e")], "j, Down", "next record"),
    BrowserKey(.up, [.text("k"), Key(.up), .control("p"), .control("y")], "k, Up", "previous record"),
    BrowserKey(
      .pageDown, [.text(" "), .text("f"), Key(.pageDown), .control("f"), .control("v")], "Space, PgDn", "next screen"),
    BrowserKey(.pageUp, [.text("b"), Key(.pageUp), .control("b")], "b, PgUp", "previous screen"),
    BrowserKey(.halfDown, [.control("d")], "Ctrl-D", "half a screen down"),
    BrowserKey(.halfUp, [.control("u")], "Ctrl-U", "half a screen up"),
    BrowserKey(.top, [.text("g"), .text("t"), .text("<"), Key(.home)], "g, Home", "back to top"),
    BrowserKey(.bottom, [.text("G"), .text(">"), Key(.end)], "G, End", "last record; of a service the last that is loaded"),
    BrowserKey(.nextTab, [Key(.tab), .text("]")], "Tab", "next source", footer: "source"),
    BrowserKey(.previousTab, [Key(.tab, .shift), .text("[")], "Shift-Tab", "previous source"),
    BrowserKey(.delete, [.text("d"), Key(.delete)], "d", "delete the record", footer: "delete"),
    BrowserKey(.undo, [.text("u")], "u", "undo the last deletion", footer: "undo"),
    BrowserKey(.pick, [.text("D")], "D", "deal of the day", footer: "deal"),
    BrowserKey(.showAll, [.text("a")], "a", "show all again", footer: "show all"),
    BrowserKey(.more, [.text("m")], "m", "look for more"),
    BrowserKey(.refresh, [.text("r"), .text("R")], "r", "try again, or ask anew", footer: "refresh"),
    BrowserKey(.standIn, [.text("s"), .control("o")], "s, Ctrl-O", "show what is at hand, without waiting for the service"),
    BrowserKey(.picture, [.text("i")], "i", "show or hide pictures"),
    BrowserKey(.copy, [.text("y")], "y", "copy the record's id"),
    BrowserKey(.link, [.text("o")], "o", "the address of the record's page, which is copied"),
    BrowserKey(.mouse, [.text("M")], "M", "use the mouse here, or give it back to the terminal"),
    BrowserKey(.redraw, [.control("l")], "Ctrl-L", "draw the screen anew"),
    BrowserKey(.suspend, [.control("z")], "Ctrl-Z", "suspend; type fg to return"),
    BrowserKey(.interrupt, [.control("c")], "Ctrl-C", "quit with exit code 130"),
  ]

  static func verb(for key: Key) -> BrowserVerb? {
    if case .text(let scalar) = key.code, key.modifiers.isEmpty, ("1"..."9").contains(scalar) { return .tab(Int(scalar.value) - 0x31) }
    // A letter is the same with Shift, which it shows already.
    var key = key
    if case .text = key.code { key.modifiers.remove(.shift) }
    return all.first { $0.keys.contains(key) }?.verb
  }
}
