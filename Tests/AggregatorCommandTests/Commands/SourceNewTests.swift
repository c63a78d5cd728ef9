import Testing

/// `source new`, typed by a person; its files are tested where they are made.
@Suite struct SourceNewTests {
  @Test("source new writes a package, and tells the next command to type")
  func new() async throws {
    let folder = try Folder.fresh()
    let outcome = try await expect(InProcess.run("source new ports --dir src", in: folder), 0)
    #expect(outcome.lines.first == "wrote ports to \(folder)/src/ports")
    #expect(outcome.lines.last == "now type: cd \(folder)/src/ports && swift test")
    #expect(try Folder.read("\(folder)/src/ports/Package.swift").contains(#".package(name: "aggregator", path: "/"#))

    try await expect(
      InProcess.run("source new ports --dir \(folder)/src"), 74, errors: .has("already exists; nothing was written"))
  }

  @Test("source new tells its guesses from a recording, the weak ones with their reason")
  func recording() async throws {
    let folder = try Folder.fresh()
    try Folder.write(
      #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-01-02T03:04:05Z","#
        + #""request":{"method":"GET","url":"https://a.example/v1/teas?offset=0&limit=2"},"#
        + #""response":{"status":200,"content":{"text":"{\"teas\":[{\"id\":1,\"name\":\"Assam\"},{\"id\":2,\"name\":\"\\u001b[31m\"}]}"}}}]}}"#,
      to: "\(folder)/teas.har")
    let outcome = try await expect(InProcess.run("source new teas teas.har --yes", in: folder), 0)
    #expect(outcome.lines.contains("  rows: teas (strong)"))
    #expect(outcome.output.contains("weak guesses to check:\n  paging: offset by query \"offset\""))
  }

  @Test("source new writes nothing if the checkout or the recording cannot be used")
  func missing() async throws {
    let folder = try Folder.fresh()
    try await expect(InProcess.run("source new ports --core \(folder)", in: folder), 78)
    try await expect(InProcess.run("source new ports none.har", in: folder), 78)
    #expect(try Binary.shell("ls -A", in: folder).output == "")
  }
}

/// `source verify`: the conformance suite from the command line.
struct SourceVerifyTests {
  @Test("source verify exits 0 for a source that keeps every law, with the matrix on standard output")
  func passed() async throws {
    let outcome = try await expect(InProcess.run("source verify countries"), 0, output: .has("\nHTML with 200 "))
    #expect(!outcome.output.contains(" ✗ ✓"))
    #expect(outcome.errors.hasPrefix("countries: "))
    #expect(outcome.errors.contains(" 0 failed"))
  }

  @Test("source verify prints every check as an item of JSON")
  func json() async throws {
    let outcome = try await InProcess.run("source verify countries --format json")
    #expect(outcome.output.hasPrefix(#"[{"hazard":"calm","law":"pages end","outcome":"passed","detail":null}"#))
  }
}
