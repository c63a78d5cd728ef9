import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import Testing

/// `changes`, of one source and of several.
@Suite("changes") struct ChangesTests {
  /// Four services whose lists have the rows of `rows`: a name and a level each.
  private func services(_ rows: @escaping @Sendable (_ name: String) -> [(String, Int)]) async throws -> FourServices {
    try await FourServices { path, connection in
      let parts = path.split { "/?&=".contains($0) }
      let all = rows(String(parts[0]))
      let offset = parts.firstIndex(of: "offset").flatMap { Int(parts[$0 + 1]) } ?? 0
      let listed = all.dropFirst(offset).map { #"{"name":"\#($0.0)","level":\#($0.1)}"# }.joined(separator: ",")
      connection.answer(#"{"count":\#(all.count),"results":[\#(listed)]}"#)
      return true
    }
  }

  @Test("changes lists several sources in one list, and each reader has a place of its own")
  func several() async throws {
    let level = Mutex(1)
    let services = try await services { name in
      let level = level.withLock { $0 }
      return name == "ada" ? [("x", level), ("y", 7)] : level == 1 ? [("z", 1)] : []
    }
    let names = "ada bob"
    try await expect(services.run("sync \(names)"), 0)
    try await expect(services.run("changes \(names) --since last:mail"), 0, output: "", errors: "aggregator: nothing changed\n")
    level.withLock { $0 = 2 }
    try await expect(services.run("sync ada --full"))
    let first = "ada\tchanged\tx\tx\tlevel\t1\t2"
    func rows(_ line: String) async throws -> [String] {
      try await expect(services.run("changes \(line) --format tsv --fields source,change,id,title,field,before,after"), 0).lines
    }
    #expect(try await rows("\(names) --since last:noon") == [first])
    #expect(try await rows("\(names) --since last:noon") == [])
    #expect(try await rows("\(names) --since last:mail") == [first])
    level.withLock { $0 = 3 }
    try await expect(services.run("sync ada"))
    #expect(try await rows("\(names) --since last:noon") == ["ada\tchanged\tx\tx\tlevel\t2\t3"])
    #expect(try await rows("ada") == ["ada\tchanged\tx\tx\tlevel\t2\t3", first])
    #expect(try await rows("\(names) --since 1d").count == 2)
    #expect(try await rows("\(names) --since 2100-01-01") == [])
    let json = try await services.run("ada changes --since last --format json").output
    #expect(json.contains(#""change":"changed","id":"x""#) && !json.contains(#""source""#))
  }

  @Test("a reader's place in the changes moves only after every row was printed")
  func whole() async throws {
    let level = Mutex(1)
    let services = try await services { _ in level.withLock { level in [("x", level), ("y", level)] } }
    try await expect(services.run("sync ada"))
    level.withLock { $0 = 2 }
    try await expect(services.run("sync ada"))
    try await expect(
      services.run("changes ada --since last:mail --limit 1"), 0,
      errors: .has("showing the first 1 of 2 changes", "the next --since last:mail begins where this one did"))
    try await expect(services.run("ada changes --since last:mail -o nowhere/a.csv"), 74)
    #expect(try await services.run("ada changes --since last:mail --format tsv").lines.count == 2)
    try await expect(services.run("ada changes --since last:mail"), 0, output: "", errors: "aggregator: ada: nothing changed\n")
    try await expect(services.run("ada changes --require found --since last:mail"), 3, errors: .has("nothing was found (--require)"))
    // Forgetting records also forgets the places.
    try await expect(services.run("ada forget --yes"), 0)
    try await expect(services.run("sync ada"))
    level.withLock { $0 = 3 }
    try await expect(services.run("sync ada"))
    #expect(try await services.run("ada changes --since last:mail --format tsv").lines.count == 2)
  }

  @Test("changes tells a name that no source has, prints the changes of the others, and exits 64")
  func unknownSource() async throws {
    let level = Mutex(1)
    let services = try await services { _ in level.withLock { level in [("x", level)] } }
    try await expect(services.run("sync ada"), 0)
    level.withLock { $0 = 2 }
    try await expect(services.run("sync ada"), 0)
    for line in ["adda ada", "ada adda --since last:mail", "ada users --since last:noon"] {
      try await expect(
        services.run("changes \(line) --format tsv"), 64, output: .has("ada\t"),
        errors: line.contains("adda") ? .has("unknown source \"adda\"", "did you mean \"changes ada\"?") : .has("users cannot be synced"))
    }
    try await expect(services.run("changes ada adda --require found --since last:mail"), 3, errors: .has("unknown source \"adda\""))
    try await expect(services.run("changes adda"), 64, output: "", errors: .has("unknown source \"adda\""))
  }

  @Test("unknown changes are told differently if they will be known later and if they never will")
  func unknown() async throws {
    let services = try await services { _ in [("x", 1)] }
    try await expect(
      services.run("changes ada bob"), 0, output: "",
      errors: "aggregator: ada, bob: changes are known from the second complete sync on; type 'aggregator sync'\n")
    let numbered = try await FourServices.numbered("ada")
    try await expect(numbered.run("ada sync"), 0, output: .has("250 new"))
    try await expect(
      numbered.run("changes ada"), 0, output: "",
      errors: "aggregator: ada: only changed values are known, since no sync can prove that it has the whole list\n")
  }

  @Test(
    "changes reads times as people write them",
    arguments: [
      ("1d", "2026-11-22T10:00:00.000Z"), ("today", "2026-11-23T00:00:00.000Z"), ("yesterday", "2026-11-22T00:00:00.000Z"),
      ("Monday", "2026-11-23T00:00:00.000Z"), ("sunday", "2026-11-22T00:00:00.000Z"), ("tuesday", "2026-11-17T00:00:00.000Z"),
      ("2026-11-01", "2026-11-01T00:00:00.000Z"), ("2026-11-01T06:00:00+02:00", "2026-11-01T04:00:00.000Z"),
    ])
  func times(_ text: String, moment: String) throws {
    let now = try #require(Moment(iso: "2026-11-23T10:00:00Z"))
    #expect(try ChangesSince(text, at: now) == .moment(#require(Moment(iso: moment))))
  }

  @Test(
    "changes refuses a text that is not a time, and takes last:NAME as the place of a reader",
    arguments: ["", "1x", "last:", "last:a\u{1B}[2J", "2026-13-01", "-1d", "0"])
  func refused(_ text: String) throws {
    let now = Moment(secondsSinceEpoch: 0)
    #expect(throws: SourceError.self) { try ChangesSince(text, at: now) }
    #expect(try ChangesSince("last:o'clock", at: now) == .last(reader: "o'clock") && ChangesSince("last", at: now) == .last(reader: ""))
  }
}
