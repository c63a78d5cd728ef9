import AggregatorCore
import Platform
import SourceTesting
import Testing

/// The key is in the request and nowhere else.
struct SecrecyTests {
  /// Runs with a key file, so that only the command itself could spread the key.
  private func run(_ words: String, _ vine: FakeComicVine) async throws -> Binary.Outcome {
    try Folder.write("COMIC_VINE_API_KEY = \(FakeComicVine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    _ = try Binary.shell("chmod 600 keys.xcconfig", in: vine.folder)
    return try await InProcess.run(
      "\(words) --config keys.xcconfig".split(separator: " ").map(String.init),
      environment: vine.environment + ["COMIC_VINE_API_KEY": ""], in: vine.folder)
  }

  /// The files that contain the key, except the key file.
  private func leaks(_ vine: FakeComicVine) throws -> [String] {
    try Binary.shell("grep -rl \(FakeComicVine.key) . | grep -v '^./keys.xcconfig$'", in: vine.folder).lines
  }

  @Test(
    "the key appears in no output of any command, even the most detailed",
    arguments: [
      "heroes search spider", "heroes list --all", "heroes show 7", "heroes show nobody", "heroes next",
      "heroes search spider --record rec",
      "sources", "config", "cache",
    ])
  func output(_ words: String) async throws {
    let vine = try FakeComicVine()
    let isAsking = words.hasPrefix("heroes")
    let outcome = try await run(words + (isAsking ? " --verbose --explain --format json" : " --format json"), vine)
    #expect(!outcome.output.contains(FakeComicVine.key))
    #expect(!outcome.errors.contains(FakeComicVine.key))
    #expect(try leaks(vine) == [])
    if isAsking {
      #expect(outcome.errors.contains("→ GET"))
      #expect(vine.asked.allSatisfy { $0.contains("api_key=\(FakeComicVine.key)") })
    }
  }

  @Test(
    "the key appears in no output of any error",
    arguments: [
      FakeComicVine.Manner(isRefusing: true), FakeComicVine.Manner(moods: [420, 420, 420, 420]),
      FakeComicVine.Manner(elsewhere: "http://localhost:9"),
    ])
  func errors(_ manner: FakeComicVine.Manner) async throws {
    let vine = try FakeComicVine(manner)
    for option in ["--live", "--refresh"] {
      let outcome = try await run("heroes search spider --verbose --explain \(option) --record rec", vine)
      #expect(outcome.errors.contains("→ GET"))
      #expect(!outcome.errors.contains(FakeComicVine.key))
      #expect(!outcome.output.contains(FakeComicVine.key))
    }
    #expect(try leaks(vine) == [])
  }

  /// A Comic Vine that gives any answer, and the command that asks it, in a folder of its own.
  private struct Echo {
    let folder: String
    private let server: StandInServer
    private let environment: [String: String]

    init(
      _ environment: [String: String] = [:],
      _ answer: @escaping @Sendable (ServerRequest) -> (status: String, body: String)
    ) throws {
      folder = try Folder.fresh()
      server = try StandInServer { connection in
        while let request = connection.request() {
          let (status, body) = answer(request)
          connection.answer(status: status, body)
        }
      }
      self.environment = try server.environment(in: folder) + environment
    }

    /// Returns all that the command prints, after a check of its exit code.
    func told(_ words: String, code: Int32? = nil) async throws -> String {
      let outcome = try await expect(InProcess.run("heroes \(words)", environment: environment, in: folder), code)
      return outcome.output + outcome.errors
    }

    /// The files that contain the text.
    func files(holding text: String) throws -> [String] { try Binary.shell("grep -rla -e \(text) .", in: folder).lines }
  }

  @Test("the key is not in a recording of a service that repeats it")
  func echoed() async throws {
    let echo = try Echo { _ in
      (
        "200 OK",
        #"{"status_code":1,"number_of_total_results":1,"results":[{"id":1,"name":"A","site_detail_url":"https://x/?api_key=\#(FakeComicVine.key)"}]}"#
      )
    }
    _ = try await echo.told("search a --record . --live", code: 0)
    #expect(try !Folder.read("\(echo.folder)/heroes.har").contains(FakeComicVine.key))
  }

  @Test(
    "the key is not in the output when the service repeats it, from a key file or the environment",
    arguments: ["401 Unauthorized", "403 Forbidden", "500 Internal Server Error", "200 OK"], [true, false])
  func repeated(status: String, isInFile: Bool) async throws {
    let said = "Invalid API Key \(FakeComicVine.key) in https:\\/\\/x\\/?api_key=\(FakeComicVine.key)"
    let body = #"{"error":"\#(said)","status_code":\#(status.hasPrefix("200") ? 104 : 100),"results":[]}"#
    let echo = try Echo(isInFile ? ["COMIC_VINE_API_KEY": ""] : [:]) { _ in (status, body) }
    try Folder.write("COMIC_VINE_API_KEY = \(FakeComicVine.key)\n", to: "\(echo.folder)/keys.xcconfig")
    for option in [" --live", ""] {
      let told = try await echo.told("search spider --verbose --explain --format json --config keys.xcconfig" + option)
      #expect(told.contains("→ GET") && !told.contains(FakeComicVine.key), "\(told)")
    }
    #expect(try echo.files(holding: FakeComicVine.key) == ["./keys.xcconfig"])
  }

  @Test("the key is not in a row that is shown and stored")
  func inRow() async throws {
    let echo = try Echo { _ in
      (
        "200 OK",
        #"{"status_code":1,"number_of_total_results":1,"results":[{"id":1,"name":"A \#(FakeComicVine.key)","site_detail_url":"https:\/\/x\/?k=\#(FakeComicVine.key)"}]}"#
      )
    }
    for words in ["list", "sync", "list --offline"] {
      let told = try await echo.told(words + " --format json")
      #expect(!told.contains(FakeComicVine.key))
      if words != "sync" { #expect(Printable.clean(told).contains(#""name":"A •••""#) && told.contains(#""misfits":{"name":1,"url":1}"#)) }
    }
    #expect(try echo.files(holding: FakeComicVine.key) == [])
  }

  @Test(
    "the key is not in any format, recording or store when the service escapes it",
    arguments: [
      FakeComicVine.key.utf8.map { "\\u00" + String($0, radix: 16) }.joined(), FakeComicVine.key.utf8.map { "&#\($0);" }.joined(),
      FakeComicVine.key.utf8.map { "\\u0026#x\(String($0, radix: 16));" }.joined(),
      FakeComicVine.key.utf8.map { "%" + String($0, radix: 16) }.joined(),
      Base64.encode(Array(FakeComicVine.key.utf8)),
    ])
  func escaped(said: String) async throws {
    let row = #"{"id":7,"name":"A \#(said)","deck":"B \#(said)","description":"<p>\#(said)</p>","site_detail_url":"https:\/\/x\/"}"#
    let echo = try Echo { request in
      let (code, results) = (
        request.target.contains("fail") ? 104 : 1, request.target.hasPrefix("/api/character/") ? row : "[\(row)]"
      )
      return ("200 OK", #"{"error":"no \#(said)","status_code":\#(code),"number_of_total_results":1,"results":\#(results)}"#)
    }
    // This half is short enough not to be broken by a table or the terminal's width.
    let (half, saidHalf) = (String(FakeComicVine.key.suffix(10)), String(said.suffix(10)))
    for words in ["list", "search a", "show 7"] {
      for format in ["tsv", "table", "json"] {
        let told = try await echo.told("\(words) --fields all --format \(format) --record rec")
        #expect(told.contains("•••") && !told.contains(half) && !told.contains(saidHalf), "\(words) --format \(format): \(told)")
      }
    }
    let failed = try await echo.told("search fail --live --explain --verbose --record rec")
    #expect(failed.contains("•••") && !failed.contains(half) && !failed.contains(saidHalf), "\(failed)")
    _ = try await echo.told("sync")
    #expect(try await echo.told("list --offline --format json").contains("A •••"))
    #expect(!(try await echo.told("search fail --replay rec --live")).contains(half))
    #expect(try Folder.read("\(echo.folder)/rec/heroes.har").contains("A KEY"))
    for text in [half, saidHalf] { #expect(try echo.files(holding: text) == []) }
  }

  @Test("a key in the base URL is sent, and masked wherever the address is shown")
  func inBaseURL() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    let folder = try Folder.fresh()
    let environment = [
      "COUNTRIES_URL": (service.environment["COUNTRIES_URL"] ?? "") + "?lang=en&token=t0k-of-mine&sig=ab",
      "XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state",
    ]
    var told = ""
    for words in [
      ["config"], ["sources"], ["countries", "list", "--explain", "--verbose", "--record", "rec"], ["countries", "list", "--offline"],
    ] {
      let outcome = try await expect(InProcess.run(words + ["--format", "json"], environment: environment, in: folder), 0)
      told += outcome.output + outcome.errors
    }
    #expect(told.contains("?lang=en&token=•••&sig=•••"))
    #expect(!told.contains("t0k-of-mine") && !told.contains("sig=ab"))
    #expect(service.targets.last == "/countries.json?lang=en&token=t0k-of-mine&sig=ab")
    #expect(try Binary.shell("grep -rl -e t0k-of-mine -e sig=ab .", in: folder).lines == [])
    #expect(try Folder.read("\(folder)/rec/countries.har").contains("token=KEY&sig=KEY"))
  }

  @Test("the key file of a cloned repository cannot have the key sent to another host", arguments: ["file", "include", "link"])
  func cloned(way: String) throws {
    let server = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let folder = try Folder.fresh()
    let address = "COMIC_VINE_BASE_URL = \(try server.address("/api/"))\n".replacingEach("://", with: ":/$()/")
    _ = try Binary.shell("mkdir Configuration", in: folder)
    try Folder.write(
      way == "include" ? "#include \"more.xcconfig\"\n" : address, to: "\(folder)/Configuration/\(way == "link" ? "x" : "Debug").xcconfig")
    try Folder.write(address, to: "\(folder)/Configuration/more.xcconfig")
    if way == "link" { _ = try Binary.shell("ln -s x.xcconfig Configuration/Debug.xcconfig", in: folder) }
    let environment = ["COMIC_VINE_API_KEY": FakeComicVine.key, "COMIC_VINE_BUDGET": "unlimited"]
    // Unsets the address that the environment of every test names, since it would come before that of the file.
    func run(_ words: String) throws -> Binary.Outcome {
      try Binary.shell("unset COMIC_VINE_BASE_URL; exec \"$A\" \(words)", environment: environment, in: folder)
    }
    for words in ["heroes list", "heroes search spider --live", "heroes sync", "heroes next", "heroes show 7"] {
      let outcome = try expect(
        run(words), 78, output: "", errors: .has("--config \(folder)/Configuration/Debug.xcconfig"))
      #expect(!outcome.errors.contains(FakeComicVine.key))
    }
    #expect(server.connections == 0)
    // Nothing is sent, so nothing is refused; a person who names the file trusts it.
    #expect(try run("heroes list --offline").code == 0)
    _ = try run("heroes list --live --config Configuration/Debug.xcconfig")
    #expect(server.requests.contains { $0.target.contains(FakeComicVine.key) })
  }

  @Test("the key does not follow a redirect to another host")
  func redirect() async throws {
    let other = try StandInServer { connection in while connection.request() != nil { connection.answer("{}") } }
    let vine = try FakeComicVine(.init(elsewhere: "http://127.0.0.1:\(other.port)"))
    try await expect(vine.run("heroes search spider --explain --live"), 69, output: "")
    let outcome = try await vine.run("heroes search spider --limit 1 --fields name")
    #expect(outcome.output == "Spider-Man\n")
    #expect(outcome.errors.contains("redirects to http://127.0.0.1:\(other.port), so the key was not sent"))
    #expect(other.connections == 0)
  }

  @Test("the key is not among the words of the process, which every user can list", .enabled(if: Tool.exists("ps")))
  func arguments() throws {
    let turnstile = Turnstile()
    let arrived = Signal()
    let vine = try FakeComicVine(turnstile: turnstile, onRequest: { arrived.send() })
    try Folder.write("COMIC_VINE_API_KEY = \(FakeComicVine.key)\n", to: "\(vine.folder)/keys.xcconfig")
    let command = try Binary.start(
      "heroes search spider --limit 1 --config keys.xcconfig", environment: vine.environment + ["COMIC_VINE_API_KEY": ""], in: vine.folder)
    arrived.wait()
    let words = try Binary.shell("ps -o args= -p \(command.id)").output
    turnstile.open()
    #expect(command.wait() == 0)
    #expect(words.contains("heroes search spider"))
    #expect(!words.contains(FakeComicVine.key))
  }
}
