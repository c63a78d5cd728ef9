import AggregatorCore
import SourceTesting
import Testing

/// `--where`, `--sort`, `--require`, `--plan`, and the letters.
@Suite("Options of answers") struct AnswerOptionsTests {
  @Test(
    "--where prints only what meets every condition, and the limit counts what is printed",
    arguments: [
      ("countries list --offline -q --fields code --where region=OC --where name~guinea", ["PG"]),
      ("countries list --offline -q --fields code --where capital= -n 2", ["AQ", "BV"]),
      ("heroes list --offline -q --fields name --where publisher!=Marvel --where name~bat -n1", ["Batman"]),
      ("countries search land --offline -q --fields code --where region=AS", ["CN", "TH"]),
      ("heroes list --offline -q --fields name --where powers~flight --where teams~avengers -n1", ["Iron Man"]),
      ("users list --offline -q --fields email --where age=0", []),
    ])
  func conditions(line: String, expected: [String]) async throws {
    let outcome = try await expect(InProcess.run(line), 0)
    #expect(outcome.lines == expected)
  }

  @Test("where nothing meets a condition, it is said")
  func nothing() async throws {
    let outcome = try await InProcess.run("countries list --offline --where name=Atlantis")
    #expect(outcome.errors.contains("no record meets name=Atlantis; name is one of 250, such as Afghanistan, Albania"))
    #expect(outcome.code == 0)
    let region = try await InProcess.run("countries list --offline --where region=Europe").errors
    #expect(region.hasSuffix("; region is one of AF, AN, AS, EU, NA, OC, SA (--fields explains them)\n"), "\(region)")
    #expect(try await InProcess.run("countries list --fields").lines.contains { $0.hasPrefix("region\t") && $0.contains("EU Europe") })
    // Each is met, though not by one record.
    let both = try await InProcess.run("countries list --offline --where region=EU --where capital=Lima").errors
    #expect(both.hasSuffix("no record meets region=EU and capital=Lima\n"), "\(both)")
    #expect(try await InProcess.run("countries list --offline --where capital=Parris").errors.hasSuffix("; did you mean capital=Paris?\n"))
  }

  @Test("--sort sorts everything before the limit cuts, and says so in the verdict")
  func sorting() async throws {
    #expect(try await InProcess.run("countries list --offline -q --fields name --sort -name -n 2").lines == ["Zimbabwe", "Zambia"])
    #expect(try await InProcess.run("countries list --offline -q --fields name --sort name -n 1").lines == ["Afghanistan"])
    let answer = try await JSON(Array(InProcess.run("countries list --offline -q --sort code -n 2 -o json").output.utf8))
    #expect(try answer.object("verdict").string("kind") == "bounded")
    #expect(try answer.array("items").map { try $0.string("code") } == ["AD", "AE"])
    let all = try await JSON(Array(InProcess.run("countries list --offline -q --sort code --all -o json").output.utf8))
    #expect(try all.object("verdict").string("kind") == "complete")
  }

