import AggregatorCore
import Testing

/// One record in full, and several.
@Suite("show") struct ShowTests {
  @Test("several ids or names, each one argument, in their order; in JSON an array")
  func several() async throws {
    let plain = try await expect(InProcess.run("countries show de fr --offline --quiet"), 0)
    #expect(plain.output.split(separator: "\n\n").map { $0.prefix(8) } == ["Code: DE", "Code: FR"])
    let json = try await JSON(Array(InProcess.run("countries show fr de --offline --quiet --format json").output.utf8))
    #expect(try json.asArray().map { try $0.string("code") } == ["FR", "DE"])
    let one = try await JSON(Array(InProcess.run("countries show fr --offline --quiet --format json").output.utf8))
    #expect(try one.string("code") == "FR")
    #expect(
      try await InProcess.run("countries show de fr --offline --quiet --format tsv --fields code").output
        == "DE\nFR\n")
  }

  @Test("where they come from is said once")
  func origin() async throws {
    #expect(
      try await InProcess.run("countries show de fr --offline").errors
        == "aggregator: countries: using bundled data (--offline)\n")
  }

  @Test(
    "a record is found by its title, a part of it, or another name that search knows",
    arguments: [
      ("countries", "France", "code", "Code: FR\n"), ("countries", "usa", "code", "Code: US\n"),
      ("users", "mia", "email", "Email: mia.wattle@example.com\n"), ("heroes", "batgirl", "name", "Name: Batgirl\n"),
    ])
  func byTitle(source: String, name: String, field: String, output: String) async throws {
    try await expect(InProcess.run(source, "show", name, "--offline", "--fields", field), 0, output: .exactly(output))
  }

  @Test("where a part of a title is that of several, the best is shown, with how many there are; a part of another field names none")
  func bestOfSeveral() async throws {
    let outcome = try await InProcess.run("countries show korea --offline --fields code")
    #expect(outcome.output == "Code: KR\n" || outcome.output == "Code: KP\n")
    #expect(outcome.errors.contains("aggregator: countries: 2 match \"korea\"; showing the best, "))
    #expect(try await InProcess.run("countries show paris --offline").code == 66)
  }

  @Test(
    "of all sources' records the one that a text names is shown",
    arguments: [("france", "Code: FR\n"), ("mia wattle", "Email: mia.wattle@example.com\n"), ("spider-man", "ID: 1443\n")])
  func ofAnySource(text: String, output: String) async throws {
    let outcome = try await InProcess.run(["show"] + text.split(separator: " ").map(String.init) + ["--offline"])
    #expect(outcome.code == 0 && outcome.output.hasPrefix(output))
    // Who could not answer has not said that there is no such record.
    #expect(try await InProcess.run("show france --live").code == 69)
    let none = try await InProcess.run("show nobody of that name --offline")
    #expect(none.code == 66)
    #expect(none.errors.contains("type 'aggregator search 'nobody of that name'' to find one"))
  }

  @Test("a missing one is named, the others are printed, and the exit code says so")
  func missing() async throws {
    try await expect(
      InProcess.run("countries show de zz fr --offline --quiet --fields code"), 66, output: "Code: DE\n\nCode: FR\n",
      errors: "aggregator: countries: no such record: \"zz\"; type 'aggregator countries search zz' to find one\n")
    try await expect(InProcess.run("countries show yy zz --offline --quiet --format json"), 66, output: "[]\n")
  }

  @Test("an id wins over a name, and of several by one name one is shown, with how many there are")
  func names() async throws {
    let outcome = try await InProcess.run("heroes show spider-girl --offline --fields name")
    #expect(outcome.output == "Name: Spider-Girl\n")
    #expect(outcome.errors.contains("aggregator: heroes: 2 are called \"spider-girl\"; showing the best known, "))
    #expect(try await !InProcess.run("heroes show 1443 --offline").errors.contains("are called"))
  }

  @Test("parts read as a person writes them")
  func parts() async throws {
    let person = try await InProcess.run("users show mia.wattle@example.com --offline --quiet").lines
    #expect(person.contains("Name: Mrs Mia Wattle"))
    #expect(person.contains("Address: 5450 Harbour Road, Ballina, New South Wales 2478, Australia"))
    let hero = try await InProcess.run("heroes show 1443 --offline --quiet").lines
    #expect(hero.contains("First appearance: Amazing Fantasy #15, Spider-Man!"))
    let country = try await InProcess.run("countries show de --offline --quiet").lines
    #expect(country.contains("Currency: Euro (EUR) €") && country.contains("Language: German (de)"))
  }
}
