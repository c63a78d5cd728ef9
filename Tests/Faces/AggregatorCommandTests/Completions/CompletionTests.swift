import AggregatorCore
import SourceTesting
import Testing

/// The words that may come next on a command line, as shells ask for them.
@Suite("Completions") struct CompletionTests {
  /// The manner and the values, without their descriptions.
  private func complete(_ line: String..., environment: [String: String] = [:]) async throws -> (manner: String, values: [String]) {
    let outcome = try await expect(InProcess.run(["__complete", "--"] + line, environment: environment), 0, errors: "")
    return (outcome.lines.first ?? "", outcome.lines.dropFirst().map { String($0.prefix { $0 != "\t" }) })
  }

  @Test("completions offer a hundred records at most")
  func many() async throws { #expect(try await complete("countries", "show", "").values.count == 100) }

  @Test("completions offer every option of the command's help, except those on the line")
  func options() async throws {
    let help = try await InProcess.run("help countries list").output
    let named = Set(help.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    #expect(try await Set(complete("countries", "list", "--limit", "3", "--").values) == named.subtracting(["--limit"]))
  }

  @Test("completions know the records of the store that the line names, ask no service, and write nothing")
  func stored() async throws {
    let asked = Signal()
    let warehouse = try FakeProducts(40) { _, _ in
      asked.send()
      return false
    }
    #expect(try await warehouse.run("sync", "--store", "\(warehouse.folder)/own.db").code == 0)
    let requests = warehouse.server.requests.count
    let before = try FakePictureShop.names(in: warehouse.folder)
    let found = try await complete(
      "products", "show", "--store", "\(warehouse.folder)/own.db", "3", environment: warehouse.environment)
    #expect(found.values == ["3"] + (30...39).map(String.init))
    #expect(warehouse.server.requests.count == requests)
    let fresh = try Folder.fresh()
    _ = try await complete(
      "products", "show", "d", environment: ["HOME": fresh, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""])
    #expect(try FakePictureShop.names(in: fresh) == [])
    #expect(try FakePictureShop.names(in: warehouse.folder) == before)
  }

  @Test("completions print no control characters and no secrets")
  func clean() async throws {
    let folder = try Folder.fresh()
    let rows = #"{"id":"a\u001b[31mb","title":"red"}"# + "\n" + #"{"id":"plain","title":"t\u001b]0;x\u0007itle\nof two lines"}"# + "\n"
    let environment = ["XDG_DATA_HOME": folder, "COMIC_VINE_API_KEY": "5ecret-of-the-test"]
    try await expect(InProcess.run(["import", "products", "-"], input: rows, environment: environment), 0)
    let outcome = try await InProcess.run(["__complete", "--", "products", "show", ""], environment: environment)
    // The bundled records follow.
    #expect(outcome.output.hasPrefix("words\nplain\ttitle of two lines\n"))
    #expect(outcome.output.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A })
    let keys = try await InProcess.run(["__complete", "--", "config", "set", ""], environment: environment)
    #expect(keys.output.contains("COMIC_VINE_API_KEY") && !keys.output.contains("5ecret"))
  }

  @Test("completions offer nothing from a store that cannot be read", arguments: ["/dev/null/store.db", "/etc/passwd"])
  func trouble(path: String) async throws {
    let (_, values) = try await complete("users", "why", "--store", path, "")
    #expect(values.allSatisfy { $0.contains("@") })
  }

  @Test("completions for an unknown shell are a usage error")
  func unknown() async throws {
    try await expect(
      InProcess.run("completions fsh"), 64,
      errors: .begins("aggregator: unknown shell \"fsh\"; choose one of bash, zsh, fish\ndid you mean \"completions fish\"?\n"))
  }
}
