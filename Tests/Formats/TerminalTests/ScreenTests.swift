import AggregatorCore
import Testing

@testable import Terminal

@Suite("A screen") struct ScreenTests {
  @Test("a screen clips between graphemes, and shows a blank for a wide one that does not fit")
  func clips() {
    var screen = Screen(columns: 5, rows: 1)
    #expect(screen.put("ab東京", at: (0, 0)) == 5)
    #expect(screen.lines == ["ab東"])
    #expect(screen.put("xyz", at: (3, 0), width: 1) == 1)
    #expect(screen.lines == ["ab x"])
    #expect(screen.put("outside", at: (5, 0)) == 0 && screen.put("outside", at: (0, 1)) == 0 && screen.put("x", at: (-1, 0)) == 0)
  }

  @Test("a screen drops text that a terminal would obey, and text without a column")
  func obeysNothing() {
    var screen = Screen(columns: 20, rows: 1)
    screen.put("a\u{1B}[2Jb\nc\u{9B}d\u{202E}e\u{301}\u{7}", at: (0, 0))
    #expect(screen.lines == ["a[2Jbcde\u{301}"])
  }

  @Test("a screen limits the number of marks on a letter")
  func stacked() {
    var screen = Screen(columns: 4, rows: 1)
    screen.put("e" + String(repeating: "\u{301}", count: 10_000), at: (0, 0))
    #expect(screen.line(0).utf8.count <= 64)
  }

  @Test("a screen without colors still shows reversed text")
  func uncoloured() {
    var screen = Screen(columns: 3, rows: 1, isColored: false)
    screen.put("abc", at: (0, 0), style: [.cyan, .reversed])
    let frame = String(decoding: screen.difference(from: nil), as: UTF8.self)
    #expect(frame.contains("\u{1B}[0;7m") && !frame.contains("36"))
  }

  @Test("a screen leaves skin tones out if a multiplexer counts columns for them")
  func skinTones() {
    var screen = Screen(columns: 6, rows: 1, hasSkinTones: false)
    screen.put("🧑🏽‍🚀👍🏽", at: (0, 0))
    #expect(screen.lines == ["🧑‍🚀👍"])
  }
}

@Suite("The difference between two screens") struct DifferenceTests {
  static let pool = [
    "plain text", "東京都", "e\u{301}clair", "👩‍👩‍👧‍👦", "❤️⚠️", "🇯🇵🇩🇪", "नमस्ते", "مُحَمَّد", "עברית", "  ", "x", "🧑🏽‍🚀", "ＡＢ", "->", "한국어", "a\u{200B}b",
  ]

  /// Random characters with colors, some of which are the terminal's own.
  private static func picture(_ dice: SeededDice) -> CharacterPicture? {
    let lines = (0..<1 + dice.index(below: 3)).map { _ in
      (0..<1 + dice.index(below: 8)).map { _ in
        let color = ["38;5;\(dice.index(below: 256))", "48;5;\(dice.index(below: 256))", "0", "7", "39;49"][dice.index(below: 5)]
        return "\u{1B}[\(color)m" + ["▄", "▌", " ", "x", "東"][dice.index(below: 5)]
      }.joined()
    }
    return CharacterPicture(Array(lines.joined(separator: "\n").utf8), columns: 6, rows: 3)
  }

  static func random(_ columns: Int, _ rows: Int, over base: Screen?, _ dice: SeededDice) -> Screen {
    var screen = base ?? Screen(columns: columns, rows: rows)
    for _ in 0..<dice.index(below: 6) {
      let style = CellStyle(rawValue: UInt8(dice.index(below: 3) == 0 ? dice.index(below: 16) : 0))
      screen.put(
        pool[dice.index(below: pool.count)], at: (dice.index(below: columns), dice.index(below: rows)), width: dice.index(below: 12),
        style: style)
    }
    if dice.index(below: 3) == 0, let picture = picture(dice) {
      for row in 0..<picture.rows { screen.put(picture, row: row, at: (dice.index(below: columns), dice.index(below: rows))) }
    }
    if dice.index(below: 4) == 0 { screen.restyle(from: 0, to: columns, row: dice.index(below: rows), adding: .reversed) }
    screen.cursor = dice.index(below: 4) == 0 ? nil : (dice.index(below: columns), dice.index(below: rows))
    return screen
  }

