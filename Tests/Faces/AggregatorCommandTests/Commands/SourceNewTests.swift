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

  @Test("source new --program writes a program, and tells how it is tested and allowed")
  func program() async throws {
    let folder = try Folder.fresh()
    let outcome = try await expect(InProcess.run("source new ports --program", in: folder), 0)
    #expect(
      outcome.lines.suffix(2) == ["now type: \(folder)/ports/test", "and then: PATH=\(folder)/ports:$PATH aggregator source allow ports"])
    #expect(try Binary.shell("ports/test", in: folder).output == "test: 12 items, all well\n")
    try await expect(
      InProcess.run("source new shops --program --core /", in: folder), 64, errors: .has("--core is not used with --program"))
  }

  @Test("source new writes nothing if the checkout cannot be used, or a recording is named")
  func missing() async throws {
    let folder = try Folder.fresh()
    try await expect(InProcess.run("source new ports --core \(folder)", in: folder), 78)
    try await expect(InProcess.run("source new ports none.har", in: folder), 64, errors: .has("'add SPEC NAME' makes a source"))
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
