import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

@Suite("sync") struct SyncCommandTests {
  @Test("every source with an end is synced, and one that fails does not stop the others")
  func all() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil {
        connection.answer(#"[{"code":"FR","name":"France","region":"EU","capital":"Paris","currency":null,"language":null,"flag":""}]"#)
      }
    }
    let outcome = try await expect(
      InProcess.run(["sync"], environment: Binary.asking(server)),
      output: "received 1 record of countries: 1 new (1 request)\nsynced 3 sources: 1 complete, 2 failed\n",
      errors: .has("aggregator: heroes: no key is set", "aggregator: products: cannot reach "))
    #expect(!outcome.errors.contains("users"))
    #expect(outcome.code == 77)
  }

  @Test("ids that differ only in half of a surrogate pair are different records, each with an id to show it by")
  func surrogates() async throws {
    let ids = [#"a\ud800"#, #"a\udfff"#, #"a\ufffd"#]
    let orders = try await FakeOrders(ids.map { #"{"id":"\#($0)","status":"\#($0)"}"# })
    let shown = [#"a\ud800"#, #"a\udfff"#, "a\u{FFFD}"]
    #expect(try await orders.run("orders list --live --format tsv --fields id").lines == shown)
    try await expect(orders.run("orders sync"), 0, output: "received 3 orders: 3 new (1 request)\n")
    try await expect(orders.run("orders sync"), 0, output: "up to date: 3 orders (1 request)\n")
    #expect(try await orders.run("orders list --offline --format tsv --fields id").lines.sorted() == shown.sorted())
    for id in shown {
      try await expect(orders.run("orders", "show", id, "--offline", "--fields", "id,status"), 0, output: "ID: \(id)\nStatus: \(id)\n")
    }
    let exported = try await orders.run("orders list --offline --format ndjson").output
    try Folder.write(exported, to: "\(orders.folder)/orders.ndjson")
    try await expect(orders.run("import orders orders.ndjson"), 0, output: "received 3 orders: 3 already stored\n")
  }

  @Test("sync stores everything and asks for each page once; then list and search read all of it offline")
  func complete() async throws {
    let house = try FakeProducts(1_050)
    let outcome = try await expect(house.run("sync --format json"), 0)
    #expect(
      outcome.output == """
        {"source":"products","received":1050,"new":1050,"updated":0,"unchanged":0,"gone":0,"skipped":0,"repeated":0,"requests":13,"unchangedPages":0,"misfits":{},"drift":[],\
        "verdict":{"kind":"complete","reason":null}}

        """)
    // Each page begins one row early. The last page has one row only, so that the service is asked once more for rows after it.
    #expect(house.asked == Array(stride(from: 0, through: 990, by: 99)) + [1_049, 1_050])
    #expect(try await house.run("search", "kettle 1049", "--offline", "--format", "tsv", "--fields", "id").lines == ["1049"])
    let listed = try await house.run("list --all --offline --format json").output
    #expect(listed.contains(#""total":1050,"skipped":0,"duplicates":0,"misfits":{},"verdict":{"kind":"complete""#))
    #expect(try await house.run("sync").output == "up to date: 1050 products (13 requests)\n")
    #expect(try await house.run("sync --format tsv").output == "products\t1050\t0\t0\t1050\t0\t0\t0\t13\tcomplete\t\n")
  }

  @Test("a sync that reaches its limit of requests keeps its place, is not complete, and is continued by the next sync")
  func limited() async throws {
    let house = try FakeProducts(1_050)
    try await expect(
      house.run("sync --max-requests 4 --format json"), 0,
      output: .has(#""received":397,"new":397,"#, #""verdict":{"kind":"bounded""#))
    #expect(house.asked.count == 4)
    #expect(try await !house.run("list --all --offline --format json").output.contains(#""total":397"#))
    let second = try await house.run("sync --format json")
    #expect(second.output.contains(#""received":1050,"new":1050,"#))
    #expect(second.errors.contains("continuing after the 397 records received before"))
    #expect(house.asked[4] == 396)
  }

  @Test("a search without a match in an unfinished sync is as partial as a list with a condition, and proposes no other text")
  func unfinishedSearch() async throws {
    let house = try FakeProducts(1_050)
    try await expect(house.run("sync --max-requests 2"), 0)
    for arguments in [["list", "--where", "title=Kettle 1000"], ["search", "Kettle 1000"]] {
      let outcome = try await house.run(arguments + ["--offline"])
      expect(
        outcome, 3, output: "", errors: .has("type 'aggregator products sync' to fetch the rest", "incomplete: the sync has not finished"))
      #expect(!outcome.errors.contains("did you mean"), "\(outcome.errors)")
    }
  }

  @Test("a spent budget stops a sync with 75 and tells when to continue")
  func budget() async throws {
    let house = try FakeProducts(1_050, budget: "3/1h")
    try await expect(
      house.run("sync --format json"), 75, output: .has(#""received":298,"#),
      errors: .has("position saved; type 'aggregator products sync' in "))
    #expect(house.asked == [0, 99, 198])
    try await expect(house.run("sync"), 75)
    #expect(house.asked.count == 3)
  }

  @Test("a service that is down does not change a complete sync")
  func down() async throws {
    let isDown = Mutex(false)
    let house = try FakeProducts(150) { _, connection in
      guard isDown.withLock({ $0 }) else { return false }
      connection.answer(status: "401 Unauthorized", "{}")
      return true
    }
    #expect(try await house.run("sync").code == 0)
    isDown.withLock { $0 = true }
    #expect(try await house.run("sync").code == 77)
    #expect(try await house.run("list --all --offline --format json").output.contains(#""verdict":{"kind":"complete""#))
  }

  @Test("a service that is empty for a moment removes no records, and the message tells how to insist")
  func emptyOnce() async throws {
    let isEmpty = Mutex(false)
    let house = try FakeProducts(150) { _, connection in
      guard isEmpty.withLock({ $0 }) else { return false }
      connection.answer(#"{"products":[]}"#)
      return true
    }
    #expect(try await house.run("sync").code == 0)
    isEmpty.withLock { $0 = true }
    let empty = try await expect(house.run("sync --full --format json"), 3, output: .has(#""gone":0,"#))
    let reason = "150 of 150 stored records are no longer listed; none was marked as gone"
    #expect(empty.output.contains(#""verdict":{"kind":"partial","reason":"gone: \#(reason)"}"#), "\(empty.output)")
    #expect(empty.errors == "aggregator: products: type 'aggregator products sync --accept-gone' if the service really removed them\n")
    #expect(try await house.run("sync").output.contains("; incomplete: \(reason)"))
    #expect(try await house.run("list --all --offline --format ndjson").lines.count == 150)
    try await expect(house.run("sync --accept-gone --format json"), 0, output: .has(#""gone":150,"#))
    #expect(try await house.run("list --all --offline --format ndjson").lines.isEmpty)
  }

  @Test("removing the store during a sync exits 74, and no record is called stored")
  func removed() async throws {
    let folder = Mutex("")
    let house = try FakeProducts(7_000) { skip, _ in
      if skip == 50 * 99 { for suffix in ["", "-wal", "-shm"] { unlink("\(folder.withLock { $0 })/data/aggregator/store.db\(suffix)") } }
      return false
    }
    folder.withLock { $0 = house.folder }
    try await expect(
      house.run("sync"), 74, output: "", errors: .has("was replaced or removed while it was in use; start again"))
  }

  @Test("forget during a sync tells how many records it removed; the sync ends and claims none")
  func forgotten() async throws {
    let home = Mutex<[String: String]?>(nil)
    let said = Mutex("")
    let house = try FakeProducts(150) { skip, _ in
      guard skip > 0, let environment = home.withLock({ $0 }) else { return false }
      home.withLock { $0 = nil }
      let outcome = try? Binary.shell("exec \"$A\" forget products --yes", environment: environment)
      said.withLock { $0 = outcome?.errors ?? "" }
      return false
    }
    #expect(try await house.run("sync").code == 0)
    home.withLock { $0 = house.environment }
    try await expect(
      house.run("sync --full"), 74,
      errors: .ends(
        "this sync of products was replaced by another one, or was removed from the store; type 'aggregator products sync' to sync it again\n"
      ))
    #expect(said.withLock { $0 } == "aggregator: products: removed 150 records\n")
  }

  @Test("a store from one address answers nothing for another, and is not continued there")
  func addresses() async throws {
    let (one, other) = (try FakeProducts(150), try FakeProducts(120))
    #expect(try await one.run("sync").code == 0)
    #expect(try await one.run("next --limit 2 --fields id").lines == ["0", "1"])
    let (here, elsewhere) = (one.environment["PRODUCTS_BASE_URL"] ?? "", other.environment["PRODUCTS_BASE_URL"] ?? "")
    func run(_ arguments: [String], at address: String = elsewhere) async throws -> Binary.Outcome {
      try await InProcess.run(
        ["products"] + arguments, environment: one.environment + ["PRODUCTS_BASE_URL": address],
        in: one.folder)
    }
    let words = "the stored products came from http://127.0.0.1:"
    for command in [["sync"], ["sync", "--full"], ["next"], ["next", "--offline"]] {
      try await expect(
        run(command), 74, output: "", errors: .has(words, "use another store, or forget what is stored of it"))
    }
    #expect(other.asked.isEmpty)
    let offline = try await run(["list", "--offline", "--format", "json"])
    #expect(offline.output.contains(#""origin":{"kind":"bundled""#), "\(offline.output.prefix(200))")
    #expect(offline.errors.split(separator: "\n").count { $0.contains(words) } == 1, "\(offline.errors)")
    #expect(try await run(["list", "--all", "--format", "ndjson"]).lines.count == 120)
    // An address with or without its last slash is the same.
    let slashed = here.last == "/" ? String(here.dropLast()) : here + "/"
    #expect(try await run(["next", "--limit", "1", "--fields", "id"], at: slashed).output == "2\n")
  }

  @Test("an address that gave no record does not claim the store")
  func wrongAddress() async throws {
    let house = try FakeProducts(150)
    try await expect(
      InProcess.run(["products", "sync"], environment: house.environment + ["PRODUCTS_BASE_URL": "http://127.0.0.1:1/"], in: house.folder),
      69)
    #expect(try await house.run("sync").code == 0)
  }

  @Test("new, changed and missing records of a later sync are told value by value, and forget removes this knowledge")
  func changes() async throws {
    let rows = Mutex([Service.row("FR", "France", capital: "Paris"), Service.row("DE", "Germany", capital: "Bonn")])
    let service = try Service { connection in
      while connection.request() != nil { connection.answer("[\(rows.withLock { $0 }.joined(separator: ","))]") }
    }
    let folder = try Folder.fresh()
    func run(_ arguments: String...) async throws -> Binary.Outcome {
      try await InProcess.run(["countries"] + arguments.words, environment: service.environment + ["XDG_DATA_HOME": folder])
    }
    #expect(
      try await run("changes").errors.contains("changes are known from the second complete sync on; type 'aggregator countries sync'"))
    #expect(try await run("sync").code == 0)
    #expect(try await run("changes").errors == "aggregator: countries: nothing changed\n")
    // A record that the service does not have is found all the same.
    let imported = try await InProcess.run(
      ["import", "countries", "-"], input: "code,name\nQQ,Quux\n",
      environment: service.environment + ["XDG_DATA_HOME": folder])
    #expect(imported.code == 0)
    let shown = try await run("show QQ --fields name")
    #expect(shown.output == "Name: Quux\n" && shown.errors.contains("the service has no such record; showing the stored one"))
    #expect(try await run("forget --imported --yes").errors.contains("removed 1 record"))
    // A young sync answers for the whole list without a request.
    let count = service.targets.count
    #expect(try await run("list --all --max-age 1d --sort -name --fields code").lines == ["DE", "FR"])
    #expect(service.targets.count == count)
    #expect(try await run("list --all --max-age 1ms --sort -name --fields code").lines == ["DE", "FR"])
    #expect(service.targets.count == count + 1)
    rows.withLock { $0 = [Service.row("DE", "Germany", capital: "Berlin"), Service.row("IT", "Italy")] }
    #expect(try await run("sync").code == 0)
    let fields = ["change", "id", "title", "field", "before", "after"]
    #expect(
      try await run("changes", "--fields", fields.joined(separator: ",")).lines == [
        "gone\tFR\tFrance\t\t\t", "new\tIT\tItaly\t\t\t", "changed\tDE\tGermany\tcapital\tBonn\tBerlin",
      ])
    // A person sees a group for each record; with named fields the output has rows.
    let groups = """
      France (FR): gone just now
      Italy (IT): new just now

      Germany (DE): updated just now
        capital  Bonn → Berlin

      """
    #expect(try await run("changes -o table").output == groups)
    #expect(try await run("changes -o cards").output == groups)
    #expect(try await run("changes -o table --fields id").lines == ["ID", "FR", "IT", "DE"])
    #expect(try await run("changes").lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 7 })
    #expect(try await run("changes -o csv").lines.first == "at,change,id,title,field,before,after")
    for columns in [40, 80] {
      let terminal = try Terminal(
        "countries changes", columns: columns, environment: service.environment + ["XDG_DATA_HOME": folder, "NO_COLOR": "1"]
      ).ending()
      #expect(terminal.lines.count == 5 && terminal.lines.last == "  capital  Bonn → Berlin", "\(terminal.lines)")
    }
    #expect(try await run("changes --since 1ms -o json").output == "[]\n")
    #expect(try await run("forget").code == 64)
    #expect(try await run("forget -y").errors == "aggregator: countries: removed 3 records\n")
    #expect(try await run("changes").errors.contains("from the second complete sync on"))
    #expect(try await run("list --all --offline -q").lines.count == 250)
  }

  @Test("a sync continues after the stored records after a kill or an interruption half-way", arguments: [SIGKILL, SIGINT])
  func killed(signal: Int32) async throws {
    let reached = Signal()
    let isStopping = Mutex(true)
    // At most 8,000 rows wait, and at most 8,000 more are being stored. So at least 8,000 of the 19,801 rows that came are stored. After
    // Ctrl-C all are stored except perhaps the last page, because the page after it is asked for before it has come.
    let silent = 200 * 99
    let house = try FakeProducts(21_000) { skip, connection in
      guard skip >= silent, isStopping.withLock({ $0 }) else { return false }
      if skip == silent { reached.send() }
      connection.untilClosed()
      return true
    }
    let process = try house.start("sync")
    reached.wait()
    process.send(signal)
    #expect(process.wait() == (signal == SIGKILL ? -SIGKILL : 130))
    isStopping.withLock { $0 = false }
    let before = house.asked.count
    let outcome = try await house.run("sync --format json")
    let first = try #require(house.asked.dropFirst(before).first)
    #expect(((signal == SIGINT ? silent - 99 : 8_000)...silent).contains(first))
    #expect(outcome.errors.contains("continuing after the \(first + 1) records received before"), "\(outcome.errors)")
    #expect(outcome.output.contains(#""received":21000,"new":21000,"updated":0,"unchanged":0"#), "\(outcome.output)\(outcome.errors)")
    #expect(try await house.run("list --all --offline --format ndjson").lines.count == 21_000)
  }

  /// A service that refuses all pages after the first 199 rows, and names no time.
  private func refusing() throws -> FakeProducts {
    try FakeProducts(1_050) { skip, connection in
      guard skip >= 198 else { return false }
      connection.answer(status: "420 Enhance Your Calm", headers: "Retry-After: 0\r\n", "{}")
      return true
    }
  }

  @Test(
    "sync --wait tells once how long it waits for a service that names no time, and why, even without a terminal", .timeLimit(.minutes(30)))
  func waiting() async throws {
    let house = try refusing()
    let errors = try Piped()
    let process = try house.start("sync --wait", errors: errors.writing)
    errors.closeWriting()
    #expect(errors.read(until: "\n") == "aggregator: products: waiting 5 min: rate-limited (HTTP 420)\n")
    #expect(house.asked == [0, 99, 198, 198, 198])
    process.send(SIGINT)
    #expect(process.wait() == 130)
    let said = errors.read()
    #expect(said.split(separator: "\n").count { $0.contains("waiting") } == 1)
    #expect(
      said.hasSuffix("aggregator: products: interrupted after 199 records; position saved; type 'aggregator products sync' to continue\n"))
    #expect(try await house.run("sync").errors.contains("continuing after the 199 records received before"))
  }

  @Test("a refusal without a time stops a sync with 75 and tells how to continue; --wait waits if --timeout leaves time")
  func stopped() async throws {
    let house = try refusing()
    try await expect(
      house.run("sync"), 75, errors: .has("position saved; type 'aggregator products sync' later to continue, or use --wait\n"))
    let other = try refusing()
    let hurried = try await expect(
      other.run("sync --wait --timeout 200"), 75,
      errors: .has("position saved; type 'aggregator products sync' later to continue (--timeout leaves no time to wait)\n"))
    #expect(!hurried.errors.contains("waiting"))
  }

  @Test("a second sync asks for the changes since the first one's mark, and --full asks for everything again")
  func full() async throws {
    let vine = try FakeComicVine()
    func sync(_ options: String...) async throws -> (output: String, sorts: [String]) {
      let before = vine.asked.count
      let outcome = try await expect(vine.run(["heroes", "sync"] + options), 0)
      let asked = vine.asked.dropFirst(before).map { PercentEncoding.decode($0) }
      return (
        outcome.output,
        asked.map { $0.split(separator: "&").filter { ["sort=", "filte", "offse"].contains($0.prefix(5)) }.joined(separator: " ") }
      )
    }
    let list = ["sort=id:asc offset=0", "sort=id:asc offset=99", "sort=id:asc offset=198"]
    let latest = "sort=date_last_updated:desc offset=0"
    #expect(try await sync() == ("received 250 heroes: 250 new (4 requests)\n", [latest] + list))
    let changed = "sort=date_last_updated:asc filter=date_last_updated:2024-05-01 10:04:10|2100-01-01 00:00:00 offset=0"
    #expect(try await sync() == ("up to date: 250 heroes (1 request)\n", [changed]))
    #expect(try await sync("--full") == ("up to date: 250 heroes (4 requests)\n", [latest] + list))
  }
}
