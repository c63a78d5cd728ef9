import AggregatorCore
import Platform
import SourceTesting
import Testing

@Suite struct GuideTests {
  // `write-a-source.md` is followed to the letter by `Scripts/test-guide`: its blocks bear the names of files.
  @Test(
    "every Swift snippet of a guide stands in the file that compiles it",
    arguments: [
      ("fixtures.md", "FixturesGuide.swift"), ("combinators.md", "CombinatorsGuide.swift"), ("write-a-store.md", "StoreGuide.swift"),
      ("show-a-list.md", "FeedGuide.swift"), ("build-an-app.md", "AppGuide.swift"), ("ask.md", "AskingGuide.swift"),
      ("../../README.md", "ReadmeGuide.swift"),
    ])
  func snippets(guide: String, source: String) throws {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let root = here.dropLast(3).joined(separator: "/")
    let compiled = try lines("\(here.joined(separator: "/"))/\(source)").joined(separator: "\n")
    let snippets = snippets(in: try text("\(root)/Docs/guides/\(guide)"))
    #expect(!snippets.isEmpty)
    for snippet in snippets { #expect(compiled.contains(snippet), "this is compiled nowhere:\n\(snippet)") }
  }

  /// What stands between fences, line by line, without the indentation, which depends on what is around.
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
