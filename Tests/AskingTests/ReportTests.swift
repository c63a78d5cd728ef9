import AggregatorCore
import Asking
import SourceTesting
import Testing

/// Reports of sources as values, which a face puts into words.
struct ReportTests {
  private let services = TestServices()

  @Test("each service is asked once; a failing one is told with the class of its error, beside one that answers")
  func checkups() async throws {
    services.break("ports")
    let face = try services.face()
    let checkups = try await face.catalogue.checkups(in: face.world)
    #expect(checkups.map(\.name) == ["ports", "piers"] && checkups.map(\.status) == [.fail, .ok])
    #expect(checkups.map(\.errorClass) == [.unreachable, nil] && checkups.map(\.wasReached) == [true, true])
    #expect(checkups[0].detail == "the service failed" && checkups[1].detail.hasSuffix(", 3 records"))
  }

  @Test("the number of records in a store is known for each source")
  func stored() async throws {
    let store = StoreInMemory()
    let face = try services.face(store: store)
    let ask = Ask(of: "piers")
    _ = try await face.catalogue.open(ask, in: face.world).sync(ask)
    #expect(try await face.catalogue.storedCounts(in: store) == ["ports": 0, "piers": 3])
  }
}
