import AggregatorCore
import Presentation
import SourceTesting
import Synchronization
import Testing

@testable import Browse

private struct Row: Record {
  let id: String

  static let fields: [Field<Row>] = [Field<Row>("id", .title) { $0.id }]

  init(_ id: String) { self.id = id }
  init(_ row: JSON) throws { id = try row.string("id") }
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

@Suite("The browser line by line, over lines from elsewhere", .timeLimit(.minutes(30))) struct PlainBrowserTests {
  private let clock = TestClock()
  private let gate = Gate()

  private func browse(typing lines: [String]) -> Task<String, any Error> {
    let lines = Mutex(lines[...])
    let source = Source<Row>("rows", "Rows") { [gate] _ in HeldRows(gate: gate) }
    var world = Surroundings(settings: Settings(declared: []), transport: StubTransport())
    world.clock = clock
    world.standInAfter = nil
    return Task { [clock, world] in
      var written = ""
      let browser = PlainBrowser(
        [BrowsedSource("rows", searches: nil) { try source.descriptor.open(in: world) }],
        look: BrowserLook(isColored: false, now: { clock.now }), clock: clock, grace: .seconds(2)
      ) {
        lines.withLock { $0.popFirst() }
      } writing: {
        written += $0
      }
      try await browser.run()
      return written
    }
  }

  @Test("what loads when the input ends, or says q, has a while to come", arguments: [["q"], []])
  func grace(lines: [String]) async throws {
    let browsing = browse(typing: lines)
    try await clock.sleepers(atLeast: 1)
    gate.open()
    #expect(try await browsing.value.contains("1 of 1: the row\n"))
  }

  @Test("what has not come by then is given up, and that is said")
  func givingUp() async throws {
    let browsing = browse(typing: ["q"])
    try await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(2))
    #expect(try await browsing.value.hasSuffix("loading…\nstopped loading\n"))
  }

  @Test("a line that is not q waits its turn")
  func order() async throws {
    let browsing = browse(typing: ["?", "q"])
    try await gate.arrivals(atLeast: 1)
    gate.open()
    #expect(try await browsing.value.contains("q: quit\n"))
    #expect(clock.waits.isEmpty)
  }
}
