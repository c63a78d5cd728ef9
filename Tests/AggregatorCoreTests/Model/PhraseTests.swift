import AggregatorCore
import Testing

@Suite("Phrases")
struct PhraseTests {
  private func line(_ phrase: Phrase, _ values: [String: String]) -> String { phrase.line { values[$0.text] ?? "" } }

  private let postal: Phrase = "{street}, {city}, {state} {postcode}, {country}"

  @Test("an address reads like an address, whatever is missing")
  func wholeAddress() {
    let whole = ["street": "12 Main St", "city": "Springfield", "state": "Illinois", "postcode": "62701", "country": "United States"]
    #expect(line(postal, whole) == "12 Main St, Springfield, Illinois 62701, United States")
    #expect(line(postal, ["city": "Springfield", "postcode": "62701"]) == "Springfield, 62701")
    #expect(line(postal, [:]) == "")
  }

  @Test(
    "a word goes with the value it stands around",
    arguments: [
      (["name": "Amazing Fantasy", "issue": "15"], "Amazing Fantasy #15"), (["name": "Amazing Fantasy"], "Amazing Fantasy"),
      (["issue": "15"], "#15"), (["name": "a {b}, c", "issue": "1"], "a {b}, c #1"),
    ])
  func words(values: [String: String], expected: String) { #expect(line("{name} #{issue}", values) == expected) }

  @Test("names may hold blanks, commas and dots; words of the pattern alone say nothing")
  func names() {
    #expect(line("{zip code}, {a\\,b}, {in.side}", ["zip code": "0470", "a\\,b": "x", "in.side": "y"]) == "0470, x, y")
    #expect(line("from {city} with love, {name}", ["name": "Mia"]) == "Mia")
    #expect(line("from {city} with love, {name}", ["city": "Riga"]) == "from Riga with love")
    #expect(line("a } b { c", [:]) == "")
  }
}