  @Test(
    "--sort takes several fields, --offset leaves out the first of what is printed, --count prints how many there are",
    arguments: [
      ("countries list --offline -q --fields code --sort region,-name -n 2 --where region~a", ["ZW", "ZM"]),
      ("countries list --offline -q --fields code --sort region --sort -name --offset 1 -n 2 --where region~a", ["ZM", "EH"]),
      ("countries list --offline -q --fields code --offset 248", ["ZM", "ZW"]),
      ("countries list --offline -q --fields code --offset 9000", []),
      ("countries list --offline -q --count", ["250"]),
      ("countries search land --offline -q --count --where region=AS", ["2"]),
      ("heroes search zzzz --offline -q --count", ["0"]),
      ("countries list --offline -q --count -o json", [#"{"source":"countries","query":null,"count":250}"#]),
    ])
  func several(line: String, expected: [String]) async throws {
    let outcome = try await expect(InProcess.run(line), 0)
    #expect(outcome.lines == expected)
  }

  @Test("what is left out in front makes no answer complete; a count goes with nothing that chooses records by their number")
  func leftOut() async throws {
    let rest = try await InProcess.run("countries list --offline -q --all --offset 248 -o json").output
    #expect(rest.contains(#""verdict":{"kind":"bounded""#) && rest.contains(#""limit":null"#) && rest.contains(#""total":250"#), "\(rest)")
    #expect(
      try await InProcess.run("countries search germany --offline --offset 1").errors.hasSuffix(
        "countries: 1 record was read; an offset of 1 leaves none\n"))
    #expect(try await InProcess.run("countries list --offline --offset 0 -n 1").code == 0)
    #expect(try await InProcess.run("countries list --offline --sort name -n 1 --pages 1").errors.contains("sorted the first"))
    for option in ["-n 2", "--pages 1", "--offset 1", "--sort name"] {
      #expect(try await InProcess.run("countries list --offline --count \(option)").code == 64)
    }
    #expect(try await InProcess.run("countries list --offline --sort name,regoin").errors.contains("did you mean region?"))
  }

  @Test("compare shows two records side by side, by id or name, and marks what differs")
  func compare() async throws {
    let table = try await InProcess.run("countries compare france de --offline -q -o table").lines.map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(table.prefix(5) == ["FIELD A B", "code * FR DE", "name * France Germany", "region EU EU", "capital * Paris Berlin"])
    let json = try await JSON(Array(InProcess.run("countries compare france de --offline -q -o json").output.utf8)).elements
    #expect(try json.filter { try $0.bool("differs") }.map { try $0.string("field") }.contains("language.name"))
    #expect(try await InProcess.run("countries compare france atlantis --offline").code == 66)
    #expect(try await InProcess.run("countries compare france").code == 64)
  }

  @Test("--require prints what there is, says what does not hold, quiet or not, and exits 3")
  func requirements() async throws {
    let outcome = try await expect(InProcess.run("countries list --offline -q -n 1 --require complete,live"), 3)
    #expect(outcome.lines.count == 1)
    #expect(
      outcome.errors == "aggregator: countries: the answer is bounded, not complete (--require)\n"
        + "aggregator: countries: the answer is not live (bundled) (--require)\n")
    #expect(try await InProcess.run("countries list --offline -q --all --require complete").code == 0)
    #expect(try await InProcess.run("countries show fr --offline -q --require live").code == 3)
    #expect(try await InProcess.run("countries deal --offline -q --require age<1d").code == 3)
  }

  @Test("--plan sends nothing and says what would be sent, without the key")
  func plan() async throws {
    let service = try StandInServer { connection in while connection.request() != nil { connection.answer("[]") } }
    let environment = try service.environment(in: Folder.fresh()) + ["COMIC_VINE_BUDGET": "", "RANDOM_USER_BUDGET": ""]
    for line in [
      "countries list", "heroes search spider", "heroes sync", "users next", "heroes next", "countries show fr", "countries deal",
    ] {
      let outcome = try await InProcess.run(line + " --plan", environment: environment)
      #expect(outcome.code == 0, "\(line): \(outcome.errors)")
      #expect(outcome.output.hasPrefix("would send GET http://127.0.0.1:\(service.port)/"), "\(line): \(outcome.output)")
      #expect(!(outcome.output + outcome.errors).contains(Vine.key))
      if line.hasPrefix("heroes") { #expect(outcome.output.contains("budget 200/1h,1/1s: free now\n")) }
    }
    #expect(service.requests.isEmpty)
    #expect(try await InProcess.run("countries list --plan --offline").output == "nothing would be sent: using bundled data (--offline)\n")
    #expect(try await InProcess.run("heroes list --plan").output.hasPrefix("nothing would be sent: using bundled data: no key is set"))
  }

  @Test("a letter stands for its option, with its value beside or behind it")
  func letters() async throws {
    let line = "countries list --offline --fields code "
    #expect(try await InProcess.run(line + "-q -n 2").lines == ["AF", "AX"])
    #expect(try await InProcess.run(line + "-q -n2").lines == ["AF", "AX"])
    #expect(try await InProcess.run(line + "-q -n=2").lines == ["AF", "AX"])
    #expect(try await InProcess.run(line + "-q -n2 -ondjson").lines == [#"{"code":"AF"}"#, #"{"code":"AX"}"#])
    #expect(try await InProcess.run(line + "-q -n").code == 64)
    #expect(try await InProcess.run(line + "-q5").code == 64)
  }

  @Test(
    "what makes no sense is a usage error",
    arguments: [
      "countries list --where nmae=x", "countries list --where name", "countries list --sort nmae", "countries list --require new",
      "countries list --plan --record .", "countries show fr --where code=FR", "sources --plan",
    ])
  func refused(line: String) async throws { #expect(try await InProcess.run(line).code == 64) }
}
