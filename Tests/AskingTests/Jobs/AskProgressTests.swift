import AggregatorCore
import SourceTesting
import Testing

@testable import Asking

/// Progress, counted from events.
@Suite("Progress of an ask") struct AskProgressTests {
  private let start = TestClock.start

  private func page(_ rows: Int, of total: Int? = nil) -> Event { .pageRead(source: "ports", rows: rows, total: total, origin: .live) }

  private func written(_ progress: AskProgress, at now: Moment) -> String {
    var writer = JSONWriter()
    writer.write(ProgressPart(progress, at: now).value)
    return String(decoding: writer.take(), as: UTF8.self)
  }

  @Test("rows and requests are counted, with the rows of earlier runs, and a wait is told until it is over")
  func counting() throws {
    var progress = AskProgress(after: 5, at: start)
    #expect(written(progress, at: start) == #"{"rows":5,"total":null,"requests":0,"wait":null,"reason":null}"#)
    let request = HTTPRequest(.get, try #require(WebAddress("https://ports.example/")))
    for event in [.requestSent(request), page(3, of: 20), page(3), .waiting(.milliseconds(1_500), because: "the budget")] as [Event] {
      progress.note(event, at: start)
    }
    #expect(progress.earlier == 5)
    #expect(written(progress, at: start) == #"{"rows":11,"total":20,"requests":1,"wait":2,"reason":"the budget"}"#)
    #expect(
      written(progress, at: start + .seconds(2)) == #"{"rows":11,"total":20,"requests":1,"wait":null,"reason":null}"#)
  }

  @Test("no number of a service is too large or too small")
  func hostileNumbers() {
    var progress = AskProgress(at: start)
    for event in [page(.max, of: .min), page(.max, of: -1), .waiting(.seconds(Int.max), because: "")] { progress.note(event, at: start) }
    #expect(progress.rows == .max && progress.total == nil)
    #expect(!written(progress, at: start).contains(#""wait":null"#))
  }
}
