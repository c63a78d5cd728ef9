import AggregatorCore
import Asking
import Presentation
import SourceTesting
import Synchronization
import Testing

@testable import Browse

private struct Row: Record {
  var id = ""

  static let fields: [Field<Row>] = [Field("id", \.id, .title)]

  init() {}
  init(_ id: String) { self.id = id }
}

/// A list of one row, which comes once a gate is open.
private struct HeldRows: DataSource {
  let gate: Gate
  let profile = Profile("rows", paging: .whole)

  func page(_ request: PageRequest) async throws -> Page<Row> {
    try await gate.pass()
    return Page(of: self, [Row("the row")], next: .end)
  }
}

/// An endless list with one row a page.
private struct EndlessRows: DataSource {
  let profile = Profile("rows", paging: .numbered(size: 1, end: .never))

  func page(_ request: PageRequest) async throws -> Page<Row> {
    Page(of: self, [Row("row \(try request.place(in: self).number)")])
  }
}

@Suite("The browser line by line, over lines from elsewhere", .timeLimit(.minutes(30))) struct PlainBrowserTests {
  private let clock = TestClock()
  private let gate = Gate()

  private var world: World {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    world.clock = clock
    return world
  }

  private func browse(typing lines: [String], atHand: (@Sendable () -> RecordList<Row>)? = nil) -> Task<String, any Error> {
    let lines = Mutex(lines[...])
    let source = Source<Row>("rows", "Rows", live: { [gate] _ in HeldRows(gate: gate) }, bundled: atHand)
    return Task { [world] in
      try await browse({ try source.descriptor.open(in: world) }) { _ in lines.withLock { $0.popFirst() } }
    }
  }

  /// Runs the browser, whose next line is what `read` returns for the output so far, and returns all output.
  private func browse(
    _ open: @escaping @Sendable () throws -> any SourceSession, typing read: @escaping @Sendable (String) -> String?
  ) async throws -> String {
    let written = Mutex("")
    var look = BrowserLook(isColored: false, now: { [clock] in clock.now })
    look.hasStandIns = true
    let browser = PlainBrowser(
      [BrowsedSource("rows", searches: nil, pick: SourceDescriptor.Pick(verb: "deal", title: "Deal"), open: open)], look: look,
      clock: clock, grace: .seconds(2)
    ) {
      read(written.withLock { $0 })
    } writing: { text in
      written.withLock { $0 += text }
    }
    try await browser.run()
    return written.withLock { $0 }
  }

  @Test("a page that loads when the input ends, or at q, gets a while to come", arguments: [["q"], []])
  func grace(lines: [String]) async throws {
    let browsing = browse(typing: lines)
    try await clock.sleepers(atLeast: 2)
    gate.open()
    #expect(try await browsing.value.contains("1 of 1: the row\n"))
  }

  @Test("a page that has not come by then is given up, and this is told")
  func givingUp() async throws {
    let browsing = browse(typing: ["q"])
    try await clock.sleepers(atLeast: 2)
    clock.advance(by: .seconds(2))
    #expect(try await browsing.value.hasSuffix("loading…\nstopped loading\n"))
  }

  @Test("a line other than q waits its turn")
  func order() async throws {
    let browsing = browse(typing: ["?", "q"])
    try await gate.arrivals(atLeast: 1)
    gate.open()
    #expect(try await browsing.value.contains("q: quit\n"))
    // It waits for the fallback, and for nothing else.
    #expect(clock.waits == [.seconds(8)])
  }

  @Test("s shows the data at hand while it loads, and says so if it has none")
  func standIn() async throws {
    let written = try await browse(typing: ["s", "t", "s"], atHand: { [Row("a copy")] }).value
    #expect(
      written.contains("loading…\n") && written.contains("\n1 of 1: a copy\n") && written.contains("nothing is loading\n"), "\(written)")
  }

  @Test("a refused deletion is told before the next line is obeyed, and the record is back")
  func refusal() async throws {
    let source = Source<Row>("rows", "Rows", paging: EndlessRows().profile.paging, live: { _ in EndlessRows() })
    var world = world
    (world.store, world.clock) = (StoreInMemory(), TestClock.leaping)
    let opened = try source.open(in: world)
    let isForgotten = Mutex(false)
    let written = try await browse({ opened }) { written in
      if isForgotten.withLock({ $0 }) { return written.contains("no such record") ? nil : "t" }
      // On a busy machine the list is read before it has come.
      guard written.contains("1 of 1: row 1") else { return "t" }
      // Another process removes the listed records from the store.
      let forgotten = Turnstile()
      Task {
        _ = try await opened.forget()
        forgotten.open()
      }
      forgotten.pass()
      isForgotten.withLock { $0 = true }
      return "d 1"
    }
    #expect(written.contains("deleted row 1; u to undo") && written.contains("\n1 of 1: row 1\n"), "\(written)")
  }

  @Test("a source that cannot be opened says why, r opens it again, and D does not wait forever")
  func unopened() async throws {
    let attempts = Mutex(0)
    let lines = Mutex(["r", "D", "r"][...])
    let source = Source<Row>("rows", "Rows") { [gate] _ in HeldRows(gate: gate) }
    gate.open()
    let written = try await browse({ [world] in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt < 4 { throw SourceError(.settings, "attempt \(attempt) failed") }
      return try source.descriptor.open(in: world)
    }) { _ in lines.withLock { $0.popFirst() } }
    #expect(
      written.contains("rows: attempt 1 failed; r tries again\n") && written.contains("rows: attempt 2 failed; r tries again\n"),
      "\(written)")
    #expect(written.contains("rows: attempt 3 failed\n") && written.contains("1 of 1: the row"), "\(written)")
  }
}
