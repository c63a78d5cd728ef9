import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// `sync` of several sources: four lists of one service, each in a source of its own.
@Suite("sync of several sources") struct SyncAllTests {
  @Test("all are on the wire at once, and each is told as it ends")
  func sideBySide() async throws {
    let arrived = Mutex(Set<Substring>())
    let gate = Turnstile()
    let fleet = try await Fleet { path, connection in
      // Nobody is answered before all have asked.
      let count = arrived.withLock { arrived in
        arrived.insert(path.dropFirst().prefix { $0 != "/" })
        return arrived.count
      }
      if count == 4 { gate.open() } else { gate.pass() }
      return false
    }
    let outcome = try await expect(fleet.run("sync ada bob cleo dora"), 0)
    #expect(outcome.output.split(separator: "\n").dropLast().sorted() == Fleet.names.map { "received 250 \($0): 250 new (3 requests)" })
    #expect(outcome.output.hasSuffix("synced 4 sources: 4 complete\n"))
  }

  @Test("JSON has an object for each, and one for the whole behind them")
  func json() async throws {
    let fleet = try await Fleet { path, connection in
      guard path.hasPrefix("/bob") else { return false }
      connection.answer(status: "401 Unauthorized", "{}")
      return true
    }
    let lines = try await expect(
      fleet.run("sync ada bob --format ndjson"), 77, errors: .has("aggregator: bob: the service refused the request (HTTP 401)")
    ).lines
    #expect(
      lines.sorted().prefix(2) == [
        #"{"source":"ada","received":250,"new":250,"updated":0,"unchanged":0,"gone":0,"skipped":0,"repeated":0,"requests":3,"verdict":{"kind":"complete","reason":null}}"#,
        lines.sorted()[1],
      ])
    #expect(
      lines.contains { $0.hasPrefix(#"{"source":"bob","received":0,"#) && $0.contains(#""verdict":{"kind":"partial","reason":"error: "#) })
    #expect(
      lines.last
        == #"{"sources":2,"complete":1,"unverifiable":0,"partial":0,"failed":1,"received":250,"new":250,"updated":0,"unchanged":0,"gone":0,"skipped":0,"repeated":0,"requests":3}"#
    )
    let array = try JSON(Array(await fleet.run("sync ada cleo --format json").output.utf8)).asArray()
    #expect(
      try array.map { try $0.stringIfPresent("source") ?? "" }.sorted() == ["", "ada", "cleo"] && Array(array).last?.int("sources") == 2)
    let rows = try await fleet.run("sync ada cleo --format csv").lines
    #expect(
      rows.first?.hasPrefix("source,received,new,updated,unchanged,gone,skipped,repeated,requests,verdict") == true && rows.count == 3)
  }

  @Test("those that are named, without those that are left out")
  func choice() async throws {
    let fleet = try await Fleet()
    func names(_ line: String) async throws -> [String] {
      try await fleet.run("sync \(line) --format ndjson").lines.compactMap { line in
        try JSON(Array(line.utf8)).stringIfPresent("source")
      }.sorted()
    }
    #expect(try await names("bob ada bob") == ["ada", "bob"])
    #expect(try await names("ada bob cleo --except bob") == ["ada", "cleo"])
    #expect(try await names("--except countries --except heroes --except products") == Fleet.names)
    try await expect(fleet.run("sync adda"), 64, errors: .has("unknown source \"adda\"", "did you mean \"sync ada\"?"))
    try await expect(fleet.run("sync --except adda"), 64, errors: .has("did you mean \"sync --except ada\"?"))
    try await expect(fleet.run("sync users"), 64, errors: .has("users cannot be synced: the list has no end"))
  }

  @Test("--require complete is 3 where a list cannot be proved whole, of one source and of several")
  func requirement() async throws {
    let fleet = try await Fleet.numbered("ada")
    try await expect(fleet.run("ada sync"), 0, output: .has("250 new"), errors: "")
    let required = "aggregator: ada: the answer is unverifiable, not complete (--require)\n"
    try await expect(fleet.run("ada sync --require complete"), 3, errors: .exactly(required))
    try await expect(
      fleet.run("sync ada bob --require complete"), 3, output: .has("1 complete, 1 unverifiable"), errors: .exactly(required))
    try await expect(fleet.run("sync ada bob --require live,found"), 0, errors: "")
  }

  @Test("a sync that runs elsewhere is 75 and says since when; --wait waits for it")
  func taken() async throws {
    let (reached, gate) = (Signal(), Turnstile())
    let isHeld = Mutex(true)
    let fleet = try await Fleet { path, _ in
      guard !path.contains("offset=0"), isHeld.withLock({ $0 }) else { return false }
      reached.send()
      gate.pass()
      return false
    }
    let first = try Binary.start(["ada", "sync"], environment: fleet.environment, in: fleet.folder)
    reached.wait()
    isHeld.withLock { $0 = false }
    try await expect(
      fleet.run("ada sync"), 75, output: "",
      errors: .has("aggregator: ada: another sync is running", "type 'aggregator ada sync --wait' to wait for it"))
    let errors = try Piped()
    let second = try Binary.start(["ada", "sync", "--wait"], environment: fleet.environment, in: fleet.folder, errors: errors.writing)
    errors.closeWriting()
    #expect(errors.read(until: "\n").hasPrefix("aggregator: ada: waiting: another sync is running"))
    gate.open()
    #expect(first.wait() == 0 && second.wait() == 0)
    #expect(try await fleet.run("ada list --offline --count").output == "250\n")
  }
}
