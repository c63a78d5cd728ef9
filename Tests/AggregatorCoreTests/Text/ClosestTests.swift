import AggregatorCore
import Testing

@Suite struct ClosestTests {
  static let words = ["list", "search", "next", "sync", "show", "deal", "delete", "restore", "why", "image", "Countries"]

  @Test(
    "finds the word that was meant",
    arguments: [
      ("serach", "search"), ("SEARCH", "search"), ("lst", "list"), ("lists", "list"), ("shwo", "show"), ("contries", "Countries"),
      ("countr", "Countries"), ("sea", "search"), ("de", "deal"), ("del", "delete"), ("delate", "delete"), ("nxt", "next"), ("wyh", "why"),
      ("imäge", "image"),
    ])
  func finds(typed: String, expected: String) { #expect(Closest.closest(to: typed, among: Self.words) == expected) }

  @Test("is silent when nothing is near", arguments: ["", "x", "browse", "hwy!!", "stow it", "shoes", "lsit the", "élan"])
  func silent(typed: String) { #expect(Closest.closest(to: typed, among: Self.words) == nil) }

  @Test("of equals takes the longer common beginning, then the first")
  func equals() {
    #expect(Closest.closest(to: "cat", among: ["bat", "car", "can"]) == "car")
    #expect(Closest.closest(to: "ab", among: []) == nil)
    #expect(Closest.closest(to: "s", among: ["a", "st"]) == "st")
  }

  @Test("one letter is too little to be a beginning, or to be wrong")
  func short() {
    #expect(Closest.closest(to: "s", among: ["search", "show"]) == nil)
    #expect(Closest.closest(to: "s", among: ["a", "b"]) == nil)
  }
}
