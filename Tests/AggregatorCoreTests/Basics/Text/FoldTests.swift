import Testing
import TextDigests

@testable import AggregatorCore

@Suite struct FoldTests {
  @Test(
    "typed texts and texts of services fold to the same text",
    arguments: [
      ("", ""), ("Spider-Man", "spider-man"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ẞ", "ss"), ("Müller", "muller"),
      ("Łódź", "lodz"), ("Zażółć gęślą jaźń", "zazolc gesla jazn"), ("İstanbul", "istanbul"), ("ISPARTA ısparta", "isparta isparta"),
      ("Đặng Thị Ngọc Thịnh", "dang thi ngoc thinh"), ("Ὀδυσσεύς ΟΔΥΣΣΕΥΣ", "οδυσσευσ οδυσσευσ"), ("ᾼ", "α"), ("مُحَمَّد", "محمد"),
      ("ﬁnancial ﬂow", "financial flow"), ("ＡＢＣ１２３", "abc123"), ("Ĳsselmeer", "ijsselmeer"), ("Ærøskøbing Œuvre", "aeroskobing oeuvre"),
      ("Þórður Ðað", "thordur dad"), ("Ħal Għargħur ŧ Ŋ ĸ", "hal gharghur t n k"),
      ("D’Artagnan ʻOkina ʼn ŉ `x‘ O＇Neil", "d'artagnan 'okina 'n 'n 'x' o'neil"), ("1–2—3‑4−5", "1-2-3-4-5"),
      ("a\u{A0}\u{A0}b\u{3000}c", "a  b c"), ("Wonder\u{AD}Woman", "wonderwoman"), ("①²½", "121⁄2"), ("日本", "日本"),
      ("ﷺ", "صلى الله عليه وسلم"),
      ("🕷️", "🕷"), ("a\u{20DD}", "a"),
    ])
  func folds(text: String, expected: String) { #expect(Array(Fold.fold(text).utf8) == Array(expected.utf8)) }

  @Test(
    "normal forms of a text fold alike",
    arguments: [
      ["é", "e\u{301}"], ["ệ", "ẹ\u{302}", "ê\u{323}", "e\u{302}\u{323}", "e\u{323}\u{302}"],
      ["각", "\u{1100}\u{1161}\u{11A8}", "가\u{11A8}"],
      ["Å", "\u{212B}", "A\u{30A}"], ["Ǿ", "Ø\u{301}"], ["か\u{3099}", "が"], ["ﬃ", "ffi"], ["\u{302E}\u{302F}", "\u{302F}\u{302E}"],
    ])
  func normalForms(forms: [String]) { #expect(Set(forms.map { Array(Fold.fold($0).utf8) }).count == 1) }

  @Test(
    "folding agrees with Python's unicodedata on every scalar, and folding twice changes nothing", arguments: TextDigests.blocks.indices)
  func everyScalar(block: Int) {
    let folded = Fold.fold(TextDigests.scalars(ofBlock: block).map { "\($0)\n" }.joined())
    var digest = Digest()
    digest.add(folded.utf8)
    #expect(digest.value == TextDigests.folds[block])
    let isStable = Fold.fold(folded).utf8.elementsEqual(folded.utf8)
    #expect(isStable)
  }

  @Test("folding agrees with Python's unicodedata on random texts")
  func randomTexts() {
    var digest = Digest()
    for text in TextDigests.randomTexts() {
      digest.add(Fold.fold(text).utf8)
      digest.add([0xFF])
    }
    #expect(digest.value == TextDigests.randomFolds)
  }

  @Test("the fold of a concatenation is the concatenation of the folds")
  func distributes() {
    let texts = TextDigests.randomTexts()
    for (left, right) in zip(texts, texts.dropFirst()) { #expect(Fold.fold(left + right) == Fold.fold(left) + Fold.fold(right)) }
  }

  @Test("folded bytes are appended, whatever their length and place, and the buffer grows if needed")
  func bytes() {
    for length in 0..<70 {
      let text = String(repeating: "Aﷺ`É", count: length).suffix(length)
      var output = Array("kept".utf8)
      Array(text.utf8).withUnsafeBufferPointer { Fold.fold(utf8: $0, into: &output) }
      #expect(output == Array("kept".utf8) + text.flatMap { Fold.fold(String($0)).utf8 })
    }
  }
}

@Suite struct NeedleTests {
  @Test(
    "a needle finds a text in any case, with any marks and width",
    arguments: [
      ("sao tome", "São Tomé e Príncipe"), ("STRASSE", "Hauptstraße 5"), ("straße", "HAUPTSTRASSE"), ("spider-man", "Spider–Man"),
      ("o'neil", "Dennis O’Neil"), ("서", "서울"), ("\u{1109}\u{1165}", "서울"), ("ab", "aab"), ("aab", "aaab"), ("x", "x"),
    ])
  func finds(needle: String, text: String) { #expect(Needle(needle).matches(text)) }

  @Test(
    "a needle does not find a text that is missing",
    arguments: [("tome s", "São Tomé"), ("ab", "a"), ("abc", "ababab"), ("a", ""), ("ss", "s s")])
  func misses(needle: String, text: String) { #expect(!Needle(needle).matches(text)) }

  @Test("a needle without a letter left matches every text", arguments: ["", "\u{301}", "\u{200B}"])
  func empty(needle: String) {
    #expect(Needle(needle).isEmpty)
    #expect(Needle(needle).matches(""))
    #expect(Needle(needle).matches("anything"))
  }
}

@Suite("The composed form of a text") struct ComposedTests {
  @Test(
    "the composed form of a text is the same for all spellings",
    arguments: [
      (["é", "e\u{301}"], "é"), (["ệ", "ẹ\u{302}", "ê\u{323}", "e\u{302}\u{323}", "e\u{323}\u{302}"], "ệ"),
      (["각", "\u{1100}\u{1161}\u{11A8}", "가\u{11A8}"], "각"), (["Å", "\u{212B}", "A\u{30A}"], "Å"), (["ascii"], "ascii"), ([""], ""),
      (["i\u{307}"], "i\u{307}"), (["\u{958}"], "\u{915}\u{93C}"),
    ])
  func forms(spellings: [String], expected: String) {
    // As bytes, because spellings of one text are equal as strings.
    for spelling in spellings { #expect(Array(spelling.composed.utf8) == Array(expected.utf8)) }
  }

  @Test("composing agrees with Python's unicodedata on every scalar followed by a mark and a jamo", arguments: TextDigests.blocks.indices)
  func everyScalar(block: Int) {
    let known = TextDigests.scalars(ofBlock: block).filter { scalar in
      scalar.properties.generalCategory != .unassigned && scalar.properties.age.map { $0.major <= 14 } ?? true
    }
    let composed = known.map { "\($0)\u{301}\u{11A8}".composed + "\n" }.joined()
    var digest = Digest()
    digest.add(composed.utf8)
    #expect(digest.value == TextDigests.compositions[block])
  }

  @Test("composing agrees with Python's unicodedata on random texts, and composing twice changes nothing")
  func randomTexts() {
    var digest = Digest()
    for text in TextDigests.randomTexts() {
      let composed = text.composed
      let isStable = composed.composed.utf8.elementsEqual(composed.utf8)
      #expect(isStable)
      digest.add(composed.utf8)
      digest.add([255])
    }
    #expect(digest.value == TextDigests.randomCompositions)
  }
}
