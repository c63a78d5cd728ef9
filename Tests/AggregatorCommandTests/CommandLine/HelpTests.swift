import Testing

/// What help shows, and in which order.
struct HelpTests {
  private func help(_ words: String..., columns: Int = 80) async throws -> [String] {
    let outcome = try await expect(InProcess.run(["help"] + words, environment: ["COLUMNS": "\(columns)"]), 0)
    return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("an example that does not fit goes on behind a backslash, and can still be typed")
  func narrow() async throws {
    let lines = try await help("countries", "search", columns: 40)
    #expect(lines.allSatisfy { $0.count <= 40 })
    let examples = lines.drop { $0 != "for example:" }.dropFirst()
    #expect(examples.contains { $0.hasSuffix(" \\") })
    #expect(examples.joined(separator: "\n").contains("aggregator countries search fra \\\n    --limit 3 --format json"))
  }
}
