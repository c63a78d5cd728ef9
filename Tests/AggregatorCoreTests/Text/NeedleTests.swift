import AggregatorCore
import Testing

@Suite struct NeedleTests {
  @Test(
    "finds a text whatever its case, marks and width",
    arguments: [
      ("sao tome", "São Tomé e Príncipe"), ("STRASSE", "Hauptstraße 5"), ("straße", "HAUPTSTRASSE"), ("spider-man", "Spider–Man"),
      ("o'neil", "Dennis O’Neil"), ("서", "서울"), ("\u{1109}\u{1165}", "서울"), ("ab", "aab"), ("aab", "aaab"), ("x", "x"),
    ])
  func finds(needle: String, text: String) {
    #expect(Needle(needle).matches(text))
    #expect(Fold.contains(text, needle))
  }

  @Test("does not find what is not there", arguments: [("tome s", "São Tomé"), ("ab", "a"), ("abc", "ababab"), ("a", ""), ("ss", "s s")])
  func misses(needle: String, text: String) { #expect(!Needle(needle).matches(text)) }

  @Test("a needle of which nothing is left matches every text", arguments: ["", "\u{301}", "\u{200B}"])
  func empty(needle: String) {
    #expect(Needle(needle).isEmpty)
    #expect(Needle(needle).matches(""))
    #expect(Needle(needle).matches("anything"))
  }
}
