import AggregatorCore
import Testing

@testable import PostgresStore

@Suite struct ServerFailureTests {
  @Test(
    "a message of libpq is shown without the parts about libpq",
    arguments: [
      (
        "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running on that host?",
        "connection refused"
      ),
      ("connection to server on socket \"/run/.s.PGSQL.5432\" failed: No such file or directory\n\tIs it?", "no server listens there"),
      ("connection to server on socket \"/run/.s.PGSQL.5432\" failed: fe_sendauth: no password supplied", "no password supplied"),
      ("connection to server at \"h\", port 1 failed: FATAL:  role \"ada\" does not exist", "role \"ada\" does not exist"),
      (
        "connection to server at \"h\", port 1 failed: server does not support SSL, but SSL was required",
        "server does not support SSL, but SSL was required"
      ),
      ("could not translate host name \"db.example\" to address: Name or service not known", "could not resolve host db.example"),
      ("server closed the connection unexpectedly\n\tThis probably means …", "the server closed it"),
      ("SSL connection has been closed unexpectedly", "SSL connection has been closed unexpectedly"), ("", "no reason given"),
    ])
  func plain(text: String, words: String) { #expect(ServerFailure.plain(text) == words) }

  @Test(
    "an error names none of our tables, and the command that it suggests works",
    arguments: [
      (
        "3D000", #"database "notes" does not exist"#,
        .advice("type 'createdb -h db.example -p 5433 -U ada notes'").or(.useAnotherStore)
      ),
      (
        "42501", "permission denied for database notes",
        #"in psql, as the owner, type GRANT CREATE ON DATABASE "notes" TO "ada";"#
      ),
      (
        "42501", "permission denied for table source_info",
        #"in psql, as the owner, type GRANT ALL ON SCHEMA aggregator TO "ada"; GRANT ALL ON ALL TABLES IN SCHEMA aggregator TO "ada";"#
      ),
      (
        "42P01", #"relation "aggregator.source_info" does not exist"#,
        .advice("restore the schema aggregator from a backup").or(.useAnotherStore)
      ),
      ("53100", "could not extend file", .advice("free some space on its disk").or(.useAnotherStore)),
      ("unreachable", "invalid port number", "write postgresql://USER@HOST/DATABASE"),
      ("unreachable", "could not resolve host db.example", .advice("check the address").or(.useAnotherStore)),
      ("unreachable", "connection refused", .advice("start the server").or(.useAnotherStore)),
    ] as [(String, String, Remedy)])
  func advice(code: String, message: String, remedy: Remedy) throws {
    let address = try #require(ServerAddress("postgresql://ada:hidden@db.example:5433/notes"))
    let error = ServerFailure(code: code, message).error(at: address)
    #expect(error.remedy == remedy)
    #expect(error.isOfStore && !error.message.contains("source_info"))
  }

  @Test("the address of a server has a role, a host and a port; parameters after the question mark win")
  func parts() throws {
    let address = try #require(ServerAddress("postgresql://ada@db.example:5433/notes?host=%2Frun&connect_timeout=20"))
    #expect((address.role, address.host, address.port) == ("ada", "/run", "5433"))
    #expect(address.connectingTime == .seconds(20))
    for wrong in ["0", "-1", "x", "99999999999999999999", ""] {
      #expect(ServerAddress("postgresql://[::1]/notes?connect_timeout=\(wrong)")?.connectingTime == nil)
    }
    #expect(ServerAddress("postgresql://[::1]/notes")?.host == "[::1]")
    #expect(ServerAddress("postgresql://[::1]:5/notes")?.port == "5")
  }
}
