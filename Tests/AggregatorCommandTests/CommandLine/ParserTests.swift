import Testing

/// Where options and words may stand.
struct ParserTests {
  @Test("help is found wherever it is asked for, whatever else is wrong")
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
