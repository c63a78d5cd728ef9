import AggregatorCore
import Platform
import SourceTesting
import Testing

@testable import Services

/// The samples of Docs/guides/the-manifest.md: each piece of a manifest is read, and an answer after it gives the records after that.
@Suite struct ManifestGuideTests {
  private struct Example {
    var members: Value
    var answer: String?
    var records: String?
  }

  private let examples: [Example]

  init() throws {
    let path = #filePath.replacingEach("Tests/Access/ServicesTests/GuideTests.swift", with: "Docs/guides/the-manifest.md")
    let guide = String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self)
    var (examples, open, kind): ([Example], [Substring], Substring?) = ([], [], nil)
    for line in guide.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let block = kind else {
        for language in ["json", "csv", "xml"] where line.hasPrefix("```\(language)") {
          (kind, open) = (line.dropFirst(3 + language.utf8.count), [])
        }
        continue
      }
      guard line == "```" else {
        open.append(line)
        continue
      }
      let text = open.joined(separator: "\n")
      switch block {
      case " answer": examples[examples.count - 1].answer = text
      case " records": examples[examples.count - 1].records = text.isEmpty ? "" : text + "\n"
      default: examples.append(Example(members: try JSON(Array("{\(text)}".utf8)).value))
      }
      kind = nil
    }
    self.examples = examples
  }

  @Test("every example of the guide is read, and gives the records that the guide shows")
  func pieces() async throws {
    #expect(examples.count > 20 && examples.filter { $0.records != nil }.count > 6)
    for example in examples {
      let manifest = try Manifest(self.manifest(with: example.members).bytes, file: "shop.json")
      for source in manifest.sources { _ = try manifest.source(source.name) }
      guard let answer = example.answer, let records = example.records else { continue }
      let transport = StubTransport(playing: .json(answer))
      var world = World(settings: Settings(declared: manifest.settings), transport: transport)
      world.terms.reach = .live
      var walk = Walk(try manifest.source(manifest.sources[0].name).source(in: world))
      var text = ""
      while let page = try await walk.nextPage() { for row in page { text += String(decoding: row.value.bytes, as: UTF8.self) + "\n" } }
      #expect(text == records)
      #expect(walk.summary.verdict == .complete)
    }
  }

  @Test("the file of the first guide describes its source")
  func first() throws {
    let path = #filePath.replacingEach("Tests/Access/ServicesTests/GuideTests.swift", with: "Docs/guides/a-source-in-a-file.md")
    let guide = String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self)
    let rest = try #require(guide.split(separator: "```json pokemon.json\n").last)
    let file = rest.split(separator: "```")[0]
    #expect(try Manifest(Array(file.utf8), file: "pokemon.json").sources.map(\.name) == ["pokemon"])
  }

  @Test("the guide shows every member of a manifest")
  func members() throws {
    var shown: Set<String> = []
    func visit(_ value: Value) {
      switch value {
      case .object(let members):
        for member in members {
          shown.insert(member.name)
          visit(member.value)
        }
      case .list(let elements): for element in elements { visit(element) }
      default: break
      }
    }
    for example in examples { visit(example.members) }
    let path = "\(ExampleServices.folder)/source.schema.json"
    func names(_ value: Value) -> [String] {
      guard case .object(let members) = value else { return [] }
      let own: [String] = if case .object(let properties)? = value["properties"] { properties.map(\.name) } else { [] }
      // Conditions name members of the object that contains them.
      return own + members.filter { !["allOf", "dependentSchemas", "if", "then"].contains($0.name) }.flatMap { names($0.value) }
    }
    let missing = Set(names(try JSON(SystemFiles().read(path, upTo: 1 << 20).bytes).value)).subtracting(shown)
    #expect(missing.isEmpty)
  }

  /// A manifest of one list that is otherwise as plain as possible.
  private func manifest(with members: Value) throws -> Value {
    guard case .object(let members) = members else { return members }
    let top = ["$schema", "aggregator", "address", "settings", "keys", "headers", "budget", "errors", "sources"]
    var manifest: Value = ["aggregator": 1, "address": ["setting": "SHOP_URL", "default": "https://shop.example/api/"]]
    var source: Value = [
      "summary": "Goods", "list": ["path": "goods"], "rows": "rows", "key": "id", "fields": [["name": "id"]], "paging": ["by": "whole"],
    ]
    for member in members where top.contains(member.name) { manifest = manifest.with(member) }
    for member in members where !top.contains(member.name) { source = source.with(member) }
    // The rows of csv are at no path.
    if source["body"] == "csv" { source = source.with(Member(name: "rows", value: "")) }
    return manifest["sources"] == nil ? manifest.with(Member(name: "sources", value: ["goods": source])) : manifest
  }
}

extension Value {
  fileprivate func with(_ member: Member) -> Value {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != member.name } + [member])
  }
}
