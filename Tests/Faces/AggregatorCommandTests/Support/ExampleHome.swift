import AggregatorCore
import SourceTesting
import Synchronization

/// Every service on the loopback, each with the one record that help names, and a home in which examples can be typed.
struct ExampleHome {
  let server: StandInServer
  private let home: String
  private let environment: [String: String]

  /// Makes the home, which has the files that examples name, and in which `users next` was typed once.
  init() async throws {
    let port = Mutex(0)
    server = try StandInServer { connection in
      while let request = connection.request() {
        let picture = "http://127.0.0.1:\(port.withLock { $0 })/picture.png"
        if request.target == "/picture.png" {
          connection.answer(bytes: FakePictureShop.png)
        } else {
          connection.answer(ExampleHome.answer(request, picture))
        }
      }
    }
    port.withLock { [number = server.port] in $0 = number }
    home = try Folder.fresh()
    environment = try server.environment(in: home)
    _ = try Binary.shell("mkdir bin src && ln -s \"$A\" bin/aggregator && ln -s \"$A\" aggregator", in: home)
    _ = try await prepare("users", "next")
    _ = try await prepare("users", "next", "--store", "old.db")
    _ = try await prepare("countries", "list", "--record", ".")
    _ = try Binary.shell("mv countries.har recording.har", in: home)
    let table = try await prepare("users", "list", "--offline", "--format", "csv")
    for name in ["users.csv", "people.csv"] { try Folder.write(table, to: "\(home)/\(name)") }
    try Folder.write(try await prepare("users", "list", "--offline", "--format", "ndjson"), to: "\(home)/users.ndjson")
    try Folder.write("https://example.com/\n", to: "\(home)/value.txt")
    try Folder.write(FakePokemonService.manifest(at: "\(try server.address("/"))"), to: "\(home)/pokemon.json")
    _ = try await prepare("add", "pokemon.json")
    _ = try await prepare("pokemon", "list", "--all", "--record", "recordings")
    for name in ["late", "people"] { _ = try await prepare("alias", "set", name, "users list -n 3") }
  }

  private func prepare(_ words: String...) async throws -> String {
    let outcome = try await InProcess.run(words + ["--quiet"], environment: environment + variables(home), in: home)
    guard outcome.code == 0 else { throw Spawned.Failed(reason: outcome.errors) }
    return outcome.output
  }

  /// Runs a line in a fresh copy of the home; with `isAlone`, without services and with an empty store.
  func run(_ line: String, alone isAlone: Bool = false) async throws -> Binary.Outcome {
    let copy = try copy()
    if isAlone { _ = try Binary.shell("rm -rf .local .cache", in: copy) }
    let environment = (isAlone ? [:] : environment) + variables(copy)
    // An audit compares what a sync has stored.
    if line.contains(" audit") {
      _ = try await InProcess.run("sync", "countries", "heroes", "products", "--quiet", environment: environment, in: copy)
    }
    return try await InProcess.run(typed: line, input: Self.input, environment: environment, in: copy)
      ?? type(line, in: copy, isAlone ? [:] : nil)
  }

  /// A fresh copy of the home to which no source was added, for lines that follow one another.
  func beginning() throws -> String {
    let copy = try copy()
    _ = try Binary.shell("rm -rf .config", in: copy)
    return copy
  }

  /// Runs a line in that copy.
  func run(_ line: String, in copy: String) throws -> Binary.Outcome { try type(line, in: copy) }

  /// The whole output on a terminal of a line that is typed without services.
  func shown(_ line: String) throws -> [String] {
    let copy = try copy()
    let terminal = try Terminal(
      script: "cd \"$HOME\" && rm -rf .local .cache; \(line)",
      environment: variables(copy) + ["NO_COLOR": "1"])
    _ = terminal.wait()
    return terminal.lines
  }

  /// Types a line that opens the browser at a terminal, and leaves it with `q` once it shows records.
  func browse(_ line: String) throws -> (code: Int32, shown: String) {
    let copy = try copy()
    let terminal = try Terminal(script: "cd \"$HOME\" && \(line)", environment: environment + variables(copy))
    try terminal.waitFor(line.contains("--offline") ? "(--offline)" : "cached")
    terminal.type("q")
    return (terminal.wait(), terminal.shown)
  }

