import Platform
import SourceTesting
import Testing

@Suite("export") struct ExportCommandTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  private func run(_ words: String...) async throws -> Binary.Outcome { try await InProcess.run(words, in: folder) }

  @Test("several lists go into one file, in the order of the line, each with its verdict")
  func several() async throws {
    try await expect(run("export", "all.md", "products", "countries", "products"), 0)
    let text = try Folder.read("\(folder)/all.md")
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("## ") } == ["## products", "## countries"])
    #expect(text.contains("250 records; complete in the bundled data; using bundled data"))
  }

  @Test("a list that cannot be read costs itself alone: the file says that it is missing, and is not called whole")
  func missing() async throws {
    let source = """
      {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "http://127.0.0.1:1/"}, "sources": {"shop": {"summary": "Goods", "list": {"path": "a"}, "rows": "",
      "key": "id", "paging": {"by": "whole"}, "fields": [{"name": "id"}]}}}
      """
    _ = try Binary.shell("mkdir sources", in: folder)
    try Folder.write(source, to: "\(folder)/sources/shop.json")
    for ending in ["md", "html"] {
      try await expect(
        run("export", "all.\(ending)", "shop", "countries", "--sources", "sources"), 69,
        errors: .has("all.\(ending).partial", "shop sync' to store it"))
      let text = try Folder.read("\(folder)/all.\(ending).partial")
      #expect(text.contains("Missing: ") && text.contains("250 records"))
    }
  }

  @Test("no file is left if no list could be read")
  func nothing() async throws {
    try await expect(run("export", "all.html"), 69, errors: .has("nothing is stored"))
    try await expect(run("export", "all.html", "nope"), 64, errors: .has("unknown source"))
    #expect(try Binary.shell("ls -A", in: folder).output.contains("html") == false)
  }

  @Test("a format with room for one list takes one source")
  func oneList() async throws {
    try await expect(
      run("export", "a.parquet", "countries", "products"), 64, errors: .has("a parquet file holds one list; name one source"))
    try await expect(run("export", "a.csv", "countries"), 0)
    try await expect(run("export", "a.nope", "countries"), 64, errors: .has("export needs a file that ends with one of .txt, .json"))
  }
}
