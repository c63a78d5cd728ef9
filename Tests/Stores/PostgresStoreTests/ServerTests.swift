import AggregatorCore
import StoreTables
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct ServerTests {
  let server: DatabaseServer

  init() throws { server = DatabaseServer(try #require(TestServer.address), patience: .seconds(60)) }

  @Test("values are read back from a server unchanged")
  func values() async throws {
    let texts = ["a", "", "é\u{0}\u{1}b", "{\"x\\"]
    let rows = try await server.read(
      ServerQuery("SELECT $1::text, $2::bigint, $3::text, $4::bool", "a\u{0}\u{1}\u{2}", Int.min, nil as String?, true),
      ServerQuery("SELECT * FROM unnest($1::text[], $2::bigint[])", SQLList(texts), SQLList([1, .min, .max, 0])))
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
    await #expect(throws: SourceError.self) { try await server.write { _ = try await $0.run(ServerQuery("SELECT 1/0")) } }
    #expect(try await server.write { try await $0.run("SELECT 7").first { $0.int(0) } } == 7)
    // An error at the COMMIT leaves no trace on the connection.
    await #expect(throws: SourceError.self) { try await server.write { $0.queue("SELECT 1/0") } }
    #expect(try await server.write { try await $0.run("SELECT 8").first { $0.int(0) } } == 8)
  }

  @Test("a caller whose time is over says nothing about the server: the next one is answered", arguments: [0, 20, 90])
  func lateCaller(left: Int) async throws {
    let server = server
    let failure = try await Deadline.keep(until: SystemTime().now + .milliseconds(left), by: SystemTime()) {
      do {
        _ = try await server.read("SELECT pg_sleep(1)")
      } catch let error as SourceError {
        return "\(error)"
      }
      return "an answer"
    }
    #expect(failure.contains("did not answer in time"), "\(failure)")
    #expect(try await server.read("SELECT 9").first { $0.int(0) } == 9)
  }
}

@Suite struct ServerAddressTests {
  @Test(
    "a password is never shown, in any spelling of the address",
    arguments: [
      ("postgresql://u:secretX@h/db", "postgresql://u:•••@h/db"), ("postgres://u:se?cretX@h:1/db", "postgres://u:•••@h:1/db"),
      ("postgresql://u:se/cretX@h/db", "postgresql://u:•••@h/db"), ("postgresql://u:se@cretX@h/db", "postgresql://u:•••@h/db"),
      ("postgresql://u:%73ecretX@h/db?sslmode=require", "postgresql://u:•••@h/db?sslmode=require"),
      ("postgresql://h/db?pass%77ord=secretX&user=u", "postgresql://h/db?pass%77ord=•••&user=u"),
      ("postgresql://h/db?user=u;password=secretX", "postgresql://h/db?user=•••"),
      ("postgresql://h/db?sslpassword=secretX", "postgresql://h/db?sslpassword=•••"),
      ("Postgresql://u:secretX@h/db", "postgresql://u:•••@h/db"), ("postgresql:///db?host=/tmp", "postgresql:///db?host=/tmp"),
    ])
  func masked(text: String, shown: String) throws {
    let address = try #require(ServerAddress(text))
    #expect(address.description == shown && "\(address)" == shown)
    #expect(!"\(String(reflecting: address))".contains("cretX"))
    // If libpq takes the password for another part, it repeats it.
    let part = text.contains("ecretX") ? "secretX" : "cretX"
    let failure = ServerFailure.unreachable("no host \(part)@h").error(at: address)
    if shown != text { #expect(!"\(failure)".contains("cretX")) }
  }

  @Test(
    "a path, a web address or an incomplete text is not the address of a server",
    arguments: ["", "store.db", "/a/b", "http://h/db", "postgresql:"])
  func others(text: String) { #expect(ServerAddress(text) == nil) }
}
