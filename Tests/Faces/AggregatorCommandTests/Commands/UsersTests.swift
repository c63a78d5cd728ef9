import Platform
import SourceTesting
import Synchronization
import Testing

@Suite("users: an endless list") struct UsersTests {
  @Test("Ctrl-C gives back the people whom a slow reader was not shown, also with a recording", arguments: [[], ["--record", "."]])
  func interrupted(recording: [String]) async throws {
    let people = try FakeRandomUser(size: 50)
    #expect(try await people.emails("next --limit 1").count == 1)
    let pipe = try Piped()
    // The pipe is not read, so it is full long before all people are printed.
    let process = try Binary.start(
      ["users", "next", "--limit", "999", "--format", "ndjson", "--quiet"] + recording, environment: people.environment,
      in: people.folder, output: pipe.writing)
    pipe.closeWriting()
    var unread: Int32 = 0
    while unread < 60_000, !process.hasEnded { _ = ioctl(pipe.reading, UInt(FIONREAD), &unread) }
    process.send(SIGINT)
    // The pipe is read only after the process has ended, because the process must end without that.
    #expect(process.wait() == 130)
    let whole = pipe.read().split(separator: "\n", omittingEmptySubsequences: false).dropLast().count
    #expect(whole > 50)
    // A person whose line was cut short comes again.
    let next = try await people.emails("next --limit 1")
    #expect(next == ["p\((whole + 1) / 50 + 1)-\((whole + 1) % 50)@example.com"])
  }

  @Test(
    "list and search with --live or --refresh ask for a further page, store it, and show its people",
    arguments: ["--live", "--refresh"])
  func asking(option: String) async throws {
    let people = try FakeRandomUser()
    _ = try await people.emails("next --limit 1")
    let list = try await people.run("list \(option) -o json")
    #expect(people.pages == [1, 2])
    #expect(list.output.contains(#""origin":{"kind":"live","age":0,"reason":null}"#) || list.output.contains(#""kind":"live""#))
    #expect(list.output.contains("p2-0@") && list.output.contains("p2-4@") && !list.output.contains("p1-"))
    #expect(list.output.contains(#""verdict":{"kind":"unverifiable""#))
    #expect(try await people.run("search p3-2 \(option) --require live,found").output.contains("p3-2@"))
    #expect(people.pages == [1, 2, 3])
    // All of them are stored, and next has shown none of them.
    #expect(try await people.emails("next --limit 5") == (1..<5).map { "p1-\($0)@example.com" } + ["p2-0@example.com"])
    #expect(people.pages == [1, 2, 3])
  }

