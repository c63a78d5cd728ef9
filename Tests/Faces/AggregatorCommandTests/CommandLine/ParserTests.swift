import SourceTesting
import Testing

@testable import AggregatorCommand

/// The places of options and words on a line.
struct ParserTests {
  @Test("no source can have the first word of a command as its name")
  func reserved() {
    #expect(CommandTable.reserved == Set(InProcess.commands.own().compactMap(\.words.first)).union(["agents", "options", "version"]))
  }

  @Test("help is shown wherever the line asks for it, even if the rest of the line is wrong")
  func help() async throws {
    let help = try await InProcess.run("help countries list").output
    #expect(help.hasPrefix("usage: aggregator countries list [OPTIONS]\n"))
    for line in [
      ["countries", "list", "-h"], ["--help", "countries", "list"], ["countries", "list", "--limit", "x", "--bogus", "--help"],
      ["help", "countries", "list", "surplus"],
    ] {
      try await expect(InProcess.run(line), 0, output: .exactly(help), errors: "")
    }
    #expect(try await InProcess.run().output == InProcess.run("--help").output)
    #expect(try await InProcess.run().output == InProcess.run("help").output)
    let group = try await InProcess.run("help source").output
    #expect(group.hasPrefix("usage: aggregator source VERB [ARGUMENTS] [OPTIONS]\n"))
    #expect(group.contains("\n  source verify NAME|FILE...  "))
    #expect(try await InProcess.run("source --help").output == group)
  }

  @Test("the version is one line")
  func version() async throws {
    let outcome = try await InProcess.run("--version")
    #expect(outcome.output.wholeMatch(of: /aggregator \d+\.\d+\.\d+\n/) != nil)
    #expect(outcome.code == 0)
    #expect(try await InProcess.run("countries list --version").code == 64)
  }
}

/// `--where`, `--sort`, `--require`, `--plan`, and their short forms.
@Suite("Options of answers") struct AnswerOptionsTests {
  @Test("notices tell that an offset left out everything, that a list was not read whole to be sorted, and which field was meant")
  func leftOut() async throws {
    for (line, said) in [
      ("search germany --offset 1", "countries: 1 record was read; an offset of 1 leaves none\n"),
      ("list --sort name -n 1 --pages 1", "sorted the first"), ("list --sort name,regoin", #"did you mean "region"?"#),
    ] { try await expect(InProcess.run("countries \(line) --offline"), errors: .has(said)) }
  }

  @Test(
    "an empty argument is an error at any place",
    arguments: [["show", "fr", ""], ["show", "", "fr"], ["compare", "fr", ""], ["compare", "", "fr"]])
  func empties(words: [String]) async throws {
    let outcome = try await InProcess.run(["countries"] + words + ["--offline"])
    #expect(outcome.output == "" && outcome.code == 64, "\(outcome.errors)")
  }

  @Test("a plan of a list that needs a seed stores no seed")
  func plannedSeed() async throws {
    let data = try Folder.fresh()
    for line in ["users next --plan", "users list --plan --live", "users search b --plan"] {
      try await expect(InProcess.run(line, environment: ["XDG_DATA_HOME": data]), output: .has("would send"))
    }
    #expect(try Binary.shell("ls -A \(data)").output == "")
  }

  @Test("--plan sends nothing and shows the request without the key")
  func plan() async throws {
    let service = try StandInServer { connection in while connection.request() != nil { connection.answer("[]") } }
    let environment = try service.environment(in: Folder.fresh()) + ["COMIC_VINE_BUDGET": "", "RANDOM_USER_BUDGET": ""]
    for line in [
      "countries list", "heroes search spider", "heroes sync", "users next", "heroes next", "countries show fr", "countries deal",
    ] {
      let outcome = try await InProcess.run(line + " --plan", environment: environment)
      #expect(outcome.code == 0, "\(line): \(outcome.errors)")
      #expect(outcome.output.hasPrefix("would send GET http://127.0.0.1:\(service.port)/"), "\(line): \(outcome.output)")
      #expect(!(outcome.output + outcome.errors).contains(FakeComicVine.key))
      if line.hasPrefix("heroes") { #expect(outcome.output.contains("budget 200/1h,1/1s: free now\n")) }
    }
    #expect(service.requests.isEmpty)
    #expect(try await InProcess.run("countries list --plan --offline").output == "nothing would be sent: using bundled data (--offline)\n")
    #expect(try await InProcess.run("heroes list --plan").output.hasPrefix("nothing would be sent: using bundled data: no key is set"))
  }
}
