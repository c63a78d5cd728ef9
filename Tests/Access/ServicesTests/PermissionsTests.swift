import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Services

/// The data that a manifest may send, and the hosts to which it may.
struct PermissionsTests {
  private let home: ManifestHome
  private let wire = EmptyListTransport()

  init() throws { home = try ManifestHome() }

  /// Asks the source of that name, and returns its error; nil if it answers.
  private func ask(_ name: String = "ports", reach: World.Reach = .live, builtIn: [SourceDescriptor] = []) async throws -> SourceError? {
    let catalogue = try home.catalogue(builtIn)
    let environment = ["PORTS_TOKEN": "t0ken-of-ports", "PORTS_AREA": "north", "HERO_KEY": "hero-key"]
    var world = World(settings: Settings(declared: catalogue.settings, environment: environment), transport: wire)
    world.terms.reach = reach
    do {
      func page(_ source: some SourceSession) async throws { _ = try await source.answering.page(PageRequest()) }
      let source = try #require(catalogue[name])
      try await page(source.open(in: world))
      return nil
    } catch let error as SourceError {
      return error
    }
  }

  private func allow(_ contents: ManifestContents) throws { try home.folders.permissions.allow(contents, beside: Catalogue()) }

  @Test("a manifest without keys and settings needs no permission")
  func needless() async throws {
    try home.write("ports.json", manifest("ports"))
    #expect(try await ask() == nil)
    #expect(wire.requests == ["https://ports.example"])
  }

  @Test(
    "a manifest with a key or a plain setting sends nothing without permission",
    arguments: [token, #""settings":[{"setting":"PORTS_AREA"}],"#])
  func missing(members: String) async throws {
    let contents = try home.write("ports.json", manifest("ports", more: members))
    for reach in [World.Reach.live, .anywhere] {
      let error = try #require(await ask(reach: reach))
      #expect(error.kind == .settings && error.remedy == .allow("ports"))
      let name = members == token ? "PORTS_TOKEN" : "PORTS_AREA"
      #expect(error.message == "\(home.path("ports.json")) was not allowed to send \(name) to https://ports.example; nothing was sent")
    }
    #expect(wire.requests.isEmpty)
    try allow(contents)
    #expect(try await ask() == nil)
    #expect(wire.requests.count == 1)
  }

  @Test("a permission holds for the bytes of the file: a changed file needs it again, the same text written anew does not")
  func changed() async throws {
    let text = manifest("ports", more: token)
    try allow(home.write("ports.json", text))
    #expect(try await ask() == nil)
    try home.write("ports.json", text.replacing("https://ports.example/", with: "https://thief.example/"))
    let error = try #require(await ask())
    #expect(error.message == "\(home.path("ports.json")) has changed since it was allowed; nothing was sent")
    #expect(wire.requests == ["https://ports.example"])
    try home.write("ports.json", text)
    #expect(try await ask() == nil)
  }

  @Test("a permission belongs to one file: another file with the same key needs its own")
  func copies() async throws {
    try allow(home.write("ports.json", manifest("ports", more: token)))
    try home.write("piers.json", manifest("piers", more: token))
    #expect(try await ask("piers")?.remedy == .allow("piers"))
  }

  @Test("no permission is needed offline or in a replay, since nothing is sent")
  func offline() async throws {
    try home.write("ports.json", manifest("ports", more: token))
    #expect(try await ask(reach: .offline)?.kind == .notStored)
    #expect(try await ask(reach: .replay) == nil)
  }

  @Test("a manifest cannot be allowed the key of a built-in source, even by the person")
  func stolen() async throws {
    let key = Setting("HERO_KEY", .secret, "a key")
    let schema = try Schema([LooseField("id")], id: "id")
    let heroes = Source<LooseRecord>(
      "heroes", "Heroes", of: schema, settings: [key],
      live: { _ -> ManifestRecords in throw CancellationError() }
    ).descriptor
    let wants =
      [
        #""keys":[{"setting":"HERO_KEY","header":"X-Key"}],"#, #""settings":[{"setting":"HERO_KEY"}],"#,
      ].map { manifest("ports", more: $0) } + [manifest("ports", setting: "HERO_KEY")]
    for text in wants {
      let contents = try home.write("ports.json", text)
      let refusal = "\(home.path("ports.json")) asks for HERO_KEY, the key of heroes, and does not get it"
      #expect(throws: SourceError.self) {
        try home.folders.permissions.allow(contents, beside: try Catalogue([heroes]))
      }
      try allow(contents)
      #expect(try await ask(builtIn: [heroes])?.message == refusal)
      // The setting stays a secret, even if the file calls it a plain setting.
      #expect(try home.catalogue([heroes]).settings.first { $0.name == "HERO_KEY" }?.isSecret == true)
    }
    #expect(wire.requests.isEmpty)
  }

  @Test("a manifest cannot be allowed the key of another file for another host, but for the same host it can")
  func others() async throws {
    try allow(home.write("ports.json", manifest("ports", more: token)))
    for members in [token, #""settings":[{"setting":"PORTS_TOKEN"}],"#] {
      let thief = try home.write("thief.json", manifest("thief", at: "https://thief.example/", setting: "THIEF_URL", more: members))
      let error = #expect(throws: SourceError.self) { try allow(thief) }
      #expect(
        error?.message == "\(home.path("thief.json")) asks for PORTS_TOKEN, the key of \(home.path("ports.json")) "
          + "for https://ports.example, and does not get it")
      #expect(try await ask("thief") == error)
    }
    #expect(wire.requests.isEmpty)
    try allow(home.write("piers.json", manifest("piers", setting: "PIERS_URL", more: token)))
    #expect(try await ask("piers") == nil)
  }

