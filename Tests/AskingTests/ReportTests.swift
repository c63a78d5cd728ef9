import AggregatorCore
import Asking
import SourceTesting
import TestServices
import Testing

/// Reports of sources as values, which a face puts into words.
struct ReportTests {
  private let services = TestServices()

  @Test("a report tells what a store knows of a list: nothing, everything, and everything of an earlier day while the service fails")
  func status() async throws {
    let clock = TestClock()
    let face = try services.face(store: StoreInMemory(), clock: clock)
    func report() async throws -> SourceReport { try await face.catalogue.reports(on: face.catalogue.sources, in: face.world)[1] }
    let never = try await report()
    #expect(never.state == .neverSynced && never.stored == 0 && never.missing.map(\.kind) == [.neverAsked])

    let ask = Ask(of: "piers")
    _ = try await face.catalogue.open(ask, in: face.world).sync(ask)
    let synced = clock.now
    let whole = try await report()
    #expect(whole.state == .complete && whole.stored == 3 && whole.missing.isEmpty && whole.status?.wholeSince == synced)

    services.break("piers")
    for _ in 0..<2 {
      clock.advance(by: .seconds(86_400))
      await #expect(throws: SourceError.self) { try await face.catalogue.open(ask, in: face.world).sync(ask) }
    }
    let failing = try await report()
    #expect(failing.state == .failing && failing.stored == 3 && failing.status?.verdict == .complete)
    #expect(failing.missing.map(\.kind) == [.failed] && failing.since == synced + .seconds(86_400))
    #expect(failing.status?.failures?.count == 2 && failing.status?.wholeSince == synced && failing.age == .seconds(2 * 86_400))
    #expect(failing.shortfalls(of: [.complete, .age(below: .seconds(86_400))]).map(\.requirement) == [.age(below: .seconds(86_400))])
  }

  @Test("the worst report comes first, and otherwise the order stays")
  func order() async throws {
    let face = try services.face(store: StoreInMemory())
    let ask = Ask(of: "ports")
    _ = try await face.catalogue.open(ask, in: face.world).sync(ask)
    let reports = try await face.catalogue.reports(on: face.catalogue.sources, in: face.world)
    #expect(reports.map(\.source.name) == ["ports", "piers"] && reports.worstFirst.map(\.source.name) == ["piers", "ports"])
  }
}
