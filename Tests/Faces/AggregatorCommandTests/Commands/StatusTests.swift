import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// `status` and `audit`: what is known of each list, and a recount of a part of it.
struct StatusTests {
  private func json(_ services: FourServices, _ line: String, _ code: Int32 = 0) async throws -> [JSON] {
    try JSON(Array(try await expect(services.run("\(line) --format json"), code).output.utf8)).asArray().map(\.self)
  }

  @Test("the status of each list comes from the store alone, the worst first")
  func worst() async throws {
    let isDown = Mutex(false)
    let requests = Mutex(0)
    let services = try await FourServices { path, connection in
      requests.withLock { $0 += 1 }
      guard path.hasPrefix("/cleo"), isDown.withLock({ $0 }) else { return false }
      connection.answer(status: "503 Service Unavailable", "{}")
      return true
    }
    try await expect(services.run("sync bob cleo"), 0)
    try await expect(services.run("dora sync --max-requests 1"), 0)
    isDown.withLock { $0 = true }
    for _ in 0..<2 { _ = try await services.run("cleo sync --timeout 5") }
    let before = requests.withLock { $0 }
    let reports = try await json(services, "status ada bob cleo dora")
    #expect(requests.withLock { $0 } == before)
    let rows = try reports.map { report in
      let verdict = report["verdict"].flatMap { $0.isNull ? nil : try? $0.string("kind") } ?? "none"
      let missing = try report.array("missing").map { try $0.string("kind") }
      return "\(try report.string("source")) \(try report.int("rows")) \(verdict) \(missing.joined(separator: "+"))"
    }
    #expect(rows == ["cleo 250 complete failed", "dora 100 partial bounded", "ada 0 none neverAsked", "bob 250 complete "])
    let (cleo, dora) = (reports[0], reports[1])
    #expect(try cleo.int("failures") == 2 && cleo["failingSince"]?.isNull == false && cleo["wholeSince"]?.isNull == false)
    #expect(try cleo.member("lastTry").string("outcome") == "failed")
    #expect(try dora.array("missing").map(\.self)[0].int("count") == 150)
    #expect(try dora.array("missing").map(\.self)[0].string("remedy") == "type 'aggregator dora sync --wait' to go on")
    #expect(try reports[3].array("missing").map(\.self).isEmpty && reports[3]["remedy"]?.isNull == true)
  }

  @Test("the text has a line for each list, and a remedy for each that is not whole")
  func text() async throws {
    let services = try await FourServices()
    try await expect(services.run("bob sync"), 0)
    try await expect(services.run("dora sync --max-requests 1"), 0)
    let table = try await expect(services.run("status ada bob dora --format table"), 0)
    let lines = table.output.split(separator: "\n").map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(lines == ["SOURCE ROWS STATE", "dora 100 partial", "ada 0 never", "bob 250 complete"], "\(table.output)")
    #expect(table.errors == "aggregator: dora: type 'aggregator dora sync --wait' to go on\n")
  }

