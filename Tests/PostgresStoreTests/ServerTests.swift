import AggregatorCore
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct ServerTests {
  let server: Server

  init() throws { server = Server(try #require(TestServer.address), patience: .seconds(60)) }

  @Test("values come back as they went")
  func values() async throws {
    let texts = ["a", "", "é\u{0}\u{1}b", "{\"x\\"]
    let rows = try await server.read(
      Query("SELECT $1::text, $2::bigint, $3::text, $4::bool", "a\u{0}\u{1}\u{2}", Int.min, nil as String?, true),
      Query("SELECT * FROM unnest($1::text[], $2::bigint[])", SQLList(texts), SQLList([1, .min, .max, 0])))
    let first = try #require(rows[0].first { ($0.text(0), $0.int(1), $0.isNull(2), $0.bool(3)) })
    #expect(first == ("a\u{0}\u{1}\u{2}", .min, true, true))
    #expect(rows[1].map { $0.text(0) } == texts)
    #expect(rows[1].map { $0.int64(1) } == [1, .min, .max, 0])
  }

  @Test("a transaction is committed once, or not at all")
  func transactions() async throws {
    let count = { try await server.read("SELECT count(*) FROM aggregator.write_log").first { $0.int(0) } ?? 0 }
    let before = try await count()
    try await server.write { _ in }
    #expect(try await count() > before)
    await #expect(throws: SourceError.self) { try await server.write { _ = try await $0.run(Query("SELECT 1/0")) } }
    #expect(try await server.write { try await $0.run("SELECT 7").first { $0.int(0) } } == 7)
    // What goes wrong with the COMMIT leaves nothing behind on the connection.
    await #expect(throws: SourceError.self) { try await server.write { $0.queue("SELECT 1/0") } }
    #expect(try await server.write { try await $0.run("SELECT 8").first { $0.int(0) } } == 8)
  }
}
