import AggregatorCore
import Recordings
import Services
import Testing

@testable import Authoring

/// Walks over a recording in a written package. `Scripts/test-scaffold` shows that everything compiles and keeps every law.
@Suite struct TapedWalkTests {
  @Test("a recorded walk is replayed to its end")
  func whole() async throws {
    let written = try await EjectedPackage("keyset")
    #expect(try written.fixture.exchanges.count == 3)
    #expect(written.tests.contains("#expect(verdict == .complete)"))
    #expect(written.tests.contains("records.count == 5"))
  }

  @Test("the pages of a recording that ends before its list are tested")
  func ending() async throws {
    let written = try await EjectedPackage("single")
    #expect(written.readme.contains("weak guesses to check:\n  paging: offset by query \"offset\""))
    #expect(written.tests.contains("try await walk(pages: 1)"))
    #expect(written.tests.contains("the recorded pages are read"))
  }

  @Test("a search that was recorded is tested, too")
  func search() async throws {
    let written = try await EjectedPackage("offset")
    #expect(written.tests.contains(#"try await walk(.matching("dublin"))"#))
  }

  @Test("requests that do not belong to the list are left out")
  func strangers() async throws {
    let addresses = try await EjectedPackage("mixed").fixture.exchanges.map(\.request.address)
    #expect(addresses.map(\.path) == ["/api/teas", "/api/teas", "/api/teas/search"])
  }

  @Test("a recorded request that the source would never send is an error that shows both, and nothing is written")
  func otherwise() async throws {
    let manifest =
      #"{"aggregator":1,"address":{"setting":"THINGS_URL","default":"https://api.example/"},"sources":{"things":{"#
      + #""summary":"Things","list":{"path":"things","query":{"offset":"{offset}","limit":"{size}"}},"rows":"","key":"id","#
      + #""fields":[{"name":"id","type":"integer"}],"paging":{"by":"offset","size":2,"end":"empty"}}}}"#
    let rows = #"[{"id":1},{"id":2}]"#
    // The second page was asked for after the first three rows.
    let error = await #expect(throws: SourceError.self) {
      try await EjectedPackage(manifest: manifest, over: [("things?offset=0&limit=2", rows), ("things?offset=3&limit=2", rows)])
    }
    #expect(
      error?.message
        == "the source would send something else than was recorded: GET https://api.example/things was not recorded; "
        + "the closest in things.har has offset=3 instead of 2")
  }
}
