import Testing

/// `source verify`: the conformance suite from the command line.
struct SourceVerifyTests {
  @Test("a source that keeps every law is 0, with the matrix on standard output and the count beside it")
  func passed() async throws {
    let outcome = try await expect(InProcess.run("source verify countries"), 0, output: .has("\nHTML with 200 "))
    #expect(!outcome.output.contains(" ✗ ✓"))
    #expect(outcome.errors.hasPrefix("countries: "))
    #expect(outcome.errors.contains(" 0 failed"))
  }

  @Test("in JSON every check is an item")
  func json() async throws {
    let outcome = try await InProcess.run("source verify countries --format json")
    #expect(outcome.output.hasPrefix(#"[{"hazard":"calm","law":"pages end","outcome":"passed","detail":null}"#))
  }
}