  @Test("a permission is not affected by another file with the same setting: each file has its own default")
  func defaults() async throws {
    try allow(home.write("ports.json", manifest("ports", more: token)))
    // This file comes first and has no key, so it needs no leave.
    try home.write("a.json", manifest("thief", at: "https://thief.example/"))
    #expect(try await ask() == nil)
    #expect(try await ask("thief") == nil)
    #expect(wire.requests == ["https://ports.example", "https://thief.example"])
  }

  @Test("a permission is stored for the person alone, with the host and the names but no value, and can be withdrawn")
  func noted() async throws {
    let contents = try home.write("ports.json", manifest("ports", more: token))
    try allow(contents)
    let file = ".local/state/aggregator/allowed.json"
    #expect(home.folder.mode(file) == 0o600)
    let text = try home.folder.text(file)
    #expect(text.contains(SHA256.hex(contents.bytes)) && text.contains("https://ports.example") && text.contains("[\"PORTS_TOKEN\"]"))
    #expect(!text.contains("t0ken"))
    try home.folders.permissions.withdraw(from: contents)
    #expect(try await ask()?.remedy == .allow("ports"))
  }

  @Test(
    "a file of permissions that cannot be read gives none, and is then written anew", arguments: ["", "{", "[]", #"{"files":{"x":1}}"#])
  func broken(text: String) async throws {
    let contents = try home.write("ports.json", manifest("ports", more: token))
    try allow(contents)
    try home.folder.write(".local/state/aggregator/allowed.json", text)
    #expect(try await ask()?.remedy == .allow("ports"))
    try allow(contents)
    #expect(try await ask() == nil)
  }

  @Test("a permission cannot be given without a folder for it")
  func homeless() throws {
    let contents = try home.write("ports.json", manifest("ports", more: token))
    let leave = ManifestFolders(Folders(environment: ["XDG_CONFIG_HOME": "/x"])).permissions
    let error = #expect(throws: SourceError.self) { try leave.allow(contents, beside: Catalogue()) }
    #expect(error?.kind == .settings)
    #expect(throws: try #require(error)) { try leave.check(contents, beside: Catalogue(), asking: "ports") }
  }

  @Test("permissions are stored for each of many files that are allowed at once", .timeLimit(.minutes(30)))
  func together() async throws {
    let files = try (0..<20).map { try home.write("p\($0).json", manifest("p\($0)", more: token)) }
    try await withThrowingTaskGroup(of: Void.self) { [leave = home.folders.permissions] group in
      for file in files { group.addTask { try leave.allow(file, beside: Catalogue()) } }
      try await group.waitForAll()
    }
    for file in files { #expect(home.folders.permissions.state(of: file) == .allowed) }
  }
}
