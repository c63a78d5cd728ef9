import AggregatorCore
import Testing
import TextDigests

@Suite("The composed form of a text") struct ComposedTests {
  @Test(
    "is one for all spellings",
    arguments: [
      (["é", "e\u{301}"], "é"), (["ệ", "ẹ\u{302}", "ê\u{323}", "e\u{302}\u{323}", "e\u{323}\u{302}"], "ệ"),
      (["각", "\u{1100}\u{1161}\u{11A8}", "가\u{11A8}"], "각"), (["Å", "\u{212B}", "A\u{30A}"], "Å"), (["ascii"], "ascii"), ([""], ""),
      (["i\u{307}"], "i\u{307}"), (["\u{958}"], "\u{915}\u{93C}"),
    ])
  func forms(spellings: [String], expected: String) {
    // As bytes: spellings of one text are equal as strings.
    for spelling in spellings { #expect(Array(spelling.composed.utf8) == Array(expected.utf8)) }
  }

  @Test("agrees with Python's unicodedata on every scalar with a mark and a jamo behind it", arguments: TextDigests.blocks.indices)
  func everyScalar(block: Int) {
    let known = TextDigests.scalars(ofBlock: block).filter { scalar in
      scalar.properties.generalCategory != .unassigned && scalar.properties.age.map { $0.major <= 14 } ?? true
    }
    let composed = known.map { "\($0)\u{301}\u{11A8}".composed + "\n" }.joined()
    var digest = Digest()
    digest.add(composed.utf8)
    #expect(digest.value == TextDigests.compositions[block])
  }

  @Test("agrees with Python's unicodedata on random texts, and twice is as good as once")
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
