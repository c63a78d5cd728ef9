import AggregatorCore
import Platform
import SourceTesting
import Testing

/// `--where` on rows of a source in a file.
@Suite("conditions") struct ConditionTests {
  @Test(
    "conditions in words choose the records that a person means",
    arguments: [
      ("status=null", "2"), ("status=", "2"), ("status!=null", "1 3"), ("made=null", "2 3"), ("made!=null", "1"), ("note=\"null\"", "3"),
      ("paid=null", "3"), ("tags=null", "2"), ("tags!=null", "1 3"), ("id in 3,1", "1 3"), ("price in 19.9,1000", "1 2"),
      ("total in 7,0", "2"), ("tags in \"a, b\"", "1"), ("tags!~b", "2 3"), ("note!~say", "2 3"),
      ("status in null,open", "1 2"),
      ("made<yesterday", "1"), ("made>1w", ""), ("made>=2024-02", "1"), ("paid in true,false", "1 2"), ("rest in 470", "2"),
    ])
  func words(condition: String, ids: String) async throws {
    let orders = try await FakeOrders()
    let found = try await expect(orders.run("orders list --fields id --format tsv -q", where: [condition]), 0)
    #expect(found.lines.joined(separator: " ") == ids)
  }

  @Test("a text that is null is told where null means a missing value, also by a count")
  func nullText() async throws {
    let orders = try await FakeOrders()
    let told = "note is the text \"null\" in 1 record, and note=null means a missing value; write note=\"null\" for the text"
    try await expect(orders.run("orders list --where note=null"), 0, errors: .has(told))
    try await expect(orders.run("orders list --count --where note!=null"), 0, output: "3\n", errors: .has("note!=null means"))
    try await expect(orders.run("orders list --where status=null"), 0, errors: .lacks("the text"))
  }

  @Test("a replay counts yesterday and the like from the time of its recording")
  func replay() async throws {
    let orders = try await FakeOrders()
    let rows = ["2025-12-31T23:00:00Z", "2026-01-01T10:00:00Z"].enumerated().map { #"{"id":"\#($0)","made":"\#($1)"}"# }
    let exchange = Exchange(
      TapedRequest("GET", try orders.server.address("/orders")),
      HTTPResponse(status: 200, body: Array("[\(rows.joined(separator: ","))]".utf8)),
      startedAt: Moment(secondsSinceEpoch: 1_767_323_045), took: .milliseconds(50))
    try Folder.write(String(decoding: Fixture("a", exchanges: [exchange]).har, as: UTF8.self), to: "\(orders.folder)/orders.har")
    for (condition, ids) in [("made>=yesterday", "1\n"), ("made<yesterday", "0\n"), ("made>1d", "1\n"), ("made>2d", "0\n1\n")] {
      try await expect(orders.run("orders list --fields id --format tsv --replay . --where \(condition)"), 0, output: .exactly(ids))
    }
  }
}
