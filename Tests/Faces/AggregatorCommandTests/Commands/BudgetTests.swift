import Platform
import Testing

/// Limits that all processes together keep before a service complains.
struct BudgetTests {
  @Test("each resource and each key has a budget of its own, whatever store is used")
  func scopes() async throws {
    let vine = try FakeComicVine(budget: "1/1h")
    #expect(try await vine.run("heroes search spider --live --limit 10").code == 0)
    #expect(try await vine.run("heroes search bat --live --limit 10 --store other.db").code == 75)
    #expect(try await vine.run("heroes list --live --limit 10").code == 0)
    #expect(
      try await vine.run("heroes search bat --live --limit 10", environment: ["COMIC_VINE_API_KEY": "another"]).code == 0)
    #expect(vine.asked.count == 3)
  }

  @Test("a short wait is waited, and --explain tells it", .timeLimit(.minutes(30)))
  func waited() throws {
    // The time is long enough for the second request of a busy machine to come within it; the test does not wait for its end.
    let vine = try FakeComicVine(budget: "1/29s")
    let errors = try Piped()
    let process = try Binary.start(
      "heroes search spider --all --live --explain", environment: vine.environment, in: vine.folder, errors: errors.writing)
    errors.closeWriting()
    let said = errors.read(until: ": the budget of 1/29s for search\n")
    #expect(said.contains("\naggregator: waiting "))
    #expect(said.contains(": the budget of 1/29s for search\n"))
    process.send(SIGINT)
    #expect(process.wait() == 130)
    #expect(vine.asked.count == 1)
  }

  @Test("the list of sources shows the budget, the stored records, and whether the key is set")
  func catalogue() async throws {
    let vine = try FakeComicVine(budget: "100/1h")
    _ = try await vine.run("heroes next --limit 1")
    let fields = ["sources", "--format", "ndjson", "--fields", "name,needsKey,keySet,stored,budget"]
    let row = #"{"name":"heroes","needsKey":true,"keySet":true,"stored":100,"budget":"100/1h"}"#
    #expect(try await InProcess.run(fields, environment: vine.environment).lines.contains(row))
    let unset = try await InProcess.run(fields[0], fields[1], fields[2], fields[3], fields[4])
    #expect(unset.lines.contains(#"{"name":"heroes","needsKey":true,"keySet":false,"stored":0,"budget":"200/1h,1/1s"}"#))
    #expect(unset.errors == "")
  }
}
