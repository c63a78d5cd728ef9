import AggregatorCore
import Testing

@Suite("A text that a person looks for") struct SearchTextTests {
  @Test(
    "a searched text is found in any case, marks, joints and order of words",
    arguments: [
      ("spiderman", ["Spider-Man"]), ("spider man", ["Spider-Man"]), ("Spider-Man", ["Spider-Man"]), ("SPIDERMAN", ["spider man"]),
      ("Spider-Man", ["Spiderman"]), ("spider man", ["Spiderman"]), ("man spider", ["Spider-Man"]), ("iderm", ["Spiderman"]),
      ("pider", ["Spider-Man"]), ("man noir", ["Spider-Man Noir"]), ("manno", ["Spider-Man Noir"]), ("obrien", ["O'Brien"]),
      ("o'brien", ["O’Brien"]), ("usa", ["U.S.A."]), ("u.s.a", ["USA"]), ("sao tome", ["São Tomé e Príncipe"]),
      ("STRASSE", ["Hauptstraße 5"]),
      ("mia wattle", ["Wattle", "Mia"]), ("wattle mia", ["mia.wattle@example.com"]), ("mia.wattle", ["mia.wattle@example.com"]),
      ("spider - man", ["Spider-Man"]), ("mia mia", ["Mia"]), ("2099", ["Spider-Man 2099"]), ("x23", ["X-23"]), ("本語", ["日本語"]),
      ("हिन्दी", ["मानक हिन्दी"]), ("спайдермен", ["Спайдер-Мен"]), ("%", ["100%"]), ("🦊", ["🦊 fox"]), ("", ["anything"]), (" ", [""]),
      ("fox 🦊", ["a fox"]), ("spider man", ["Spid-Erman"]), ("tab here", ["tab\there"]), ("nulinside", ["nul\0inside"]),
    ])
  func finds(text: String, values: [String]) { #expect(SearchText(text).isFound(in: values)) }

  @Test(
    "a searched text is not found across a joint from inside a word, across values, or if a word is missing",
    arguments: [
      ("iderman", ["Spider-Man"]), ("rm", ["Spider-Man"]), ("spiderman", ["Spider", "Man"]), ("spider bat", ["Spider-Man"]),
      ("tome s", ["Tome"]),
      ("ss", ["s-s t", "xs s"].dropFirst().map { $0 }), ("abc", ["ab", "c"]), ("%", ["100"]), ("🦊", ["fox"]), ("a", [""]), ("a", []),
    ])
  func misses(text: String, values: [String]) { #expect(!SearchText(text).isFound(in: values)) }

  /// The rule once more, written as slowly and plainly as possible.
  private func isFound(_ text: String, in values: [String]) -> Bool {
    func words(_ text: String) -> [String] { Fold.fold(text).split { !$0.isLetter && !$0.isNumber }.map(String.init) }
    func isThere(_ word: String) -> Bool {
      values.map(words).contains { words in
        words.contains { $0.contains(word) } || words.indices.contains { words[$0...].joined().hasPrefix(word) }
      }
    }
    let sought = text.split(separator: " ").map { words(String($0)).joined() }.filter { !$0.isEmpty }
    return isThere(sought.joined()) || sought.allSatisfy(isThere)
  }

  @Test("a searched text is found exactly where the rule says, in ten thousand made-up texts")
  func rule() {
    let dice = SeededDice(seed: 11)
    let letters = ["a", "b", "ñ", "B", "1", "-", "'", " ", ".", "ß", "Å"]
    func word(_ most: Int) -> String { (0...dice.index(below: most)).map { _ in letters[dice.index(below: letters.count)] }.joined() }
    var (hits, tries) = (0, 0)
    while tries < 10_000 {
      let (text, values) = (word(5), [word(9), word(6)])
      // A text of joints alone has a rule of its own.
      guard Fold.fold(text).contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      tries += 1
      let due = isFound(text, in: values)
      hits += due ? 1 : 0
      #expect(SearchText(text).isFound(in: values) == due, "\(text) in \(values)")
    }
    #expect(hits > 1_000 && hits < 9_000)
  }
}

@Suite struct ClosestTests {
  static let words = ["list", "search", "next", "sync", "show", "deal", "delete", "restore", "why", "image", "Countries"]

  @Test(
    "the closest word is the one that was meant",
    arguments: [
      ("serach", "search"), ("SEARCH", "search"), ("lst", "list"), ("lists", "list"), ("shwo", "show"), ("contries", "Countries"),
      ("countr", "Countries"), ("sea", "search"), ("de", "deal"), ("del", "delete"), ("delate", "delete"), ("nxt", "next"), ("wyh", "why"),
      ("imäge", "image"),
    ])
  func finds(typed: String, expected: String) { #expect(Closest.closest(to: typed, among: Self.words) == expected) }

  @Test("no closest word is found when none is near", arguments: ["", "x", "browse", "hwy!!", "stow it", "shoes", "lsit the", "élan"])
  func silent(typed: String) { #expect(Closest.closest(to: typed, among: Self.words) == nil) }

  @Test("among equally near words the one with the longer common beginning wins, then the first")
  func equals() {
    #expect(Closest.closest(to: "cat", among: ["bat", "car", "can"]) == "car")
    #expect(Closest.closest(to: "ab", among: []) == nil)
    #expect(Closest.closest(to: "s", among: ["a", "st"]) == "st")
  }

  @Test("one letter is too short to be a word's beginning or a typing error")
  func short() {
    #expect(Closest.closest(to: "s", among: ["search", "show"]) == nil)
    #expect(Closest.closest(to: "s", among: ["a", "b"]) == nil)
  }
}
