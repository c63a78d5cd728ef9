import AggregatorCore
import Asking
import SourceTesting
import Testing

/// What a face reports of sources without a word of its own.
struct ReportTests {
  private let services = TestServices()

  @Test("each service is asked once; one that fails is told with the class of its error, beside one that answers")
  func checkups() async throws {
    services.break("ports")
    let face = try services.face()
    let checkups = try await face.catalogue.checkups(in: face.world)
    #expect(checkups.map(\.name) == ["ports", "piers"] && checkups.map(\.status) == [.fail, .ok])
    #expect(checkups.map(\.kind) == [.unavailable, nil] && checkups.map(\.wasReached) == [true, true])
    #expect(checkups[0].detail == "the service failed" && checkups[1].detail.hasSuffix(", 3 records"))
  }

  @Test("a service that does not answer by the deadline is told, and more time is the cure")
  func deadline() async throws {
    let (gate, _) = services.hold("ports")
    let face = try services.face()
    let clock = try #require(face.world.clock as? TestClock)
    let asking = Task { try await face.catalogue.checkups(in: face.world, until: clock.now + .seconds(1)) }
    try await gate.arrivals(atLeast: 1)
    clock.advance(by: .seconds(2))
    gate.open()
    let checkup = try #require(try await asking.value.first)
    #expect(checkup.status == .fail && checkup.cure == .allowMoreTime && checkup.wasReached == false, "\(checkup)")
  }

  @Test("a report on a source says how many of its records are stored, and which can be done with it")
  func sources() async throws {
    let store = StoreInMemory()
    let face = try services.face(store: store)
    let ask = Ask(of: "piers")
    _ = try await face.catalogue.open(ask, in: face.world).sync(ask)
    let stored = try await face.catalogue.storedCounts(in: store)
    #expect(stored == ["ports": 0, "piers": 3])
  }
}
