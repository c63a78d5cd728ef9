import Testing

@testable import PostgresStore

@Suite struct ServerAddressTests {
  @Test(
    "a password is shown nowhere, however it was written",
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
    // What libpq takes for something else, it repeats.
    let part = text.contains("ecretX") ? "secretX" : "cretX"
    let failure = ServerFailure.unreachable("no host \(part)@h").error(at: address)
    if shown != text { #expect(!"\(failure)".contains("cretX")) }
  }

  @Test("anything else is no address", arguments: ["", "store.db", "/a/b", "http://h/db", "postgresql:"])
  func others(text: String) { #expect(ServerAddress(text) == nil) }
}
