import Platform
import Testing

/// Long results on a terminal, with a pager that a test can see.
@Suite("Long results go through a pager", .timeLimit(.minutes(30))) struct PagerTests {
  private let all = ["countries", "list", "--offline", "--all", "--color", "never"]

  private func terminal(_ words: [String], rows: Int = 20, _ environment: [String: String]) throws -> Terminal {
    try Terminal(columns: 80, rows: rows, options: words, environment: environment)
  }

  @Test("a result larger than the screen goes through AGGREGATOR_PAGER, else PAGER")
  func long() throws {
    let paged = try terminal(all, ["PAGER": "sh -c 'echo paged; tail -n 1'"]).ending()
    let end = "250 records, complete in the bundled data"
    #expect(paged.lines.suffix(3) == ["paged", "ZW    Zimbabwe                           AF      Harare", end])
    let own = try terminal(all, ["PAGER": "echo wrong", "AGGREGATOR_PAGER": "sed -n 2p"]).ending()
    #expect(own.lines.suffix(2) == ["AF    Afghanistan                        AS      Kabul", end])
  }

  @Test("a result that fits goes through the pager too, and less prints it and ends", .enabled(if: Tool.exists("less")))
  func short() throws {
    let words = ["countries", "list", "--offline", "--limit", "5", "--quiet", "--color", "never"]
    let paged = try terminal(words, ["PAGER": "sh -c 'echo paged; cat'"]).ending()
    #expect(paged.lines.first == "paged" && paged.lines.count == 7)
    let printed = try terminal(words, ["PAGER": "less", "PATH": Tool.variable("PATH") ?? ""]).ending()
    #expect(printed.lines.contains { $0.hasPrefix("AF ") } && printed.lines.contains { $0.hasPrefix("AS ") })
    // The shells of some people set options of less, without the one that ends it.
    let own = try terminal(words, ["PAGER": "less", "LESS": "-R", "PATH": Tool.variable("PATH") ?? ""]).ending()
    #expect(own.lines.contains { $0.hasPrefix("AF ") })
  }

  @Test("help goes through the pager on a terminal, unless the line has --no-pager; a pipe gets all of it")
  func help() async throws {
    for words in [["help", "options"], ["countries", "list", "--help"], ["help"]] {
      #expect(try terminal(words, ["PAGER": "sh -c 'echo paged; cat'"]).ending().lines.first == "paged")
      #expect(try terminal(words + ["--no-pager"], ["PAGER": "false"]).ending().lines.count > 20)
    }
    #expect(try await InProcess.run("help options", environment: ["PAGER": "false"]).lines.count > 100)
    #expect(try terminal(["--version"], ["PAGER": "false"]).ending().lines.count == 1)
  }

  @Test("without results the pager is not started")
  func nothing() throws {
    let shown = try terminal(["countries", "show", "nowhere", "--offline"], ["PAGER": "echo paged; cat"]).ending(66)
    #expect(!shown.lines.contains("paged"))
  }

  @Test("the pager is not used if a person does not want it", arguments: [["--no-pager"], []])
  func off(options: [String]) async throws {
    for environment in options.isEmpty
      ? [["PAGER": ""], ["PAGER": "cat"], ["PAGER": "false", "TERM": "dumb"], ["PAGER": "false", "TERM": ""]] : [["PAGER": "false"]]
    {
      let shown = try terminal(all + options, environment).ending()
      #expect(shown.lines.count > 200)
    }
    #expect(try await InProcess.run(all, environment: ["PAGER": "false"]).lines.count > 200)
  }

  @Test("if the pager does not exist, everything is printed all the same")
  func missing() throws {
    let shown = try terminal(all, ["PAGER": "no-such-pager -x"]).ending()
    #expect(shown.lines.contains("aggregator: pager \"no-such-pager\" not found; set PAGER, or use --no-pager"))
    #expect(shown.lines.count > 200)
  }

  @Test("closing the pager early is a quiet end")
  func closed() throws {
    let shown = try terminal(["heroes", "list", "--offline", "--all", "--format", "json", "--quiet"], ["PAGER": "true"]).ending()
    #expect(shown.shown == "")
  }

  @Test("notices that come while the pager runs are printed after it")
  func notices() throws {
    let shown = try terminal(
      ["countries", "list", "--offline", "--color", "never"], rows: 10, ["PAGER": "cat >/dev/null; echo paged"]
    ).ending()
    #expect(
      shown.lines == [
        "aggregator: countries: using bundled data (--offline)", "paged",
        "aggregator: countries: showing the first 20 of 250; add --all or --limit N to", "see more",
      ])
  }

  @Test("Ctrl-C is for the pager alone, and the command ends quietly when the pager does", arguments: [true, false])
  func interrupted(endsPager: Bool) throws {
    // The terminal may throw away what is written at the very moment of the key, so the test waits for no text after it.
    let trap = endsPager ? "trap 'exit 0' INT; " : ""
    let shown = try terminal(all + ["--quiet"], ["PAGER": "\(trap)cat >/dev/null; echo waiting; read line </dev/tty; echo over"])
    try shown.waitFor("waiting")
    if endsPager { shown.type("\u{3}") } else { shown.process.send(SIGINT) }
    if !endsPager { shown.type("\n") }
    #expect(shown.wait() == 0)
    #expect(shown.shown.contains("over") == !endsPager)
  }

  @Test("next does not use the pager, which does not tell how far it was read, because printed records count as shown")
  func next() throws {
    let environment = ["XDG_DATA_HOME": "\(try Folder.fresh())/data", "PAGER": "cat >/dev/null"]
    let words = ["countries", "next", "--offline", "--limit", "9", "--quiet", "--fields", "code", "--color", "never"]
    for codes in [["AF", "AX", "AL"], ["AG", "AR", "AM"]] {
      let shown = try terminal(words, rows: 5, environment).ending()
      #expect(Array(shown.lines.prefix(4)) == ["CODE"] + codes)
    }
  }

  @Test("the environment of the pager has no key")
  func secrets() throws {
    let shown = try terminal(
      all, ["PAGER": "sh -c 'cat >/dev/null; echo \"key=$COMIC_VINE_API_KEY.\"'", "COMIC_VINE_API_KEY": "0123456789abcdef"]
    ).ending()
    #expect(shown.lines.contains("key=."))
  }
}
