import Testing

@Suite("Defaults as settings") struct DefaultsTests {
  private func run(_ line: String, _ environment: [String: String] = [:], input: String = "", in folder: String = "/") async throws
    -> Binary.Outcome
  {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), input: input,
      environment: ["COUNTRIES_URL": "http://127.0.0.1:1/"] + environment, in: folder)
  }

  @Test("hold where the line says nothing, from the environment and from a key file, and an option wins")
  func order() async throws {
    let folder = try Folder.fresh()
    try Folder.write("AGGREGATOR_LIMIT = 3\nAGGREGATOR_FORMAT = csv\n", to: "\(folder)/keys")
    let line = "countries list --offline --fields code --config keys"
    #expect(try await run(line, in: folder).output == "code\nAF\nAX\nAL\n")
    #expect(try await run(line, ["AGGREGATOR_LIMIT": "2", "AGGREGATOR_FORMAT": "tsv"], in: folder).output == "AF\nAX\n")
    #expect(try await run("\(line) --limit 1 -o ndjson", ["AGGREGATOR_LIMIT": "2"], in: folder).output == #"{"code":"AF"}"# + "\n")
    // To set what is usual limits nothing.
    #expect(try await run("\(line) --all", in: folder).lines.count == 251)
    #expect(try await run(line, in: folder).errors.contains("showing the first 3 of 250; --all or --limit N shows more"))
    #expect(try await run("search fra --offline --config keys", in: folder).lines.count == 4)
    #expect(try await run("import users - --store a.db --config keys", input: "email\na@x.y\n", in: folder).lines.count == 2)
    let next = try await run("users next --offline --fields email --config keys", ["XDG_DATA_HOME": "\(folder)/data"], in: folder)
    #expect(next.lines.count == 4)
  }

  @Test("the age up to which a cached answer is used, unless the line insists on the service")
  func age() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    let environment = service.environment + ["AGGREGATOR_MAX_AGE": "1h", "XDG_DATA_HOME": try Folder.fresh()]
    func list(_ line: String = "") async throws { #expect(try await run("countries list \(line)", environment).code == 0) }
    try await list()
    try await list()
    #expect(service.targets.count == 1)
    try await list("--live")
    try await list("--refresh")
    try await list("--max-age 1ms")
    #expect(service.targets.count == 4)
  }

  @Test(
    "that make no sense are 78 and name the setting and who set it",
    arguments: [
      ("AGGREGATOR_LIMIT", "0", "must be a positive whole number, such as 20", "--limit 1"),
      ("AGGREGATOR_MAX_AGE", "old", "must be a length of time, such as 5, 500ms or 2m", "--max-age 1h"),
      ("AGGREGATOR_FORMAT", "a.csv", "must be one of table, cards, json, ndjson, csv, tsv, yaml", "-o tsv"),
    ])
  func wrong(name: String, value: String, expected: String, option: String) async throws {
    try await expect(
      run("countries list --offline", [name: value]), 78, errors: "aggregator: \(name) (environment) \(expected)\n")
    #expect(try await run("countries list --offline \(option)", [name: value]).code == 0)
    #expect(try await run("help", [name: value]).code == 0)
    let folder = try Folder.fresh()
    let set = try await run("config set \(name) --config keys", input: "\(value)\n", in: folder)
    #expect(set.code == 78)
    #expect(set.errors == "aggregator: invalid value for \(name): it \(expected)\n")
    #expect(try Binary.shell("ls", in: folder).output == "")
  }

  @Test("are listed and set like any other")
  func listed() async throws {
    let folder = try Folder.fresh()
    #expect(try await run("config set AGGREGATOR_LIMIT --config keys", input: "5\n", in: folder).code == 0)
    let lines = try await run("config --config keys --fields key,value", ["AGGREGATOR_MAX_AGE": "10m"], in: folder).lines
    #expect(lines.suffix(3) == ["AGGREGATOR_FORMAT\t", "AGGREGATOR_LIMIT\t5", "AGGREGATOR_MAX_AGE\t10m"])
    #expect(try await run("__complete -- config set AGGREGATOR_L").output.contains("AGGREGATOR_LIMIT\t"))
    #expect(try await run("__man").output.contains("AGGREGATOR_FORMAT"))
  }
}