  @Test("when the service answers 500, --live fails and --refresh names the stand-in")
  func failing() async throws {
    let folder = try Folder.fresh()
    let isDown = Mutex(false)
    let server = try StandInServer { connection in
      while connection.request() != nil {
        let isDown = isDown.withLock { $0 }
        guard !isDown else {
          connection.answer(status: "500 Internal Server Error", headers: "", "{}")
          continue
        }
        connection.answer(#"{"results":[\#(FakeRandomUser.row("ada@example.com", uuid: "u"))],"info":{"page":1,"version":"1.4"}}"#)
      }
    }
    let environment = ["RANDOM_USER_BASE_URL": "\(try server.address("/api/1.4/"))", "XDG_DATA_HOME": "\(folder)/data"]
    #expect(try await InProcess.run("users list", environment: environment).output.contains("ada@"))
    isDown.withLock { $0 = true }
    try await expect(InProcess.run("users list --live", environment: environment), 69, output: "")
    try await expect(
      InProcess.run("users list --refresh -o json", environment: environment), 0,
      output: .has("ada@", #""kind":"cache""#, "HTTP 500"), errors: .has("HTTP 500"))
  }

  @Test("deleted people can be listed, the latest first, and completion of restore offers them alone")
  func listed() async throws {
    let people = try FakeRandomUser()
    _ = try await people.emails("next --limit 1")
    for number in [1, 3] { #expect(try await people.run("delete", "p1-\(number)@example.com").code == 0) }
    #expect(try await people.emails("list --deleted") == ["p1-3@example.com", "p1-1@example.com"])
    let offered = try await InProcess.run(
      ["__complete", "--", "users", "restore", "p"], environment: people.environment, in: people.folder)
    #expect(offered.lines.dropFirst().map { $0.prefix { $0 != "\t" } }.sorted() == ["p1-1@example.com", "p1-3@example.com"])
    #expect(try await people.run("restore p1-3@example.com").code == 0)
    #expect(try await people.emails("list --deleted") == ["p1-1@example.com"])
    // Forgetting records does not bring deleted people back.
    #expect(try await people.run("forget --yes").errors == "aggregator: users: removed 5 records\n")
    #expect(try await people.emails("next --limit 2") == ["p1-0@example.com", "p1-2@example.com"])
    #expect(people.pages == [1, 1])
  }

  @Test("a store has one seed of letters, and asks for pages of one size with one list of fields")
  func seed() async throws {
    let people = try FakeRandomUser()
    for _ in 0..<3 { _ = try await people.emails("next --limit 6") }
    let seeds = people.values(of: "seed")
    #expect(seeds.count == 1)
    #expect(seeds.first?.allSatisfy { $0.isLowercase } == true && seeds.first?.count != 18)
    #expect(people.values(of: "results") == ["50"])
    #expect(people.values(of: "inc").count == 1)
    _ = try await people.run("next --store other.db")
    #expect(people.values(of: "seed").count == 2)
  }

  @Test("a person who came before is skipped, and pages without a new person are tried a few times, which is told")
  func barren() async throws {
    let people = try FakeRandomUser(size: 0, rows: { _ in [FakeRandomUser.row("Same@Example.com ", uuid: "u")] })
    let outcome = try await people.run("next --limit 3 --format tsv --fields email")
    #expect(outcome.lines == ["same@example.com"])
    #expect(outcome.code == 3)
    #expect(outcome.errors.contains("incomplete: "))
    #expect(people.pages == [1, 2, 3, 4, 5, 6])
  }

  @Test("list and search read the store, after one page if it is empty; a search tells how many people it searched")
  func search() async throws {
    let people = try FakeRandomUser(rows: { [FakeRandomUser.row("zoe\($0)@example.com", uuid: "z", first: "Zoë", last: "Ångström")] })
    #expect(try await people.emails("search ANGSTROM") == ["zoe1@example.com"])
    try await expect(
      people.run("search zoe --format json"),
      output: .has(#""verdict":{"kind":"unverifiable""#, #""origin":{"kind":"cache""#),
      errors: .has("searched 6 stored users; add --more N to fetch more"))
    #expect(people.pages == [1])
    #expect(try await people.emails("search zoe --more 2") == ["zoe1@example.com", "zoe2@example.com", "zoe3@example.com"])
    #expect(people.pages == [1, 2, 3])
    #expect(try await people.emails("list --all").count == 18)
    #expect(people.pages == [1, 2, 3])
  }

  @Test("a deleted person stays away until restored: from list, search, show, next, reset and a new fetch")
  func deleted() async throws {
    let people = try FakeRandomUser(size: 2, rows: { _ in [FakeRandomUser.row("gone@example.com", uuid: "g")] })
    #expect(try await people.emails("next --limit 3").contains("gone@example.com"))
    #expect(try await people.run("delete", " GONE@example.com").code == 0)
    #expect(try await people.run("reset").code == 0)
    #expect(try await people.emails("next --limit 8") == (1...4).flatMap { page in (0..<2).map { "p\(page)-\($0)@example.com" } })
    #expect(try await !people.emails("list --all").contains("gone@example.com"))
    #expect(try await people.emails("search gone").isEmpty)
    try await expect(
      people.run("show gone@example.com"), 66,
      errors: .has("was deleted just now", "aggregator users restore gone@example.com"))
    #expect(try await people.run("restore gone@example.com").code == 0)
    #expect(try await people.run("show gone@example.com --format json").output.contains(#""email":"gone@example.com""#))
    #expect(try await people.run("delete nobody@example.com").code == 66)
    #expect(try await people.run("restore nobody@example.com").code == 66)
  }

  @Test("why tells the fetch, the repeats it absorbed and the deletion")
  func why() async throws {
    let people = try FakeRandomUser(size: 1, rows: { [FakeRandomUser.row("twice@example.com", uuid: "t\($0)")] })
    _ = try await people.emails("next --limit 3")
    _ = try await people.run("delete twice@example.com")
    let outcome = try await people.run("why twice@example.com --format json")
    let seed = people.values(of: "seed").first ?? ""
    #expect(outcome.output.hasPrefix(#"{"email":"twice@example.com","uuid":"t1","fetchedAt":"20"#))
    #expect(outcome.output.contains(#""fetch":{"seed":"\#(seed)","page":1},"absorbed":[{"uuid":"t2","fetchedAt":"20"#))
    #expect(outcome.output.contains(#"}],"deletedAt":"20"#))
    #expect(try await people.run("why nobody@example.com").code == 66)
  }

  @Test("why tells that a bundled person came from no fetch")
  func whyBundled() async throws {
    let people = try FakeRandomUser()
    let email = try await people.emails("next --offline --limit 1")[0]
    #expect(try await people.run("why \(email)").output.contains("bundled with the program; not fetched\n"))
    _ = try await people.run("delete \(email)")
    let outcome = try await people.run("why \(email) --format json")
    #expect(outcome.output.contains(#","fetchedAt":null,"fetch":null,"absorbed":[],"deletedAt":"20"#))
    #expect(outcome.output.contains(#""uuid":""#))
  }

  @Test("offline from the start, next pages through the sample, which never mixes with fetched people, nor shows a deleted one")
  func sample() async throws {
    let people = try FakeRandomUser()
    let first = try await people.emails("next --offline --limit 10")
    let second = try await people.emails("next --offline --limit 10")
    #expect(Set(first + second).count == 20)
    #expect(try await people.run("next --offline").errors.contains("using bundled data (--offline)"))
    #expect(try await people.run("delete", first[0]).code == 0)
    #expect(try await people.emails("list --offline --limit 1") == [first[1]])
    #expect(try await people.emails("next --limit 1") == ["p1-0@example.com"])
    #expect(try await people.emails("list --all").count == 5)
  }

  @Test("an age is that of the day on which a record is shown; in a replay, of the day of the recording")
  func ages() async throws {
    let people = try FakeRandomUser(
      size: 0,
      rows: { _ in
        [#"{"email":"old@example.com","dob":{"date":"1992-03-08T10:00:00.000Z","age":30}}"#]
      })
    let now = try await people.run("list --record rec --format ndjson --fields birthday,age")
    #expect(now.output.hasPrefix(#"{"birthday":"1992-03-08","age":"#))
    let moved = try Binary.shell(
      #"sed -i.old -E 's/"startedDateTime": *"[0-9]+-[0-9]+-[0-9]+/"startedDateTime":"2001-06-01/' rec/users.har"#, in: people.folder)
    #expect(moved.code == 0)
    for format in ["tsv", "csv", "json", "ndjson", "table"] {
      let then = try await people.run("list --replay rec --format \(format) --fields age")
      #expect(then.output.filter { "0123456789".contains($0) }.contains("9"), "\(then.output)\(then.errors)")
    }
    #expect(try await people.run("list --replay rec --format tsv --fields age").output == "9\n")
    #expect(try await people.run("show old@example.com --replay rec").output.contains("Age: 9\n"))
  }
}
