import AggregatorCore
import Platform
import SourceTesting
import Testing

@Suite struct GuideTests {
  // `write-a-source.md` is followed to the letter by `Scripts/test-guide`: its blocks bear the names of files.
  @Test(
    "every Swift snippet of a guide is part of a file that is compiled",
    arguments: [
      ("fixtures.md", "FixturesGuide.swift"), ("combinators.md", "CombinatorsGuide.swift"),
      ("write-a-store.md", "../../StoreTestingTests/FolderStore.swift ../../StoreTestingTests/FolderStoreTests.swift"),
      ("show-a-list.md", "FeedGuide.swift"), ("build-an-app.md", "AppGuide.swift"), ("ask.md", "AskingGuide.swift"),
      ("verify-a-source.md", "../Laws/ToldModelTests.swift"),
      ("a-source-in-a-file.md", "../../../Access/ServicesTests/DescribedSourceTests.swift"), ("../../README.md", "ReadMeGuide.swift"),
    ])
  func snippets(guide: String, sources: String) throws {
    let compiled = try sources.split(separator: " ").flatMap { try lines("\(Self.here)/\($0)") }.joined(separator: "\n")
    let snippets = snippets(in: try text("\(Self.guides)/\(guide)"))
    #expect(!snippets.isEmpty)
    for snippet in snippets { #expect(compiled.contains(snippet), "this is compiled nowhere:\n\(snippet)") }
  }

  @Test("every Swift snippet about a real service is part of the example over GraphQL")
  func realService() throws {
    let examples = Self.guides + "/../../Examples"
    let files = ["Sources/Orders/Order", "Sources/Orders/OrdersService", "Sources/Orders/Source+Orders", "Tests/OrdersTests/OrdersTests"]
    let compiled = try files.flatMap { try lines("\(examples)/\($0).swift") }.joined(separator: "\n")
    for snippet in snippets(in: try text("\(Self.guides)/a-real-service.md")) {
      #expect(compiled.contains(snippet), "this is compiled nowhere:\n\(snippet)")
    }
  }

  @Test("every law and every hazard has its paragraph: what it is, what breaks it, and an example")
  func lawsAndHazards() throws {
    let guide = try text("\(Self.guides)/verify-a-source.md").split(separator: "\n\n").filter { $0.hasPrefix("**") }
    let paragraphs = guide.map { String($0).replacingEach("\n", with: " ") }
    let names = Law.allCases.map(\.rawValue) + Hazard.allCases.map(\.rawValue)
    try #require(paragraphs.map { String($0.dropFirst(2).prefix { $0 != "*" }) } == names)
    let verification = Self.guides + "/../../Sources/Kit/Authoring"
    let code = try text("\(verification)/Laws/Law.swift") + text("\(verification)/Hazards/Hazard.swift")
    for (paragraph, name) in zip(paragraphs, names) {
      let word = paragraph.dropFirst("**\(name)** (`.".count).prefix { $0 != "`" }
      #expect(code.contains("case \(word) = \"\(name)\"\n"), "\(name) is not called .\(word)")
      let parts = paragraph.split(separator: ": ", maxSplits: 1).last?.split(separator: "*Broken by* ") ?? []
      let texts = parts.flatMap { $0.split(separator: "*For example* ") }
      #expect(texts.count == 3 && texts.allSatisfy { $0.count > 10 }, "\(paragraph)")
    }
  }

  private static let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  private static let guides = here + "/../../../../Docs/guides"

  /// Returns the Swift blocks of a guide. Their lines have no indentation, because guide and code indent differently.
  private func snippets(in guide: String) -> [String] {
    var snippets: [String] = []
    var open: [String]?
    for line in guide.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```swift" {
        open = []
      } else if line.hasPrefix("```"), let lines = open {
        snippets.append(lines.joined(separator: "\n"))
        open = nil
      } else {
        open?.append(bare(line))
      }
    }
    return snippets
  }

  private func lines(_ path: String) throws -> [String] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false).map(bare)
  }

  private func bare(_ line: Substring) -> String { String(line.drop { $0 == " " }) }

  private func text(_ path: String) throws -> String { String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self) }
}