  @Test("requirements make the status a check of a monitor: 3, with the names on standard error")
  func requirements() async throws {
    let services = try await FourServices()
    try await expect(services.run("bob sync"), 0)
    try await expect(services.run("status bob --require 'complete,age<1d,found,same-shape' --format json"), 0, errors: "")
    let unmet = try await services.run("status ada bob --require 'complete,audited<7d' --format json")
    #expect(unmet.code == 3)
    #expect(
      unmet.errors == """
        aggregator: ada: nothing is stored (--require)
        aggregator: ada: the list was never audited (--require)
        aggregator: bob: the list was never audited (--require)

        """)
    try await expect(services.run("bob audit"), 0)
    try await expect(services.run("status bob --require 'audited<7d' --format json"), 0, errors: "")
    try await expect(services.run("status bob --require 'audited<x'"), 64)
    try await expect(services.run("bob list --require 'audited<7d' -n 1"), 3)
  }

  @Test("an audit of an honest copy finds nothing, and says what was compared; a record that the service has no longer is found")
  func audit() async throws {
    let isShort = Mutex(false)
    let services = try await FourServices { path, connection in
      guard isShort.withLock(\.self) else { return false }
      let answer = FakePokemonService.answer(path).replacingEach("\"count\":250", with: "\"count\":249")
      connection.answer(answer.replacingEach(#",{"name":"p249","level":null}"#, with: ""))
      return true
    }
    try await expect(services.run("bob sync"), 0)
    let honest = try await expect(services.run("bob audit --seed 7 --requests 2"), 0)
    #expect(honest.output.hasPrefix("0 of "), "\(honest.output)")
    #expect(honest.output.contains(" places missing; if rows are lost singly, under "))
    #expect(honest.errors.contains("type 'aggregator bob audit --seed 7' to repeat it"))
    isShort.withLock { $0 = true }
    let ghost = try await json(services, "audit bob --seed 1", 3)
    #expect(try ghost[0].int("ghosts") == 1 && ghost[0].int("missing") == 0 && ghost[0].int("rows") == 249)
    #expect(try ghost[0].array("ghostIDs").map { try $0.asString() } == ["p249"])
    let status = try await json(services, "status bob")[0]
    #expect(try status.member("audit").int("ghosts") == 1 && status.array("missing").contains { try $0.string("kind") == "unproved" })
    #expect(try await services.run("status bob --require 'audited<1d'").code == 3)
    // A sync that ends later may have brought what was missing.
    try await expect(services.run("bob sync --full"), 0)
    #expect(try await json(services, "status bob")[0].array("missing").map(\.self).isEmpty)
  }

  @Test("what cannot be audited says why: nothing stored, a list without an end, a seed that is a word")
  func refusals() async throws {
    let services = try await FourServices()
    let empty = try await services.run("ada audit")
    #expect(empty.code == 69 && empty.errors.contains("nothing of ada is stored to be compared"), "\(empty)")
    for line in ["users audit", "audit users"] {
      #expect(try await expect(services.run(line), 64).errors.contains("users has no end"))
    }
    try await expect(services.run("ada audit --seed x"), 64)
    try await expect(services.run("ada audit --requests 0"), 64)
  }

  @Test("an audit of all sources names those that it leaves out, also one whose sync has not ended")
  func leftOut() async throws {
    let services = try await FourServices()
    try await expect(services.run("bob sync"), 0)
    try await expect(services.run("dora sync --max-requests 1"), 0)
    let audit = try await expect(services.run("audit"), 0)
    #expect(audit.output.hasPrefix("bob: 0 of 250 rows missing"))
    #expect(
      audit.errors.hasSuffix(
        "left out, since no sync of the present list has ended: countries, heroes, products, ada, cleo, dora; type 'aggregator status'\n"))
  }

  @Test("a position that somebody has edited costs the status of its own list alone")
  func brokenPosition() async throws {
    let services = try await FourServices()
    try await expect(services.run("bob sync"), 0)
    try await expect(services.run("ada next --limit 3"), 0)
    let edit = """
      import os, sqlite3
      store = sqlite3.connect(os.environ["S"])
      store.execute("UPDATE source_state SET body = '[]' WHERE source = 'ada' AND name = 'next'")
      store.commit()
      """
    try expect(Binary.python(edit, environment: ["S": "\(services.folder)/data/aggregator/store.db"]), 0)
    let reports = try await json(services, "status ada bob")
    #expect(try reports.map { try $0.string("source") } == ["ada", "bob"] && reports[1].int("rows") == 250)
    #expect(try reports[0].array("missing").map { try $0.string("reason") } == ["cannot read the stored position of ada"])
  }

  @Test("a plan of an audit sends nothing")
  func plan() async throws {
    let requests = Mutex(0)
    let services = try await FourServices { _, _ in
      requests.withLock { $0 += 1 }
      return false
    }
    try await expect(services.run("bob sync"), 0)
    let before = requests.withLock { $0 }
    let plan = try await expect(services.run("bob audit --plan --seed 3"), 0)
    #expect(requests.withLock { $0 } == before && plan.output.hasPrefix("would send GET "))
    #expect(plan.output.hasSuffix("at most 20 requests in all, for pages at random places and for random records\n"))
  }
}
