import AggregatorCore
import SourceTesting
import TestServices
import Testing

@testable import Asking

/// Counts that end before the list does.
@Suite("Counts of records") struct RecordCountTests {
  private let services = TestServices()
  private let clock = TestClock()

  private func count(_ words: String) async throws -> RecordCount {
    let face = try services.face(clock: clock)
    let ports = try #require(face.catalogue["ports"])
    let words = AskWords(query: words)
    let ask = try Ask(.list, of: ports, reading: words, at: clock.now)
    return try await ports.open(ask, in: face.world).count(ask, CountWishes(reading: words, of: ports))
  }

  private func basis(_ count: RecordCount) -> String? { RecordCount.fields.first { $0.name == "from" }?.value(count).text }

  @Test("a count that an error or the deadline ends half-way is a lower bound", arguments: ["", "&by=name"])
  func partial(by: String) async throws {
    // The second page begins with the last row of the first.
    services.break("ports", after: 2)
    let broken = try await count("count&live&where=depth>=0\(by)")
    #expect(broken.count == 5 && broken.words == "at least 5" && basis(broken) == "at-least")
    #expect(broken.summary.verdict?.kind == "partial" && broken.byValue?.rows.count == (by.isEmpty ? nil : 5))
    let (gate, _) = services.hold("ports", after: 1)
    async let late = count("count&live&where=depth>=0&timeout=5\(by)")
    try await gate.arrivals(atLeast: 1)
    clock.advance(by: .seconds(6))
    let number = try await late
    #expect(number.words == "at least 3" && number.summary.verdict == .partial(.deadline))
  }

  @Test("a count to the end, and an announced number, are no lower bounds")
  func whole() async throws {
    let counted = try await count("count&where=depth<4")
    #expect(counted.words == "4" && basis(counted) == "counted")
    let announced = try await count("count")
    #expect(announced.words == "10")
  }

  @Test("a number with records that may be gone is not a lower bound")
  func gone() {
    let recorded = ["gone: 3 stored records were not listed", "outdated: these are the rows of an earlier description"]
    let shortfalls: [Shortfall] = [.gone(3, of: 4), .unlisted(3, because: ""), .anotherList] + recorded.map { .recorded($0) }
    for shortfall in shortfalls { #expect(Verdict.partial(shortfall).basis == .counted) }
    let missing: [Shortfall] = [.deadline, .total(missing: 1), .loop, .notStored, .recorded("the sync has not finished")]
    for shortfall in missing { #expect(Verdict.partial(shortfall).basis == .atLeast) }
    for verdict in [Verdict.complete, .bounded, .unverifiable] { #expect(verdict.basis == .counted) }
  }
}
