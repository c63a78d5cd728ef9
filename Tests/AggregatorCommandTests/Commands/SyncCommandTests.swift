import SourceTesting
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("sync") struct SyncCommandTests {
  @Test("everything is stored, each page asked for once; then list and search read it offline, to the last row")
  func complete() throws {
    let house = try Warehouse(1_050)
    let outcome = try house.run("sync", "--format", "json")
    #expect(outcome.code == 0)
    #expect(
      outcome.output == """
        {"source":"products","received":1050,"kept":1050,"updated":0,"duplicates":0,"skipped":0,"requests":12,\
        "verdict":{"kind":"complete","reason":null}}

        """)
    #expect(house.asked == Array(stride(from: 0, through: 1_000, by: 100)) + [1_050])
    #expect(try house.run("search", "kettle 1049", "--offline", "--format", "tsv", "--fields", "id").lines == ["1049"])
    let listed = try house.run("list", "--all", "--offline", "--format", "json").output
    #expect(listed.contains(#""total":1050,"skipped":0,"duplicates":0,"verdict":{"kind":"complete""#))
    #expect(try house.run("sync").output == "products: 1050 received: 0 kept, 1050 there already, in 12 requests\n")
    #expect(try house.run("sync", "--format", "tsv").output == "products\t1050\t0\t0\t1050\t0\t12\tcomplete\t\n")
  }

  @Test("after as many requests as are allowed the place is kept, nothing read is called complete, and the next sync goes on there")
  func limited() throws {
    let house = try Warehouse(1_050)
    let first = try house.run("sync", "--max-requests", "4", "--format", "json")
    #expect(first.code == 0)
    #expect(first.output.contains(#""received":400,"kept":400,"#))
    #expect(first.output.contains(#""verdict":{"kind":"bounded""#))
    #expect(house.asked.count == 4)
    #expect(try !house.run("list", "--all", "--offline", "--format", "json").output.contains(#""total":400"#))
    let second = try house.run("sync", "--format", "json")
    #expect(second.output.contains(#""received":1050,"kept":1050,"#))
    #expect(second.errors.contains("goes on behind the 400 received before"))
    #expect(house.asked[4] == 400)
  }

  @Test("a spent budget stops it with 75 and says when to go on")
  func budget() throws {
    let house = try Warehouse(1_050, budget: "3/1h")
    let outcome = try house.run("sync", "--format", "json")
    #expect(outcome.code == 75)
    #expect(outcome.output.contains(#""received":300,"#))
    #expect(outcome.errors.contains("the place is kept; 'aggregator products sync' goes on in "))
    #expect(house.asked == [0, 100, 200])
    let again = try house.run("sync")
    #expect(again.code == 75)
    #expect(house.asked.count == 3)
  }

  @Test("a service that is down leaves a complete sync what it was")
  func down() throws {
    let isDown = Mutex(false)
    let house = try Warehouse(150) { _, connection in
      guard isDown.withLock({ $0 }) else { return false }
      connection.answer(status: "401 Unauthorized", "{}")
      return true
    }
    #expect(try house.run("sync").code == 0)
    isDown.withLock { $0 = true }
    #expect(try house.run("sync").code == 77)
    #expect(try house.run("list", "--all", "--offline", "--format", "json").output.contains(#""verdict":{"kind":"complete""#))
  }

  @Test("killed or interrupted half-way it goes on, repeating at most what was not stored", arguments: [SIGKILL, SIGINT])
  func killed(signal: Int32) throws {
    let reached = Signal()
    let isStopping = Mutex(true)
    let house = try Warehouse(3_000) { skip, connection in
      guard skip >= 2_000, isStopping.withLock({ $0 }) else { return false }
      if skip == 2_000 { reached.send() }
      connection.untilClosed()
      return true
    }
    let process = try house.start("sync")
    reached.wait()
    process.send(signal)
    #expect(process.wait() == (signal == SIGKILL ? -SIGKILL : 130))
    isStopping.withLock { $0 = false }
    let outcome = try house.run("sync", "--format", "json")
    #expect(outcome.output.contains(#""received":3000,"kept":3000,"updated":0,"duplicates":0"#), "\(outcome.output)\(outcome.errors)")
    #expect(try house.run("list", "--all", "--offline", "--format", "ndjson").lines.count == 3_000)
  }
}
