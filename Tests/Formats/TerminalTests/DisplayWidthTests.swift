import AggregatorCore
import Terminal
import Testing
import TextDigests

@Suite struct DisplayWidthTests {
  @Test(
    "the display width counts columns as terminals do",
    arguments: [
      ("", 0), ("Spider-Man", 10), ("Éclair", 6), ("e\u{301}clair", 6), ("東京", 4), ("ＡＢ", 4), ("ｶﾅ", 2), ("서울", 4),
      ("\u{1109}\u{1165}\u{110B}\u{116E}\u{11AF}", 4), ("🕷", 1), ("🕷️", 2), ("😀", 2), ("🇯🇵", 2), ("🇯🇵🇩🇪", 4), ("🇯", 1), ("👍🏽", 2),
      ("👩‍👩‍👧‍👦", 2), ("👩🏽‍⚕️", 2), ("❤️‍🔥", 2), ("❤", 1), ("❤️", 2), ("1️⃣", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("\u{1FAE8}", 2), ("→°±", 3), ("a\u{AD}b", 3),
      ("a\u{200B}b\u{FEFF}", 2), ("a\nb\u{7}\u{9B}", 2), ("नमस्ते", 4), ("สวัสดี", 4), ("مُحَمَّد", 4), ("\u{3000}", 2), ("\u{301}", 0),
      ("1\u{200B}\u{FE0F}", 1), ("a🏽", 3), ("🇯\u{200D}😀", 3),
    ])
  func columns(text: String, expected: Int) { #expect(DisplayWidth.of(text) == expected) }

  @Test("the display width agrees with Python's unicodedata on every single scalar", arguments: TextDigests.blocks.indices)
  func everyScalar(block: Int) {
    var digest = Digest()
    digest.add(TextDigests.scalars(ofBlock: block).map { UInt8(DisplayWidth.of(String($0))) })
    #expect(digest.value == TextDigests.widths[block])
  }

  @Test("the display width of a text is the sum of the widths of its graphemes")
  func adds() {
    let dice = SeededDice(seed: 5)
    let pool = Array("a1é東서😀❤🇯🏽\u{FE0F}\u{200D}\u{301}\u{200B}👩⚕\u{20E3}\n\u{1109}\u{1165}#©\u{1F3FB}".unicodeScalars)
    for _ in 0..<5000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<dice.index(below: 9) { view.append(pool[dice.index(below: pool.count)]) }
      let text = String(view)
      #expect(DisplayWidth.of(text) == text.reduce(0) { $0 + DisplayWidth.of($1) }, "\(Array(view))")
    }
  }
}

@Suite struct FittingTests {
  @Test(
    "a text is cut between graphemes, and the cut is marked",
    arguments: [
      ("Spider", 6, "Spider"), ("Spider", 5, "Spid…"), ("Spider", 1, "…"), ("Spider", 0, ""), ("Spider", -3, ""), ("a bcd", 3, "a…"),
      ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("👩‍👩‍👧‍👦 family", 3, "👩‍👩‍👧‍👦…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("", 0, ""),
    ])
  func truncates(text: String, width: Int, expected: String) { #expect(DisplayWidth.truncate(text, to: width) == expected) }

  @Test("padding fills a column, counting columns and not characters")
  func pads() {
    #expect(DisplayWidth.pad("東", to: 4) == "東  ")
    #expect(DisplayWidth.pad("Spider", to: 3) == "Spider")
  }
}

@Suite struct WrappingTests {
  @Test(
    "a line breaks where a reader would break it",
    arguments: [
      ("", 5, [""]), ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]), ("one  two  ", 9, ["one  two"]),
      ("a\n\nb", 5, ["a", "", "b"]),
      ("Spider-Man swings", 8, ["Spider-", "Man", "swings"]), ("run --all -1", 7, ["run", "--all", "-1"]),
      ("x --all", 3, ["x", "--a", "ll"]), ("sync --same-account", 15, ["sync", "--same-account"]),
      ("unbreakable", 4, ["unbr", "eaka", "ble"]), ("a unbreakable b", 4, ["a", "unbr", "eaka", "ble", "b"]),
      ("東京都", 5, ["東京", "都"]), ("東京。", 4, ["東", "京。"]), ("「東京」", 4, ["「東", "京」"]), ("東京", 1, ["東", "京"]), ("ab", 0, ["a", "b"]),
      ("  indented text", 10, ["  indented", "text"]), ("     ", 2, [""]), ("a\u{A0}b c", 3, ["a\u{A0}b", "c"]),
      ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
      ("one\r\ntwo", 9, ["one", "two"]),
    ])
  func wraps(text: String, width: Int, expected: [String]) { #expect(DisplayWidth.wrap(text, width: width) == expected) }

  @Test("wrapping never loses visible text, and exceeds the width by at most one wide character")
  func keepsAll() {
    let dice = SeededDice(seed: 11)
    let pool = Array("ab-é 東。「」 – 👩🏽‍⚕️ x,\n  ()z".map(String.init))
    for _ in 0..<3000 {
      let text = (0..<dice.index(below: 30)).map { _ in pool[dice.index(below: pool.count)] }.joined()
      let width = dice.index(below: 9)
      let lines = DisplayWidth.wrap(text, width: width)
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " && $0 != "\n" })
      let fits = lines.allSatisfy { DisplayWidth.of($0) <= max(1, width) || $0.count == 1 }
      #expect(fits, "\(lines) in \(width)")
    }
  }

  @Test("plain ASCII wraps like every other text")
  func plain() {
    let dice = SeededDice(seed: 7)
    let letters = Array("aaab1 -- -_'.  a-b")
    for _ in 0..<2_000 {
      let text = "a" + String((0..<dice.index(below: 40)).map { _ in letters[dice.index(below: letters.count)] })
      let width = dice.index(below: 20)
      let other = DisplayWidth.wrap(text.replacing("a", with: "á"), width: width)
      #expect(DisplayWidth.wrap(text, width: width) == other.map { $0.replacing("á", with: "a") }, "\(text), \(width)")
    }
  }
}
