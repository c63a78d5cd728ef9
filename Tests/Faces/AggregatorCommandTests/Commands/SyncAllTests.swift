import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

/// `sync` of several sources: four lists of one service, each in a source of its own.
@Suite("sync of several sources") struct SyncAllTests {
  @Test("sync asks all sources at once, and prints each result as it ends")
  func sideBySide() async throws {
    let arrived = Mutex(Set<Substring>())
    let gate = Turnstile()
    let services = try await FourServices { path, connection in
      // No request is answered before all sources have asked.
      let count = arrived.withLock { arrived in
        arrived.insert(path.dropFirst().prefix { $0 != "/" })
        return arrived.count
      }
      if count == 4 { gate.open() } else { gate.pass() }
      return false
    }
    let outcome = try await expect(services.run("sync ada bob cleo dora"), 0)
    #expect(
      outcome.output.split(separator: "\n").dropLast().sorted() == FourServices.names.map { "received 250 \($0): 250 new (3 requests)" })
    #expect(outcome.output.hasSuffix("synced 4 sources: 4 complete\n"))
  }

  @Test("--plan says what the sync of each source would send, and sends nothing")
  func plan() async throws {
    let services = try await FourServices { _, _ in
      Issue.record("a request was sent")
      return false
    }
    let lines = try await expect(services.run("sync ada bob --plan"), 0, errors: .has("ada: nothing was sent (--plan)\n")).lines
    for name in ["ada", "bob"] { #expect(lines.contains { $0.hasPrefix("\(name): would send GET ") }, "\(lines)") }
    try await expect(services.run("sync ada users --plan"), 64, output: .has("ada: would send"), errors: .has("users cannot be synced"))
  }

  @Test("JSON of a sync of several sources has an object for each source, and then one for all")
  func json() async throws {
    let services = try await FourServices { path, connection in
      guard path.hasPrefix("/bob") else { return false }
      connection.answer(status: "401 Unauthorized", "{}")
      return true
    }
    let lines = try await expect(
      services.run("sync ada bob --format ndjson"), 77, errors: .has("aggregator: bob: the service wants a key (HTTP 401)")
    ).lines
    #expect(
      lines.sorted().prefix(2) == [
        #"{"source":"ada","received":250,"new":250,"updated":0,"unchanged":0,"gone":0,"skipped":0,"repeated":0,"requests":3,"unchangedPages":0,"misfits":{},"drift":[],"verdict":{"kind":"complete","reason":null}}"#,
        lines.sorted()[1],
      ])
    #expect(
      lines.contains { $0.hasPrefix(#"{"source":"bob","received":0,"#) && $0.contains(#""verdict":{"kind":"partial","reason":"error: "#) })
    #expect(
      lines.last
        == #"{"sources":2,"complete":1,"unverifiable":0,"partial":1,"failed":1,"received":250,"new":250,"updated":0,"unchanged":0,"gone":0,"skipped":0,"repeated":0,"requests":4}"#
    )
    let array = try JSON(Array(await services.run("sync ada cleo --format json").output.utf8)).asArray()
    #expect(
      try array.map { try $0.stringIfPresent("source") ?? "" }.sorted() == ["", "ada", "cleo"] && Array(array).last?.int("sources") == 2)
    let rows = try await services.run("sync ada cleo --format csv").lines
    let header = "source,received,new,updated,unchanged,gone,skipped,repeated,requests,unchangedPages,misfits,drift,verdict"
    #expect(rows.first?.hasPrefix(header) == true && rows.count == 3)
  }

  @Test("sync takes the named sources, except those that the line leaves out")
  func choice() async throws {
    let services = try await FourServices()
    func names(_ line: String) async throws -> [String] {
      try await services.run("sync \(line) --format ndjson").lines.compactMap { line in
        try JSON(Array(line.utf8)).stringIfPresent("source")
      }.sorted()
    }
    #expect(try await names("bob ada bob") == ["ada", "bob"])
    #expect(try await names("ada bob cleo --except bob") == ["ada", "cleo"])
    #expect(try await names("--except countries --except heroes --except products") == FourServices.names)
    try await expect(services.run("sync adda"), 64, errors: .has("unknown source \"adda\"", "did you mean \"sync ada\"?"))
    try await expect(services.run("sync --except adda"), 64, errors: .has("did you mean \"sync --except ada\"?"))
    try await expect(services.run("sync users"), 64, errors: .has("users cannot be synced: the list has no end"))
  }

  @Test("sync tells a name that cannot be synced, syncs the others, and exits 64 if none of them fails")
  func unknown() async throws {
    let services = try await FourServices { path, connection in
      guard path.hasPrefix("/bob") else { return false }
      connection.answer(status: "401 Unauthorized", "{}")
      return true
    }
    try await expect(
      services.run("sync ada adda cleo"), 64, output: .has("synced 2 sources: 2 complete"),
      errors: """
        aggregator: unknown source "adda"
        did you mean "sync ada"?
        usage: aggregator sync [SOURCE...] [OPTIONS]
        type 'aggregator help sync' for more

        """)
    try await expect(
      services.run("sync adda bob ada"), 77, output: .has("250 ada"),
      errors: .has("unknown source \"adda\"", "bob: the service wants a key"))
    try await expect(services.run("sync users ada"), 64, output: .has("250"), errors: .has("users cannot be synced: the list has no end"))
    try await expect(
      services.run("sync adda cloe"), 64, output: "", errors: .has("unknown source \"adda\"", "did you mean \"sync cleo\"?"))
    let asked = services.server.requests.count
    try await expect(services.run("sync ada --except adda"), 64, output: "", errors: .has("did you mean \"sync --except ada\"?"))
    #expect(services.server.requests.count == asked)
  }

  @Test("sync --require complete exits 3 for a list that cannot be proved whole, of one source and of several")
  func requirement() async throws {
    let services = try await FourServices.numbered("ada")
    try await expect(services.run("ada sync"), 0, output: .has("250 new"), errors: "")
    let required = "aggregator: ada: the answer is unverifiable, not complete (--require)\n"
    try await expect(services.run("ada sync --require complete"), 3, errors: .exactly(required))
    try await expect(
      services.run("sync ada bob --require complete"), 3, output: .has("1 complete, 1 unverifiable"), errors: .exactly(required))
    try await expect(services.run("sync ada bob --require live,found"), 0, errors: "")
  }

  @Test("a sync that runs elsewhere exits 75 and tells since when; --wait waits for it")
  func taken() async throws {
    let (reached, gate) = (Signal(), Turnstile())
    let isHeld = Mutex(true)
    let services = try await FourServices { path, _ in
      guard !path.contains("offset=0"), isHeld.withLock({ $0 }) else { return false }
      reached.send()
      gate.pass()
      return false
    }
    let first = try Binary.start(["ada", "sync"], environment: services.environment, in: services.folder)
    reached.wait()
    isHeld.withLock { $0 = false }
    try await expect(
      services.run("ada sync"), 75, output: "",
      errors: .has("aggregator: ada: another sync is running", "type 'aggregator ada sync --wait' to wait for it"))
    let errors = try Piped()
    let second = try Binary.start(
      ["ada", "sync", "--wait"], environment: services.environment, in: services.folder, errors: errors.writing)
    errors.closeWriting()
    #expect(errors.read(until: "\n").hasPrefix("aggregator: ada: waiting: another sync is running"))
    gate.open()
    #expect(first.wait() == 0 && second.wait() == 0)
    #expect(try await services.run("ada list --offline --count").output == "250\n")
  }

  @Test("Ctrl-C in a sync tells how far every source came, and the JSON is whole", arguments: ["json", "ndjson"])
  func interrupted(_ format: String) async throws {
    let reached = Signal()
    let services = try await FourServices.stopping("bob", reached: reached)
    let output = try Piped()
    let process = try Binary.start(
      ["sync", "ada", "bob", "--format", format], environment: services.environment, in: services.folder, output: output.writing)
    output.closeWriting()
    reached.wait()
    if format == "ndjson" { _ = output.read(until: "\n") }
    process.send(SIGINT)
    #expect(process.wait() == 130)
    let text = output.read()
    let rows = try format == "json" ? Array(JSON(Array(text.utf8)).asArray()) : text.split(separator: "\n").map { try JSON(Array($0.utf8)) }
    #expect(rows.count == 3)
    let ada = try rows.first { try $0.stringIfPresent("source") == "ada" }?.object("verdict").string("kind")
    // The other format prints nothing before the end.
    #expect(ada == "complete" || ada == "partial" && format == "json")
    let reason = { (row: JSON) in try row.object("verdict").stringIfPresent("reason") }
    #expect(
      try rows.contains { try $0.stringIfPresent("source") == "bob" && reason($0) == "interrupted" }, "\(text)")
    #expect(text.contains(#""sources":2,"complete":"#) && text.contains(#""failed":0"#))
    try await expect(services.run("sync --except countries --except heroes --except products --except bob"), 0)
  }

  @Test("sync of a source without a row tells how many requests it sent, and counts it as partial and as failed")
  func failed() async throws {
    let services = try await FourServices { path, connection in
      guard path.hasPrefix("/bob") else { return false }
      connection.answer(status: "404 Not Found", "{}")
      return true
    }
    let lines = try await services.run("sync ada bob --format ndjson").lines
    #expect(lines.contains { $0.hasPrefix(#"{"source":"bob","received":0,"#) && $0.contains(#""requests":1,"#) }, "\(lines)")
    #expect(lines.last?.contains(#""complete":1,"unverifiable":0,"partial":1,"failed":1,"#) == true)
    #expect(try await services.run("sync ada --format framed").output.contains(#""verdict":{"kind":"complete""#))
  }

  @Test("sync counts a file that cannot be read as a missing source, and exits 78")
  func missing() async throws {
    let services = try await FourServices()
    let others = "--except countries --except heroes --except products"
    try await expect(services.run("sync \(others)"), 0)
    try Folder.write("{bad", to: "\(services.folder)/.config/aggregator/sources/bad.json")
    try await expect(services.run("sync \(others)"), 78, output: .has("4 complete"), errors: .has("bad.json"))
    try await expect(services.run("sync ada"), 0, errors: "")
    try await expect(services.run("changes"), 78, errors: .has("bad.json"))
    try await expect(services.run("sync ada --except ada"), 64, errors: .has("no source is left"))
  }

  @Test("an interrupted wait for another sync saves nothing, and the message names no position")
  func interruptedWait() async throws {
    let (reached, gate) = (Signal(), Turnstile())
    let services = try await FourServices { path, _ in
      guard !path.contains("offset=0") else { return false }
      reached.send()
      gate.pass()
      return false
    }
    let first = try Binary.start(["ada", "sync"], environment: services.environment, in: services.folder)
    reached.wait()
    let errors = try Piped()
    let second = try Binary.start(
      ["ada", "sync", "--wait"], environment: services.environment, in: services.folder, errors: errors.writing)
    errors.closeWriting()
    _ = errors.read(until: "\n")
    second.send(SIGINT)
    #expect(second.wait() == 130)
    #expect(errors.read().hasSuffix("\naggregator: ada: interrupted; type 'aggregator ada sync' to continue\n"))
    try await expect(services.run("sync ada --wait --timeout 0.2"), 75, errors: .has("another sync is running", "try a longer --timeout"))
    gate.open()
    #expect(first.wait() == 0)
  }

  @Test("a built-in source that is removed is hidden everywhere, and comes back with its records")
  func hidden() async throws {
    let services = try await FourServices()
    try await expect(services.run("import countries countries.ndjson"))
    try Folder.write(#"{"code":"FR","name":"France"}"# + "\n", to: "\(services.folder)/rows.ndjson")
    try await expect(services.run("import countries rows.ndjson"), 0)
    try await expect(
      services.run("remove countries heroes"), 0,
      errors: .has(
        "hid countries; type 'aggregator add countries' to bring it back", "1 stored record of countries", "hid heroes"))
    for line in ["countries list", "countries", "sync countries", "help countries", "forget countries --yes"] {
      try await expect(services.run(line), 64, errors: .has("countries is hidden", "did you mean \"add countries\"?"))
    }
    #expect(try await !services.run("help").output.contains("countries"))
    #expect(try await !services.run("sources").output.contains("heroes"))
    #expect(try await !services.run("search france --offline -o ndjson").output.contains("countries"))
    let all = try await services.run("sources --all --format json").output
    #expect(all.contains(#""name":"countries""#) && all.contains(#""stored":1"#) && all.contains(#""hidden":true"#))
    // Its name and its key stay reserved.
    let manifest = FakePokemonService.manifest("heroes", at: "\(try services.server.address("/ada/"))")
    try Folder.write(manifest, to: "\(services.folder)/heroes.json")
    try await expect(services.run("add heroes.json"), 78, errors: .has("built in"))
    try await expect(services.run("add countries boats"), 64)
    try await expect(services.run("add countries"), 0, errors: .has("countries is back"))
    #expect(try await services.run("sources --format json").output.contains(#""stored":1"#))
  }
}
