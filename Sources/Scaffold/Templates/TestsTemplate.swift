import AggregatorCore

/// The tests: every law under every hazard, and what was recorded, read again.
struct TestsTemplate {
  let plan: Plan

  private var name: SourceName { plan.name }
  private var searchName: String { "\(name.text)-search" }

  var code: String {
    let fixtures = [name.text, plan.search == nil ? nil : searchName].compactMap { $0 }.map(SwiftText.literal).joined(separator: ", ")
    return """
      \(Layout.imports(["AggregatorCore", name.module, "SourceTesting", "SourceTestingTraits", "Testing"]))

      @Suite struct \(name.module)Tests {
        @Test("every law is kept under every hazard")
        func laws() async throws {
          let report = await Conformance(of: .\(name.member), fixture: try .beside(\(fixtures))).report()
          #expect(report.isPassed, "\\(report)")
        }

      \(test("what was recorded is read whole", "list", name.text, plan.walk))
      \(plan.search.map { test("what was searched for is found", "search", searchName, $0) + "\n" } ?? "")
        /// A walk over the running test's recording: the records, as their fields describe them, and how it ended.
        private func walk(_ query: Query = .everything, pages: Int? = nil) async throws -> (records: [Value], verdict: Verdict?) {
          func walk(_ source: some DataSource) async throws -> (records: [Value], verdict: Verdict?) {
            var walk = Walk(source, query, bounds: Bounds(pages: pages))
            var records: [Value] = []
            while let items = try await walk.nextPage() { records += items.map { source.schema.value(of: $0) } }
            return (records, walk.summary.verdict)
          }
          return try await walk(SourceDescriptor.\(name.member).source(replaying: Fixture.current))
        }
      }

      """
  }

  private func test(_ sentence: String, _ function: String, _ fixture: String, _ walk: FixturePlan) -> String {
    let query = walk.text.map { ".matching(\(SwiftText.literal($0)))" }
    let pages = walk.isComplete ? nil : "pages: \(walk.exchanges.count)"
    let arguments = [query, pages].compactMap { $0 }.joined(separator: ", ")
    var lines = [
      "    let (records, \(walk.isComplete ? "verdict" : "_")) = try await walk(\(arguments))",
      "    #expect(records.count == \(walk.ids.count))",
    ]
    if let title = walk.firstTitle, let field = plan.record.title {
      lines.append(
        Layout.call("#expect", ["records.first?[\(SwiftText.literal(field.label))] == .text(\(SwiftText.literal(title)))"], indent: 4))
    }
    if walk.isComplete { lines.append("    #expect(verdict == .complete)") }
    return """
        @Test(\(SwiftText.literal(sentence)), .fixture(\(SwiftText.literal(fixture))))
        func \(function)() async throws {
      \(lines.joined(separator: "\n"))
        }

      """
  }
}