  @Test("the difference between two screens turns the old one into the new one on a terminal, with any contents")
  func shows() {
    let dice = SeededDice(seed: 12)
    for round in 0..<400 {
      let (columns, rows) = (1 + dice.index(below: 24), 1 + dice.index(below: 5))
      var glass = FakeTerminal(columns: columns, rows: rows)
      var old: Screen?
      for _ in 0..<8 {
        let new = Self.random(columns, rows, over: dice.index(below: 3) == 0 ? nil : old, dice)
        glass.obey(new.difference(from: old))
        let expected = FakeTerminal.spots(of: new)
        guard glass.spots == expected, glass.unknown.isEmpty, glass.isCursorShown == (new.cursor != nil) else {
          Issue.record("round \(round): \(new.lines) became \(glass.spots.map(\.text)) \(glass.unknown)")
          return
        }
        if let cursor = new.cursor { #expect(glass.cursor == cursor) }
        #expect(new.difference(from: new).isEmpty)
        old = new
      }
    }
  }

  @Test("a screen of another size than the old one is drawn whole")
  func resized() {
    var (old, new) = (Screen(columns: 6, rows: 3), Screen(columns: 8, rows: 2))
    old.put("before", at: (0, 1))
    new.put("after", at: (1, 0))
    var glass = FakeTerminal(columns: 8, rows: 2)
    glass.obey(new.difference(from: old))
    #expect(glass.spots == FakeTerminal.spots(of: new))
  }

  @Test(
    "text after a grapheme keeps its place if a terminal counts the columns of the grapheme differently",
    arguments: [("❤️", 1), ("❤️", 4), ("👩‍👩‍👧‍👦", 1), ("👩‍👩‍👧‍👦", 8), ("→", 2), ("स्ते", 4), ("e\u{301}", 2), ("東", 1)])
  func disagreeing(grapheme: String, width: Int) {
    var screen = Screen(columns: 30, rows: 2)
    let ours = screen.put(grapheme, at: (0, 0))
    screen.put("heart", at: (10, 0))
    screen.put("US", at: (28, 0))
    screen.put("next", at: (0, 1))
    var glass = FakeTerminal(columns: 30, rows: 2)
    glass.width = { String($0) == grapheme ? width : DisplayWidth.of($0) }
    var before = Screen(columns: 30, rows: 2)
    before.put("before that", at: (0, 0))
    glass.obey(before.difference(from: nil))
    glass.obey(screen.difference(from: before))
    let line = glass.spots[..<30].map { $0.text.isEmpty ? " " : $0.text }.joined()
    #expect(line.hasSuffix("heart             US"), "\(line)")
    // The old text is gone, even if the new one takes fewer columns.
    #expect(!line.contains("that") && (width < ours ? !line.contains("ef") : true), "\(line)")
    #expect(glass.spots[30].text == "n")
    // The text right after it is at its place.
    screen = Screen(columns: 30, rows: 2)
    screen.put(grapheme + "x" + grapheme + "y", at: (0, 0))
    glass.obey(screen.difference(from: before))
    #expect(glass.spots[ours].text == "x" && glass.spots[2 * ours + 1].text == "y")
  }

  @Test("the difference between two screens is one synchronized frame, with the cursor at its place at the end")
  func frame() {
    var screen = Screen(columns: 10, rows: 2)
    screen.put("ab", at: (0, 0))
    screen.cursor = (1, 1)
    let frame = String(decoding: screen.difference(from: Screen(columns: 10, rows: 2)), as: UTF8.self)
    #expect(
      frame.hasPrefix("\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l") && frame.hasSuffix("\u{1B}[0m\u{1B}[?7h\u{1B}[2;2H\u{1B}[?25h\u{1B}[?2026l"))
    // Only the cursor moves.
    var moved = screen
    moved.cursor = (2, 1)
    #expect(moved.difference(from: screen).count < 60)
  }
}