  /// Types a line that starts a server at a terminal, and ends it with Ctrl-C once it listens. The browser does nothing.
  func serve(_ line: String) throws -> (code: Int32, shown: String) {
    let copy = try copy()
    // The usual port may be in use on the machine of the test.
    let line = ["--port", "--socket"].contains(where: line.contains) ? line : line + " --port 0"
    // The shell would be ended by Ctrl-C too, and tell that of itself.
    let terminal = try Terminal(script: "cd \"$HOME\" && exec \(line)", environment: environment + variables(copy) + ["BROWSER": "true"])
    try terminal.waitFor("serving at")
    terminal.type("\u{3}")
    return (terminal.wait(), terminal.shown)
  }

  /// Types a line that opens an editor at a terminal; the editor does nothing.
  func edit(_ example: String) throws -> (code: Int32, shown: String) {
    let copy = try copy()
    let terminal = try Terminal(
      script: "cd \"$HOME\" && \(example)", environment: environment + variables(copy) + ["VISUAL": "", "EDITOR": "true"])
    return (terminal.wait(), terminal.shown)
  }

  private static let input = "https://example.com/\n"

  private func copy() throws -> String {
    let copy = try Folder.fresh()
    _ = try Binary.run(["/bin/cp", "-a", "\(home)/.", copy], input: "", environment: [:], in: "/")
    return copy
  }

  private func variables(_ home: String) -> [String: String] {
    [
      "HOME": home, "PATH": "\(home)/bin:/usr/local/bin:/usr/bin:/bin", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "",
      "A": Binary.path,
    ]
  }

  private func type(_ line: String, in home: String, _ services: [String: String]? = nil) throws -> Binary.Outcome {
    try Binary.run(
      ["/bin/sh", "-c", line], input: Self.input, environment: (services ?? environment) + variables(home),
      in: home)
  }
}

extension ExampleHome {
  private static func answer(_ request: ServerRequest, _ picture: String) -> String {
    let path = request.target
    if path == "/countries.json" {
      return Service.rows(Service.row("AF", "Afghanistan"), Service.row("FR", "France"), Service.row("IT", "Italy"))
    }
    if path.hasPrefix("/pokemon") { return FakePokemonService.answer(path) }
    if path.hasPrefix("/api/1.4/") { return people(picture, path) }
    let heroes = [hero(1699, "Batman", "DC Comics", picture), hero(1443, "Spider-Man", "Marvel", picture)]
    if path.hasPrefix("/api/character/") { return vine(heroes[path.contains("1443") ? 1 : 0]) }
    if path.hasPrefix("/api/") { return vine("[\(heroes.joined(separator: ","))]") }
    let lamp = "2dce74da-0f94-478c-a83d-71e7de728f86"
    let products = [
      product("dcf98c13-f5c3-4067-a1e6-54b8408cd7c4", "Fjordline Steel Kettle", picture), product(lamp, "Walnut Desk Lamp", picture),
    ]
    if path.hasPrefix("/product/") { return products[path.contains(lamp) ? 1 : 0] }
    let skipped = (try? JSON(request.bytes).int("skip")) ?? 0
    return #"{"products":[\#(products.dropFirst(skipped).joined(separator: ","))]}"#
  }

  private static func hero(_ id: Int, _ name: String, _ publisher: String, _ picture: String) -> String {
    #"{"id":\#(id),"name":"\#(name)","gender":1,"publisher":{"name":"\#(publisher)"},"image":{"medium_url":"\#(picture)"}}"#
  }

  private static func product(_ id: String, _ title: String, _ picture: String) -> String {
    #"{"id":"\#(id)","title":"\#(title)","images":["\#(picture)"]}"#
  }

  private static func vine(_ results: String) -> String {
    #"{"error":"OK","status_code":1,"number_of_total_results":2,"results":\#(results)}"#
  }

  /// Fifty people a page; the first of all has a picture, and the second can be compared with her.
  private static func people(_ picture: String, _ path: String) -> String {
    let page = path.firstMatch(of: /[?&]page=(\d+)/).map { String($0.1) } ?? "1"
    let mia = String(FakeRandomUser.row("mia.wattle@example.com", uuid: "mia", first: "Mia", last: "Wattle").dropLast())
    let first = mia + #","picture":{"large":"\#(picture)","medium":"\#(picture)","thumbnail":"\#(picture)"}}"#
    let second = FakeRandomUser.row("olive.harrow@example.com", uuid: "olive", first: "Olive", last: "Harrow")
    let rows: [String] =
      (page == "1" ? [first, second] : [])
      + (page == "1" ? 2..<50 : 1..<50).map { FakeRandomUser.row("p\(page)-\($0)@example.com", uuid: "u\(page)-\($0)") }
    return #"{"results":[\#(rows.joined(separator: ","))],"info":{"page":\#(page),"version":"1.4"}}"#
  }
}
