import AggregatorCore
import Testing

@Suite struct PrintableTests {
  @Test(
    "cleaning takes out sequences that a terminal would obey",
    arguments: [
      ("\u{1B}[31mred\u{1B}[0m", "red"), ("\u{9B}31mred\u{9B}0m", "red"), ("a\u{1B}[2Jb\u{1B}[1;1Hc\u{1B}[?25l", "abc"),
      ("\u{1B}[>0 qx", "x"),
      ("\u{1B}]0;title\u{7}x", "x"), ("\u{1B}]8;;http://evil\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"), ("\u{9D}52;c;aGk=\u{9C}x", "x"),
      ("\u{1B}P+q544e\u{1B}\\x", "x"), ("\u{1B}_Gf=100;AAAA\u{1B}\\x", "x"), ("\u{1B}^pm\u{9C}x", "x"), ("\u{1B}Xsos\u{1B}\\x", "x"),
      ("\u{90}dcs\u{9C}\u{9F}apc\u{9C}\u{9E}pm\u{9C}\u{98}sos\u{9C}x", "x"), ("\u{1B}]0;é東\u{1B}\\x", "x"),
      ("\u{1B}cx\u{1B}7y\u{1B}=", "xy"),
      ("\u{1B}(Bx\u{1B}#8y\u{1B} Fz", "xyz"), ("a\u{8}\u{8}b\u{7}\u{0}\u{7F}c\u{84}\u{8D}", "abc"),
    ])
  func strips(text: String, expected: String) { #expect(Printable.clean(text) == expected) }

  @Test(
    "a sequence without an end loses only its introducer",
    arguments: [
      ("\u{1B}", ""), ("x\u{1B}", "x"), ("\u{1B}é", "é"), ("\u{1B}[", ""), ("\u{1B}[31", "31"), ("\u{1B}[3é", "3é"), ("\u{9B}1;2", "1;2"),
      ("\u{1B}]0;all the rest", "0;all the rest"), ("\u{9D} and more", " and more"), ("\u{1B}]0;a\nb\u{7}c", "0;a bc"),
      ("\u{1B}]0;a\u{1B}[31mb\u{7}", "0;ab"), ("\u{1B}\u{1B}[31m[31m", "[31m"), ("\u{1B}[\u{1B}[31m31m", "31m"), ("\u{1B}(", "("),
      ("\u{1B}]\u{1B}]x\u{7}", ""), ("â€œquote\u{9D} goes on", "â€œquote goes on"),
    ])
  func unterminated(text: String, expected: String) { #expect(Printable.clean(text) == expected) }

  @Test(
    "line breaks, tabs and separators become spaces, unless lines are kept",
    arguments: [
      ("a\nb", "a b", "a\nb"), ("a\r\nb", "a b", "a\nb"), ("a\rb", "a b", "a\nb"), ("a\n\rb", "a  b", "a\n\nb"), ("a\tb", "a b", "a b"),
      ("a\u{2028}b\u{2029}c\u{85}d", "a b c d", "a b c d"), ("a\u{B}\u{C}b", "ab", "ab"), ("\n", " ", "\n"),
    ])
  func lines(text: String, joined: String, kept: String) {
    #expect(Printable.clean(text) == joined)
    #expect(Printable.clean(text, lines: .kept) == kept)
  }

  @Test("text cannot be made to read backwards, and invisible marks are taken out")
  func direction() {
    #expect(Printable.clean("user\u{202E}nimda\u{202C} \u{2066}x\u{2069}\u{FEFF}") == "usernimda x")
  }

  @Test(
    "cleaning leaves all other text alone",
    arguments: ["", "Łódź 東京 👩🏽‍⚕️", "מ\u{200F}a\u{200E}", "a\u{A0}b\u{AD}c\u{200B}\u{200D}d", "[31m ]0; “”…", "\u{FFFE}\u{E000}"])
  func keeps(text: String) {
    #expect(Array(Printable.clean(text).utf8) == Array(text.utf8))
    #expect(Array(Printable.clean(text, lines: .kept).utf8) == Array(text.utf8))
  }

  @Test("no control character is left of any input, and cleaning twice changes nothing")
  func hostile() {
    let dice = SeededDice(seed: 13)
    let pool = Array("\u{1B}\u{1B}[]P_X^\\;31m\u{7}\u{9B}\u{9C}\u{9D}\u{90}\n\r\t\u{85}\u{2028}\u{202E}\u{FEFF} (Bé東\u{0}".unicodeScalars)
    for round in 0..<10_000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<dice.index(below: 16) { view.append(pool[dice.index(below: pool.count)]) }
      let lines: Printable.Lines = round.isMultiple(of: 2) ? .joined : .kept
      let cleaned = Printable.clean(String(view), lines: lines)
      let isClean = cleaned.unicodeScalars.allSatisfy {
        $0 == "\n" ? lines == .kept : $0.properties.generalCategory != .control && !(0x2028...0x202E ~= $0.value) && $0 != "\u{FEFF}"
      }
      #expect(isClean, "\(Array(view))")
      #expect(Printable.clean(cleaned, lines: lines) == cleaned)
    }
  }

  @Test("cleaning introducers without an end takes linear time")
  func linear() {
    let text = String(repeating: "\u{1B}]", count: 50_000) + String(repeating: "\u{9D}[1;", count: 50_000)
    #expect(Printable.clean(text).utf8.count == 150_000)
  }
}
