import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCommand

/// The text and the times of the progress line, on a clock that the test moves.
struct ProgressTests {
  private let start = TestClock.start

  private func progress(limit: Int? = nil, _ events: Event...) -> Progress {
    var progress = Progress(source: "heroes", limit: limit, start: start)
    for event in events { progress.note(event, at: start) }
    return progress
  }

  private func page(_ rows: Int, of total: Int? = nil) -> Event { .pageRead(source: "heroes", rows: rows, total: total, origin: .live) }

  @Test("the progress line shows count, total, rate and the time that is left")
  func line() {
    #expect(progress(page(100, of: 1000), page(100, of: 1000)).line(at: start + .seconds(2)) == "heroes: 200 of 1000, 100/s, 8 s left")
    #expect(progress(page(100, of: 151_969)).line(at: start + .seconds(1)) == "heroes: 100 of 151969, 100/s, 25 min 19 s left")
    #expect(progress(page(3, of: 9)).line(at: start + .seconds(2)) == "heroes: 3 of 9, 1.5/s, 4 s left")
  }

  @Test("the progress line shows no time left without a total; a limit serves as a total until more is read")
  func goal() {
    #expect(progress(page(100)).line(at: start + .seconds(1)) == "heroes: 100, 100/s")
    #expect(progress(limit: 400, page(100)).line(at: start + .seconds(1)) == "heroes: 100 of 400, 100/s, 3 s left")
    #expect(progress(limit: 400, page(100, of: 200)).line(at: start + .seconds(1)) == "heroes: 100 of 200, 100/s, 1 s left")
    #expect(progress(limit: 50, page(100)).line(at: start + .seconds(1)) == "heroes: 100, 100/s")
  }

  @Test("the progress line survives any announced total")
  func hostileTotals() {
    #expect(progress(page(100, of: .min)).line(at: start + .seconds(1)) == "heroes: 100, 100/s")
    #expect(progress(page(1, of: .max)).line(at: start + .seconds(999_999)).hasSuffix(" left"))
  }

  @Test("the progress line shows the current activity before the first page, and each wait")
  func activity() throws {
    let address = try #require(WebAddress("https://heroes.example/api/?api_key=s3cret"))
    let sent = Event.requestSent(HTTPRequest(.get, address))
    #expect(progress().line(at: start + .seconds(1)) == "heroes: working, 1 s")
    #expect(progress(sent).line(at: start + .seconds(3)) == "heroes: asking heroes.example, 3 s")
    #expect(
      progress(sent, .waiting(.seconds(20), because: "the service failed (HTTP 503)")).line(at: start + .seconds(3))
        == "heroes: waiting 17 s: the service failed (HTTP 503)")
    #expect(
      progress(page(10), .waiting(.seconds(20), because: "too fast")).line(at: start + .seconds(1))
        == "heroes: 10, waiting 19 s: too fast")
  }

  @Test("the progress line appears after half a second, changes, and is erased when the work is done", .timeLimit(.minutes(30)))
  func lifetime() async throws {
    let clock = TestClock()
    let shown = Shown()
    let line = ProgressLine(clock: clock, print: { shown.append($0) }) { "\($0.inWords)" }
    try await line.during {
      try await clock.sleepers(atLeast: 1)
      clock.advance(by: .milliseconds(499))
      #expect(shown.lines == [])
      clock.advance(by: .milliseconds(1))
      await shown.count(1)
      try await clock.sleepers(atLeast: 1)
      line.show { "now \($0.inWords)" }
      clock.advance(by: .milliseconds(500))
      await shown.count(2)
    }
    #expect(shown.lines == ["500 ms", "now 1 s", ""])
  }
}

/// Lines as they are shown, and a way to wait for the next.
private final class Shown: Sendable {
  private let state = Mutex<[String]>([])
  private let stream: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  var lines: [String] { state.withLock { $0 } }

  func append(_ line: String) {
    continuation.yield(
      state.withLock {
        $0.append(line)
        return $0.count
      })
  }

  func count(_ count: Int) async { for await shown in stream where shown >= count { return } }
}
