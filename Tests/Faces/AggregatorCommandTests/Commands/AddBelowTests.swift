import AggregatorCore
import SourceTesting
import Testing

/// `add` of a list below the records of another source.
@Suite("add below a source") struct AddBelowTests {
  private let server: StandInServer
  private let home: String

  /// Project N has four times N tasks, whose ids begin anew; the first one has none.
  init() throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        let parts = request.target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        func number(_ name: String, _ usual: Int) -> Int {
          request.target.split { "?&".contains($0) }.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
            ?? usual
        }
        if request["X-Api-Key"] != "k3y-of-the-test" {
          connection.answer(status: "401 Unauthorized", "{}")
        } else if parts == ["v1", "projects"] {
          connection.answer(
            #"{"total":4,"rows":[\#((0..<4).map { #"{"id":\#($0),"name":"Project \#($0)"}"# }.joined(separator: ","))]}"#)
        } else if parts.count == 4, parts[3] == "tasks", let project = Int(parts[2]) {
          let all = (0..<project * 4).map { #"{"id":\#($0 + 1),"title":"Task \#($0 + 1) of \#(project)"}"# }
          let some = all.dropFirst(number("offset", 0)).prefix(number("limit", 5))
          connection.answer(#"{"total":\#(all.count),"tasks":[\#(some.joined(separator: ","))]}"#)
        } else {
          connection.answer(status: "404 Not Found", "{}")
        }
      }
    }
    home = try Folder.fresh()
  }

  private var file: String { "\(home)/.config/aggregator/sources/projects.json" }

  private func run(_ words: String..., input: String = "") async throws -> Binary.Outcome {
    let environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
    return try await InProcess.run(Array(words), input: input, environment: environment, in: home)
  }

  private func addParent() async throws {
    let added = try await run(
      "add", "\(server.address("/v1/projects"))", "--key", "header:X-Api-Key", "--whole", "--yes", input: "k3y-of-the-test\n")
    expect(added, 0)
  }

  @Test("the list is found below the first record that has one, and is written beside its parent")
  func below() async throws {
    try await addParent()
    let before = try Folder.read(file)
    let added = try await run("add", "\(server.address("/v1/projects"))/{projects.id}/tasks?offset=0&limit=5", "--yes")
    expect(added, 0)
    #expect(!(added.output + added.errors).contains("k3y"))
    let after = try Folder.read(file)
    #expect(after.hasPrefix(before.prefix(before.count - 12)) && after.contains(#""path": "projects/{projects.id}/tasks""#))
    // The file stays allowed, and tasks of the same number below two projects are two.
    let list = try await expect(run("tasks", "list", "--all", "--format", "json"), 0)
    #expect(list.output.contains(#""verdict":{"kind":"complete""#) && list.output.contains(#""key":"3/1""#))
    #expect(try await run("tasks", "list", "--all", "--count").output == "24\n")
    #expect(try await run("tasks", "show", "2/8").output.contains("Task 8 of 2"))
    // A second one of that name needs another name.
    let again = try await run("add", "\(server.address("/v1/projects"))/{projects.id}/tasks", "tasks", "--yes")
    let unchanged = try Folder.read(file) == after
    #expect(again.code != 0 && unchanged, "\(again.errors)")
  }

  @Test(
    "what cannot be a list below a source is refused, and nothing is written",
    arguments: [
      ("projects/{nothing.id}/tasks", "unknown source"), ("projects/{projects.nid}/tasks", "unknown field"),
      ("projects/x{projects.id}/tasks", "a whole segment of the path"), ("projects?id={projects.id}", "a whole segment of the path"),
      ("projects/{projects.id}/tasks/{projects.name}", "one field"), ("projects/{countries.name}/tasks", "built in"),
      ("projects/{projects.id}/nothing", "404"),
    ])
  func refused(path: String, reason: String) async throws {
    try await addParent()
    let before = try Folder.read(file)
    let outcome = try await run("add", "\(server.address("/v1/"))\(path)", "--yes")
    #expect(outcome.code != 0 && outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(try Folder.read(file) == before)
  }

  @Test("a key goes to no other service, and no other key is taken")
  func otherService() async throws {
    try await addParent()
    let other = try await run("add", "http://127.0.0.1:1/v1/projects/{projects.id}/tasks", "--yes")
    #expect(other.code == 78 && other.errors.contains("not one of the service"), "\(other.errors)")
    let key = try await run("add", "\(server.address("/v1/projects"))/{projects.id}/tasks", "--key", "query:k", "--yes")
    #expect(key.code == 64)
  }
}
