import AggregatorCore
import SourceTesting
import Testing

/// The key is in the request and nowhere else.
struct SecrecyTests {
  /// Runs with a key file, so that only what the command does could spread the key.
  private func run(_ words: String, _ vine: Vine) async throws -> Binary.Outcome {
    try Folder.write("COMIC_VINE_API_KEY = \(Vine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    _ = try Binary.shell("chmod 600 keys.xcconfig", in: vine.folder)
    return try await InProcess.run(
      "\(words) --config keys.xcconfig".split(separator: " ").map(String.init),
      environment: vine.environment.merging(["COMIC_VINE_API_KEY": ""]) { $1 }, in: vine.folder)
  }

  /// Whether any file but the key file holds the key.
  private func leaks(_ vine: Vine) throws -> [String] {
    try Binary.shell("grep -rl \(Vine.key) . | grep -v '^./keys.xcconfig$'", in: vine.folder).lines
  }

  @Test(
    "whatever is asked, however much is told",
    arguments: [
      "heroes search spider", "heroes list --all", "heroes show 7", "heroes show nobody", "heroes next",
      "heroes search spider --record rec",
      "sources", "config", "cache",
    ])
  func output(_ words: String) async throws {
    let vine = try Vine()
    let isAsking = words.hasPrefix("heroes")
    let outcome = try await run(words + (isAsking ? " --verbose --explain --format json" : " --format json"), vine)
    #expect(!outcome.output.contains(Vine.key))
    #expect(!outcome.errors.contains(Vine.key))
    #expect(try leaks(vine) == [])
    if isAsking {
      #expect(outcome.errors.contains("→ GET"))
      #expect(vine.asked.allSatisfy { $0.contains("api_key=\(Vine.key)") })
    }
  }

  @Test(
    "whatever goes wrong",
    arguments: [
      Vine.Manner(isRefusing: true), Vine.Manner(moods: [420, 420, 420, 420]), Vine.Manner(elsewhere: "http://localhost:9"),
    ])
  func errors(_ manner: Vine.Manner) async throws {
    let vine = try Vine(manner)
    for option in ["--live", "--refresh"] {
      let outcome = try await run("heroes search spider --verbose --explain \(option) --record rec", vine).expect(saying: "→ GET")
      #expect(!outcome.errors.contains(Vine.key))
      #expect(!outcome.output.contains(Vine.key))
    }
    #expect(try leaks(vine) == [])
  }

  @Test("a service that repeats the key in its answer does not bring it into a recording")
  func echoed() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(
          #"{"status_code":1,"number_of_total_results":1,"results":[{"id":1,"name":"A","site_detail_url":"https://x/?api_key=\#(Vine.key)"}]}"#
        )
      }
    }
    let folder = try Folder.fresh()
    try await InProcess.run(
      ["heroes", "search", "a", "--record", folder, "--live"],
      environment: ["COMIC_VINE_BASE_URL": "\(server.address("/api/"))", "COMIC_VINE_API_KEY": Vine.key, "COMIC_VINE_BUDGET": "unlimited"]
    ).expect(0)
    #expect(try !Folder.read("\(folder)/heroes.har").contains(Vine.key))
  }

  @Test(
    "whatever the service says of it, from a key file or the environment",
    arguments: ["401 Unauthorized", "403 Forbidden", "500 Internal Server Error", "200 OK"], [true, false])
  func repeated(status: String, isInFile: Bool) async throws {
    let said = "Invalid API Key \(Vine.key) in https:\\/\\/x\\/?api_key=\(Vine.key)"
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(
          status: status, #"{"error":"\#(said)","status_code":\#(status.hasPrefix("200") ? 104 : 100),"results":[]}"#)
      }
    }
    let folder = try Folder.fresh()
    try Folder.write("COMIC_VINE_API_KEY = \(Vine.key)\n", to: "\(folder)/keys.xcconfig")
    let environment = [
      "COMIC_VINE_BASE_URL": "\(try server.address("/api/"))", "COMIC_VINE_API_KEY": isInFile ? "" : Vine.key,
      "COMIC_VINE_BUDGET": "unlimited", "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state",
    ]
    let words = ["heroes", "search", "spider", "--verbose", "--explain", "--format", "json", "--config", "keys.xcconfig"]
    for option in [["--live"], []] {
      let outcome = try await InProcess.run(
        words + option, environment: environment, in: folder
      ).expect(saying: "→ GET")
      #expect(!outcome.errors.contains(Vine.key), "\(outcome.errors)")
      #expect(!outcome.output.contains(Vine.key))
    }
    #expect(try Binary.shell("grep -rl \(Vine.key) . | grep -v '^./keys.xcconfig$'", in: folder).lines == [])
  }

  @Test("nor in a row that is shown and stored")
  func inRow() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(
          #"{"status_code":1,"number_of_total_results":1,"results":[{"id":1,"name":"A \#(Vine.key)","site_detail_url":"https:\/\/x\/?k=\#(Vine.key)"}]}"#
        )
      }
    }
    let folder = try Folder.fresh()
    let environment = [
      "COMIC_VINE_BASE_URL": "\(try server.address("/api/"))", "COMIC_VINE_API_KEY": Vine.key, "COMIC_VINE_BUDGET": "unlimited",
      "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state",
    ]
    for words in [["list"], ["sync"], ["list", "--offline"]] {
      let outcome = try await InProcess.run(
        ["heroes"] + words + ["--format", "json"], environment: environment, in: folder)
      #expect(!(outcome.output + outcome.errors).contains(Vine.key))
      if words[0] == "list" { #expect(outcome.output.contains(#""name":"A •••""#)) }
    }
    #expect(try Binary.shell("grep -rl \(Vine.key) .", in: folder).lines == [])
  }

  @Test(
    "nor where something that is stripped later parts it, in any format, in a recording or in the store",
    arguments: [
      #"\u001b[0m"#, #"\u0007"#, #"\u200b"#, #"\u202e"#, "\u{200D}", #"\n"#, "&shy;", "&#x200b;", "<b>", #"<i class=\"x\"><\/i>"#,
      "<!-- > -->",
      #"\u003cb\u003e"#, "<script>x</script>",
    ])
  func parted(gap: String) async throws {
    let said = "\(Vine.key.prefix(6))\(gap)\(Vine.key.dropFirst(6))"
    let row =
      #"{"id":7,"name":"A \#(said)","deck":"B \#(said)","description":"<p>\#(said)</p>","site_detail_url":"https:\/\/x\/"}"#
    let server = try StandInServer { connection in
      while let request = connection.request() {
        let isFailing = request.target.contains("fail")
        let results = request.target.hasPrefix("/api/character/") ? row : "[\(row)]"
        connection.answer(
          #"{"error":"no \#(said)","status_code":\#(isFailing ? 104 : 1),"number_of_total_results":1,"results":\#(results)}"#)
      }
    }
    let folder = try Folder.fresh()
    let environment = [
      "COMIC_VINE_BASE_URL": "\(try server.address("/api/"))", "COMIC_VINE_API_KEY": Vine.key, "COMIC_VINE_BUDGET": "unlimited",
      "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state", "XDG_CACHE_HOME": "\(folder)/cache",
    ]
    func told(_ words: String) async throws -> String {
      let outcome = try await InProcess.run(
        ["heroes"] + words.split(separator: " ").map(String.init), environment: environment, in: folder)
      return outcome.output + outcome.errors
    }
    // The half behind the gap, which no line break of a table or a terminal's width takes apart.
    let half = String(Vine.key.dropFirst(6))
    for words in ["list", "search a", "show 7"] {
      for format in ["tsv", "table", "json"] {
        let told = try await told("\(words) --fields all --format \(format) --record rec")
        #expect(told.contains("•••") && !told.contains(half), "\(words) --format \(format): \(told)")
      }
    }
    let failed = try await told("search fail --live --explain --verbose --record rec")
    #expect(failed.contains("•••") && !failed.contains(half), "\(failed)")
    _ = try await told("sync")
    #expect(try await told("list --offline --format json").contains("A •••"))
    #expect(!(try await told("search fail --replay rec --live")).contains(half))
    #expect(try Folder.read("\(folder)/rec/heroes.har").contains("A KEY"))
    #expect(try Binary.shell("grep -rla -e \(half) .", in: folder).lines == [])
  }

  @Test("a key in the base URL is sent, and masked wherever the address is told")
  func inBaseURL() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    try await service.during {
      let folder = try Folder.fresh()
      let environment = [
        "COUNTRIES_URL": (service.environment["COUNTRIES_URL"] ?? "") + "?lang=en&token=t0k-of-mine&sig=ab",
        "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state",
      ]
      var told = ""
      for words in [
        ["config"], ["sources"], ["countries", "list", "--explain", "--verbose", "--record", "rec"], ["countries", "list", "--offline"],
      ] {
        let outcome = try await InProcess.run(words + ["--format", "json"], environment: environment, in: folder).expect(0)
        told += outcome.output + outcome.errors
      }
      #expect(told.contains("?lang=en&token=•••&sig=•••"))
      #expect(!told.contains("t0k-of-mine") && !told.contains("sig=ab"))
      #expect(service.targets.last == "/countries.json?lang=en&token=t0k-of-mine&sig=ab")
      #expect(try Binary.shell("grep -rl -e t0k-of-mine -e sig=ab .", in: folder).lines == [])
      #expect(try Folder.read("\(folder)/rec/countries.har").contains("token=KEY&sig=KEY"))
    }
  }

  @Test("a cloned repository cannot have it sent elsewhere", arguments: ["file", "include", "link"])
  func cloned(way: String) throws {
    let server = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let folder = try Folder.fresh()
    let address = "COMIC_VINE_BASE_URL = \(try server.address("/api/"))\n".replacingEach("://", with: ":/$()/")
    _ = try Binary.shell("mkdir Configuration", in: folder)
    try Folder.write(
      way == "include" ? "#include \"more.xcconfig\"\n" : address, to: "\(folder)/Configuration/\(way == "link" ? "x" : "Debug").xcconfig")
    try Folder.write(address, to: "\(folder)/Configuration/more.xcconfig")
    if way == "link" { _ = try Binary.shell("ln -s x.xcconfig Configuration/Debug.xcconfig", in: folder) }
    let environment = ["COMIC_VINE_API_KEY": Vine.key, "COMIC_VINE_BUDGET": "unlimited"]
    // Without the address that the environment of every test names, since it would come before the file's.
    func run(_ words: String) throws -> Binary.Outcome {
      try Binary.shell("unset COMIC_VINE_BASE_URL; exec \"$A\" \(words)", environment: environment, in: folder)
    }
    for words in ["heroes list", "heroes search spider --live", "heroes sync", "heroes next", "heroes show 7"] {
      let outcome = try run(words)
      #expect(outcome.code == 78, "\(words): \(outcome.errors)")
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("--config \(folder)/Configuration/Debug.xcconfig"))
      #expect(!outcome.errors.contains(Vine.key))
    }
    #expect(server.connections == 0)
    // Nothing is sent, so nothing is refused; and who names the file trusts it.
    #expect(try run("heroes list --offline").code == 0)
    _ = try run("heroes list --live --config Configuration/Debug.xcconfig")
    #expect(server.requests.contains { $0.target.contains(Vine.key) })
  }

  @Test("it does not follow a redirect to another host")
  func redirect() async throws {
    let other = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let vine = try Vine(.init(elsewhere: "http://127.0.0.1:\(other.port)"))
    try await vine.run("heroes", "search", "spider", "--explain", "--live").expect(69, output: "")
    try await vine.run("heroes", "search", "spider", "--limit", "1", "--fields", "name").expect(
      output: "Spider-Man\n", saying: "redirects to http://127.0.0.1:\(other.port), so the key was not sent")
    #expect(other.connections == 0)
  }

  @Test("nor is it among the words of the process, for whoever lists them", .enabled(if: Tool.exists("ps")))
  func arguments() throws {
    let turnstile = Turnstile()
    let arrived = Signal()
    let vine = try Vine(turnstile: turnstile, onRequest: { arrived.send() })
    try Folder.write("COMIC_VINE_API_KEY = \(Vine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    let streams = try (0..<3).map { _ in try Scratch() }
    let command = try Spawned(
      [Binary.path, "heroes", "search", "spider", "--limit", "1", "--config", "keys.xcconfig"],
      environment: Binary.environment.merging(vine.environment) { $1 }.merging(["COMIC_VINE_API_KEY": ""]) { $1 }, in: vine.folder,
      descriptors: streams.map(\.descriptor))
    arrived.wait()
    let words = try Binary.shell("ps -o args= -p \(command.id)").output
    turnstile.open()
    #expect(command.wait() == 0)
    #expect(words.contains("heroes search spider"))
    #expect(!words.contains(Vine.key))
  }
}
