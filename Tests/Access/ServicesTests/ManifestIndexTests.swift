import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Services

/// The index of the manifests in a folder.
struct ManifestIndexTests {
  private let folder: ScratchFolder
  private let index: ManifestIndex

  init() throws {
    folder = try ScratchFolder()
    try folder.folder("sources")
    index = ManifestIndex(folder: folder["sources"], file: folder["cache/index.json"], clock: Later())
  }

  /// A time so late that every change is long ago.
  private struct Later: Timekeeper {
    let now = Moment(secondsSinceEpoch: 1 << 33)
    func sleep(until moment: Moment) async throws {}
  }

  private func write(_ name: String, _ text: String) throws { try folder.write("sources/\(name)", text) }
  private func summaries() throws -> [String] { try index.manifests().flatMap { $0.sources.map(\.summary) } }

  /// Changes the words in the index. They are not found by reading a manifest itself.
  private func markIndex() throws {
    try folder.write("cache/index.json", try folder.text("cache/index.json").replacing("The ", with: "Indexed "))
  }

  @Test("the index has what commands know of a source without reading its file")
  func contents() throws {
    try write("ports.json", manifest("ports", "ships", more: token + #""settings":[{"setting":"PORTS_AREA","default":"north"}],"#))
    let first = try index.manifests()
    let again = try index.manifests()
    #expect(first.map(\.sources) == again.map(\.sources) && first.map(\.settings) == again.map(\.settings))
    let read = try #require(again.first)
    #expect(read.sources.map(\.name) == ["ports", "ships"])
    #expect(read.settings.map(\.name) == ["PORTS_URL", "PORTS_AREA", "PORTS_TOKEN", "PORTS_BUDGET"])
    #expect(read.settings.map(\.kind) == [.address, .text, .secret, .budget])
    #expect(read.sources[0].searches == "title" && !read.sources[0].isEndless && !read.sources[0].hasPictures)
  }

  @Test("the index reads only changed files")
  func renewal() throws {
    try write("a.json", manifest("ports"))
    try write("b.json", manifest("ships"))
    #expect(try summaries() == ["The ports", "The ships"])
    try markIndex()
    #expect(try summaries() == ["Indexed ports", "Indexed ships"])
    try write("b.json", manifest("boats"))
    #expect(try summaries() == ["Indexed ports", "The boats"])
    #expect(unlink(folder["sources/a.json"]) == 0)
    #expect(try summaries() == ["The boats"])
    #expect(try !folder.text("cache/index.json").contains("a.json"))
  }

  @Test("the index notices a replaced file of the same size and the same time of change")
  func replaced() throws {
    try write("a.json", manifest("ports"))
    _ = try index.manifests()
    try write("other", manifest("piers"))
    var old = stat()
    #expect(stat(folder["sources/a.json"], &old) == 0)
    #expect(utimensat(AT_FDCWD, folder["sources/other"], [old.st_atim, old.st_mtim], 0) == 0)
    #expect(rename(folder["sources/other"], folder["sources/a.json"]) == 0)
    #expect(try summaries() == ["The piers"])
  }

  @Test("a file that was read right after a change is read once more")
  func young() throws {
    try write("a.json", manifest("ports"))
    struct Now: Timekeeper {
      let now = Moment(secondsSinceEpoch: 0)
      func sleep(until moment: Moment) async throws {}
    }
    _ = try ManifestIndex(folder: folder["sources"], file: folder["cache/index.json"], clock: Now()).manifests()
    try markIndex()
    #expect(try summaries() == ["The ports"], "the file may have changed again")
    try markIndex()
    #expect(try summaries() == ["Indexed ports"])
  }

  @Test("a broken, cut or foreign index is made anew", arguments: ["", "{", "[]", "null", #"{"format":0}"#, "cut", "folder", "types"])
  func broken(damage: String) throws {
    try write("a.json", manifest("ports"))
    _ = try index.manifests()
    let whole = try folder.text("cache/index.json")
    let damaged =
      switch damage {
      case "cut": String(whole.prefix(whole.count / 2))
      case "folder": whole.replacing("The ", with: "Foreign ").replacing(folder["sources"], with: "/elsewhere")
      case "types": whole.replacing("\"The ports\"", with: "12")
      default: damage
      }
    try folder.write("cache/index.json", damaged)
    #expect(try summaries() == ["The ports"])
    #expect(try folder.text("cache/index.json") == whole)
  }

  @Test("a folder that does not exist has no sources, and no index is written for it")
  func nothing() throws {
    let index = ManifestIndex(folder: folder["nowhere"], file: folder["cache/index.json"])
    #expect(try index.manifests().isEmpty)
    #expect(folder.names() == ["sources"])
  }

  @Test("without a place for the index the files are read each time")
  func noIndex() throws {
    try write("a.json", manifest("ports"))
    for file in [nil, "/dev/null/index.json"] {
      let index = ManifestIndex(folder: folder["sources"], file: file, clock: Later())
      for _ in 0..<2 { #expect(try index.manifests().flatMap { $0.sources.map(\.name) } == ["ports"]) }
    }
  }

  @Test("the index takes files that end in .json, but no folders and no hidden files")
  func which() throws {
    try write("a.json", manifest("ports"))
    try write(".b.json", manifest("ships"))
    try write("c.json.bak", manifest("boats"))
    try folder.folder("sources/d.json")
    try folder.link("sources/e.json", to: "nowhere")
    try folder.pipe("sources/f.json")
    #expect(try summaries() == ["The ports"])
  }

  @Test("the reason why a file cannot be used is told, also from the index")
  func unusable() throws {
    try write("a.json", manifest("ports").replacing("summary", with: "sumary"))
    for _ in 0..<2 {
      let problem = try #require(try index.manifests().first?.problem)
      #expect(problem.message.contains("\(folder["sources"])/a.json") && problem.message.contains("did you mean \"summary\"?"))
    }
    try write("a.json", String(repeating: " ", count: ManifestIndex.largest + 1))
    #expect(try index.manifests().first?.problem?.message.contains("larger than 1024 kB") == true)
  }

  @Test("many processes at once see the same sources", .timeLimit(.minutes(30)))
  func together() async throws {
    let (folder, index) = (folder, ManifestIndex(folder: folder["sources"], file: folder["cache/index.json"]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<8 {
        group.addTask {
          for turn in 0..<20 {
            let name = "s\(round)-\(turn)"
            try folder.write("sources/\(round).json", manifest(name))
            let found = try index.manifests().first { $0.path.hasSuffix("/\(round).json") }
            #expect(found?.sources.map(\.name) == [name])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try index.manifests().flatMap { $0.sources.map(\.name) } == (0..<8).map { "s\($0)-19" })
    #expect(folder.names(in: "cache") == ["index.json"])
  }
}
