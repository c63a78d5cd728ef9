import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Terminal
import Testing

/// Reports of sources that fail, and of syncs that do not come to their end.
extension ReportTests {
  @Test("a source that fails is told by sync and changes until it does not, without the key that the service repeats")
  func failing() async throws {
    let status = Mutex("")
    let body = Mutex("{}")
    let key = "k3y/with+odd=signs"
    let services = try await FourServices { _, connection in
      let status = status.withLock { $0 }
      if status.isEmpty { return false }
      connection.answer(status: status, body.withLock { $0 })
      return true
    }
    let text = try Folder.read("\(services.folder)/bob.json").replacing("\"budget\"", with: FakePokemonService.token + "\"budget\"")
    try Folder.write(text.replacing("bob", with: "eve").replacing("BOB", with: "EVE"), to: "\(services.folder)/eve.json")
    try await expect(services.run("add eve.json --yes"))
    let environment = services.environment + ["POKEMON_TOKEN": key]
    func run(_ line: String, _ settings: [String: String] = [:]) async throws -> Binary.Outcome {
      try #require(
        await InProcess.run(typed: "aggregator \(line)", environment: environment + settings, in: services.folder))
    }
    try await expect(run("source allow eve --yes"))
    // A setting that makes no sense fails a sync that never asks. The list has not failed: others may share it.
    for line in ["sync ada eve", "eve sync"] { try await expect(run("\(line) -q", ["EVE_URL": "nonsense"]), 78) }
    try await expect(
      run("sync ada eve --format report", ["EVE_URL": "nonsense"]), 78,
      output: .has("eve: failed: EVE_URL"))
    try await expect(run("eve sync"), errors: "")
    try await expect(run("changes eve --format report"), 0, output: "", errors: "")
    status.withLock { $0 = "403 Forbidden" }
    body.withLock { $0 = #"{"error":{"code":7,"message":"the token \#(key) is\u0007 locked; ask\nthe owner"}}"# }
    let first = try await expect(
      run("sync eve --format report"), 77, output: .has("the token", "is locked; ask the owner", "POKEMON_TOKEN' to set another"))
    #expect(!first.output.contains(key) && !first.output.contains("failed since"), "\(first.output)")
    try await expect(run("eve sync"), 77, errors: .has("eve: failed since ", " (2 times); stored: 250 rows of "))
    for line in ["changes ada eve --format report", "changes ada eve"] {
      let told = try await run(line)
      let text = (told.output + told.errors).replacing(/\n\s+/, with: " ")
      #expect(
        told.code == 0 && !text.contains(key) && text.contains("(2 times); stored: 250 rows of")
          && text.contains("last error: the service refused the request (HTTP 403): \"the token")
          && text.contains("type 'aggregator config set POKEMON_TOKEN' to set another"), "\(text)")
    }
    // What a person gives up, and a line that is not understood, are no failures of the source.
    try await expect(run("eve sync --max-requests x"), 64)
    status.withLock { $0 = "503 Service Unavailable\r\nRetry-After: 5400" }
    try await expect(
      run("sync eve --format report"), 69,
      output: .has("failed: the service failed (HTTP 503); try again in 1 h 30 min\n", "(3 times)"))
    status.withLock { $0 = "" }
    try await expect(run("eve sync --format report"), 0, output: "", errors: "")
    try await expect(run("changes ada eve --format report"), 0, output: "", errors: "")
  }

  @Test("a report tells doubts about a list and unreadable rows once, and failed requirements each time")
  func doubts() async throws {
    let numbered = try await FourServices.numbered("ada")
    let first = try await expect(numbered.run("ada sync --format report"), 0, errors: "").lines
    #expect(
      first == [
        "ada: 250 new; the service does not say whether this is everything",
        "  the records are not listed, since no sync can prove that it has the", "  whole list",
      ])
    try await expect(numbered.run("ada sync --format report"), 0, output: "", errors: "")
    try await expect(numbered.run("sync ada bob"), 0)
    try await expect(numbered.run("sync ada bob --format report"), 0, output: "", errors: "")
    try await expect(numbered.run("changes ada --format report"), 0, output: "", errors: "")
    let required = try await expect(numbered.run("ada sync --require complete --format report"), 3, errors: "").lines
    #expect(required.last == "  the answer is unverifiable, not complete (--require)", "\(required)")

    let rows = Mutex([("x", 1), ("y", 2)])
    let services = try await services { _ in rows.withLock { $0 } }
    try await expect(services.run("ada sync"))
    rows.withLock { $0.append(("", 3)) }
    try await expect(services.run("ada sync --format report"), output: "ada: 1 skipped (2 unchanged)\n", errors: "")
    try await expect(services.run("sync ada bob"))
    try await expect(services.run("ada sync --format report"), output: .lacks("skipped"), errors: "")
  }

  @Test("a report tells the loss of most of a list, or a sync that stops early, with what to type")
  func shortfall() async throws {
    let count = Mutex(40)
    let services = try await services { _ in count.withLock { count in (0..<count).map { ("n\($0)", 1) } } }
    try await expect(services.run("ada sync"), 0)
    count.withLock { $0 = 1 }
    try await expect(
      services.run("ada sync --format report"), 3,
      output: """
        ada: nothing new (1 unchanged); incomplete: 39 of 40 stored records
          are no longer listed; none was marked as gone
          type 'aggregator ada sync --accept-gone' if the service really removed
          them

        """, errors: "")
    let harbour = try await FourServices()
    try await expect(
      harbour.run("ada sync --max-requests 1 --format report"), 0,
      output: """
        ada: 100 new; stopped before the end
          position saved; type 'aggregator ada sync' to continue
          records are listed from the second complete sync on

        """, errors: "")
    try await expect(harbour.run("ada sync --format report"), 0, output: .has("ada: 250 new\n"), errors: "")
  }

  @Test("the report of a sync whose time is over lists what changed until then")
  func late() async throws {
    let isSlow = Mutex(false)
    let services = try await FourServices { path, connection in
      guard isSlow.withLock({ $0 }) else { return false }
      guard path.contains("offset=0") else {
        connection.untilClosed()
        return true
      }
      connection.answer(#"{"count":250,"results":[{"name":"p0","level":0},{"name":"p1","level":9}]}"#)
      return true
    }
    try await expect(services.run("ada sync"), 0)
    isSlow.withLock { $0 = true }
    try await expect(
      services.run("ada sync --timeout 0.5 --format report"), 3,
      output: """
        ada: 1 updated (1 unchanged); incomplete: timed out
          position saved; type 'aggregator ada sync' to continue

        p1: updated
          level  (none) → 9

        """, errors: "")
  }

  @Test("Ctrl-C tells in the report how far every source came", arguments: [["sync", "ada", "bob"], ["bob", "sync"]])
  func interrupted(_ words: [String]) async throws {
    let reached = Signal()
    let services = try await FourServices.stopping("bob", reached: reached)
    try await expect(services.run("sync ada"), 0)
    let (output, errors) = (try Piped(), try Piped())
    let process = try Binary.start(
      words + ["--format", "report"], environment: services.environment, in: services.folder, output: output.writing,
      errors: errors.writing)
    output.closeWriting()
    errors.closeWriting()
    reached.wait()
    process.send(SIGINT)
    #expect(process.wait() == 130)
    let text = output.read()
    // When the second page is asked for, the first one may be stored, may be being stored, or may still wait.
    #expect(
      text.contains(
        /^bob: ((100|nothing) new; )?interrupted\n  (position saved; )?type 'aggregator bob sync' to continue\n/
          .anchorsMatchLineEndings()),
      "\(text)")
    #expect(text.hasPrefix(words[0] == "sync" ? "2 sources: " : "bob: ") && errors.read() == "", "\(text)")
  }
}
