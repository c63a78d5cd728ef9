import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Services

/// The sources of manifests among the built-in sources.
struct ManifestFoldersTests {
  private let home: ManifestHome

  init() throws { home = try ManifestHome() }

  private func builtIn(_ name: String) throws -> SourceDescriptor {
    let schema = try Schema<LooseRecord>([LooseField("id")], id: "id")
    return Source(name, name, of: schema, live: { _ -> ManifestRecords in throw CancellationError() }).descriptor
  }

  @Test("sources of manifests come after the built-in ones, and their files are read when they are asked for")
  func order() throws {
    try home.write("b.json", manifest("ports", "ships"))
    try home.write("a.json", manifest("boats", setting: "BOATS_URL"))
    let catalogue = try home.catalogue([builtIn("heroes")])
    #expect(catalogue.sources.map(\.name) == ["heroes", "boats", "ports", "ships"])
    #expect(catalogue.sources.map(\.file) == [nil, home.path("a.json"), home.path("b.json"), home.path("b.json")])
    #expect(catalogue.omissions.isEmpty)
    #expect(catalogue.settings.map(\.name) == ["BOATS_URL", "BOATS_BUDGET", "PORTS_URL", "PORTS_BUDGET"])
    // Nothing of the file is needed before.
    #expect(unlink(home.path("b.json")) == 0)
    #expect(try #require(catalogue["ports"]).summary == "The ports")
    let world = World(settings: Settings(declared: []), transport: EmptyListTransport())
    let error = #expect(throws: SourceError.self) { try catalogue["ports"]?.open(in: world) }
    #expect(error?.message == "cannot read \(home.path("b.json")): no such file")
  }

  @Test("a name of a command is refused, with the file")
  func reserved() throws {
    try home.write("a.json", manifest("search", "ports"))
    let catalogue = try home.catalogue(reserved: ["search"])
    #expect(catalogue.sources.map(\.name) == ["ports"])
    let reason = try #require(catalogue.omission(of: "search")).reason
    #expect(reason.message == "a source cannot be named \"search\", as in \(home.path("a.json")): a command has that name")
  }

  @Test("a name in two files belongs to neither, and both files are named")
  func twice() throws {
    try home.write("a.json", manifest("ports", "ships"))
    try home.write("b.json", manifest("boats", "ports", setting: "B_URL"))
    let catalogue = try home.catalogue()
    #expect(catalogue.sources.map(\.name) == ["ships", "boats"])
    #expect(catalogue.omissions.map(\.name) == ["ports"])
    let reason = try #require(catalogue.omission(of: "ports")).reason
    #expect(reason.message == "more than one file names a source \"ports\": \(home.path("a.json")) and \(home.path("b.json"))")
  }

  @Test("a name that is built in keeps its source")
  func builtIn() throws {
    try home.write("a.json", manifest("heroes"))
    let catalogue = try home.catalogue([builtIn("heroes")])
    #expect(catalogue.sources.map(\.file) == [nil])
    #expect(try #require(catalogue.omission(of: "heroes")).reason.message.contains("is not used: one of that name is built in"))
  }

  @Test("a file that cannot be used does not affect the others")
  func broken() throws {
    try home.folder.write(".config/aggregator/sources/a.json", "{")
    try home.write("b.json", manifest("ports"))
    let catalogue = try home.catalogue()
    #expect(catalogue.sources.map(\.name) == ["ports"])
    #expect(catalogue.omissions.map(\.name) == [nil] && catalogue.omissions[0].reason.message.hasPrefix(home.path("a.json")))
  }

  @Test("manifests are found in the person's folder and in the named one, which may be the same")
  func folders() throws {
    try home.write("a.json", manifest("ports"))
    try home.folder.folder("more")
    try home.folder.write("more/b.json", manifest("ships", setting: "SHIPS_URL"))
    let places = Folders(environment: ["HOME": home.folder.path])
    func names(_ folder: String) throws -> [String] {
      try Catalogue([]).adding(ManifestFolders(places, named: folder), reserved: []).sources.map(\.name)
    }
    #expect(try names(home.folder["more"]) == ["ports", "ships"])
    #expect(try names(home.folders.own ?? "") == ["ports"])
    #expect(try names((home.folders.own ?? "") + "/") == ["ports"])
    let catalogue = try Catalogue([]).adding(ManifestFolders(places, named: home.path("a.json")), reserved: [])
    #expect(catalogue.sources.map(\.name) == ["ports"])
    #expect(catalogue.omissions.map(\.reason.message) == ["cannot read the folder \(home.path("a.json")): Not a directory"])
  }

  @Test("a setting that one file calls a secret is a secret for all")
  func secrets() throws {
    try home.write("a.json", manifest("ports", more: #""settings":[{"setting":"SHARED"}],"#))
    try home.write("b.json", manifest("ships", setting: "B_URL", more: #""keys":[{"setting":"SHARED","query":"k"}],"#))
    #expect(try home.catalogue().settings.filter { $0.name == "SHARED" }.map(\.kind) == [.secret])
  }
}

/// Files that a person adds and removes.
struct AddedManifestTests {
  private let home: ManifestHome

  init() throws {
    home = try ManifestHome()
    try home.folder.folder("given")
  }

  private func add(_ name: String, _ text: String, as own: String? = nil, finish: (() throws -> Void)? = nil) throws -> ManifestContents {
    let path = try home.folder.write("given/\(name)", text)
    let (contents, catalogue) = (try ManifestContents(at: path), try home.catalogue())
    let target = try home.folders.path(of: contents, named: own ?? name, in: catalogue, reserved: ["search"])
    let companion = { (name: String) in try contents.manifest.contents(of: name) }
    return try home.folders.add(contents, at: target, beside: catalogue, with: companion, finish: finish)
  }

  private var names: [String] { home.folder.names(in: ".config/aggregator/sources") }

  @Test("an added manifest is in the person's folder with the files it names, and is allowed what it asks for")
  func added() throws {
    let text = manifest("ports", more: token).replacing("\"key\":\"id\"", with: #""key":"id","bundled":"p.ndjson","recording":"p.har""#)
    #expect(throws: SourceError.self) { try add("ports.json", text) }
    #expect(names.isEmpty, "the files that it names are missing")
    try home.folder.write("given/p.ndjson", #"{"id":"1","title":"Oslo"}"#)
    try home.folder.write("given/p.har", "{}")
    let added = try add("ports.json", text)
    #expect(names == ["p.har", "p.ndjson", "ports.json"])
    #expect(home.folders.permissions.state(of: added) == .allowed)
    // Adding it again changes nothing.
    #expect(try add("ports.json", text).bytes == added.bytes)
    #expect(try home.folders.remove("ports", from: added, beside: home.catalogue()))
    #expect(names.isEmpty)
    #expect(home.folders.permissions.state(of: added) == .missing)
  }

  @Test("an added manifest is removed again if a later step of adding fails, but only by the process that made the file")
  func finished() throws {
    let text = manifest("ports", more: token)
    #expect(throws: CancellationError.self) { try add("ports.json", text, finish: { throw CancellationError() }) }
    #expect(names.isEmpty)
    let added = try add("ports.json", text, finish: { #expect(names == ["ports.json"]) })
    let error = #expect(throws: SourceError.self) { try add("ports.json", text, finish: { Issue.record("the file existed already") }) }
    #expect(error?.message.contains("ports.json is there already") == true)
    #expect(names == ["ports.json"] && home.folders.permissions.state(of: added) == .allowed)
  }

  @Test("adding a manifest replaces no other file that is there already")
  func existing() throws {
    let first = try add("ports.json", manifest("ports"))
    #expect(throws: SourceError.self) { try add("other.json", manifest("ships"), as: "ports.json") }
    try home.folder.write("given/p.ndjson", "{}")
    try home.folder.write(".config/aggregator/sources/p.ndjson", "mine")
    let text = manifest("boats").replacing("\"key\":\"id\"", with: #""key":"id","bundled":"p.ndjson""#)
    let error = #expect(throws: SourceError.self) { try add("boats.json", text) }
    #expect(error?.message.contains("p.ndjson is there already, and is another file") == true)
    #expect(try names == ["p.ndjson", "ports.json"] && home.folder.text(".config/aggregator/sources/p.ndjson") == "mine")
    #expect(try home.folder.bytes(".config/aggregator/sources/ports.json") == first.bytes)
  }

  @Test("a name that would replace another source is refused before anything is written")
  func taken() throws {
    _ = try add("ports.json", manifest("ports"))
    for (text, words) in [(manifest("ports", "ships"), "more than one file"), (manifest("search"), "a command has that name")] {
      let error = #expect(throws: SourceError.self) { try add("other.json", text) }
      #expect(error?.message.contains(words) == true)
    }
    #expect(names == ["ports.json"])
  }

  @Test(
    "an added manifest gets a name that stays in the folder and is found there",
    arguments: [
      ("ports.json", "ports.json"), ("ports", "ports.json"), (".hidden.json", "hidden.json"), ("..", "source.json"),
      ("a b/ü.json", "a-b--.json"), ("-rf.json", "rf.json"), ("", "source.json"), ("a.JSON", "a.JSON.json"),
    ])
  func fileNames(name: String, clean: String) { #expect(ManifestFolders.fileName(name) == clean) }

  @Test(
    "one source is removed from its file, which otherwise stays as written and stays allowed", arguments: ["ports", "ships", "boats"])
  func oneOfThree(name: String) throws {
    let text = manifest("ports", "ships", "boats", more: token).replacing("},\"", with: "} ,\n  \"")
    let added = try add("all.json", text)
    #expect(try !home.folders.remove(name, from: added, beside: home.catalogue()))
    let rest = try ManifestContents(at: home.path("all.json"))
    #expect(rest.manifest.sources.map(\.name) == ["ports", "ships", "boats"].filter { $0 != name })
    #expect(home.folders.permissions.state(of: rest) == .allowed)
    let left = try home.folder.text(".config/aggregator/sources/all.json")
    #expect(left.count > text.count * 2 / 3 - 80 && left.hasPrefix(text.prefix(60)) && left.contains("\n  \""))
  }

  @Test("removing a source from a file that was not allowed does not allow it")
  func noLeave() throws {
    let contents = try home.write("all.json", manifest("ports", "ships", more: token))
    #expect(try !home.folders.remove("ports", from: contents, beside: home.catalogue()))
    #expect(try home.folders.permissions.state(of: ManifestContents(at: home.path("all.json"))) == .missing)
  }
}
