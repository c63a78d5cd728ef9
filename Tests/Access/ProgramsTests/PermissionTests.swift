import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import Testing

@testable import Services

/// A person's leave for programs: nothing is started before it, and a change takes it back.
struct PermissionTests {
  private let folder: ScratchFolder
  private let folders: ManifestFolders

  init() throws {
    folder = try ScratchFolder()
    folders = ManifestFolders(Folders(environment: ["HOME": folder.path]))
    try SystemFiles().makeFolder(sources)
  }

  private var sources: String { folder[".config/aggregator/sources"] }

  /// A program that leaves a mark when it is started.
  private func write(_ name: String = "things", command: String = #"["sh", "program"]"#, program: String = "echo > started") throws
    -> ManifestContents
  {
    let end = #"; echo '{"end": {"verdict": "complete"}}'"#
    try folder.write(".config/aggregator/sources/program", program + end, mode: 0o700)
    return try writeManifest(name, command: command)
  }

  private func writeManifest(_ name: String = "things", command: String) throws -> ManifestContents {
    let text = #"{"aggregator": 1, "sources": {"\#(name)": {"command": \#(command), \#(ProgramHome.fields)}}}"#
    try folder.write(".config/aggregator/sources/\(name).json", text)
    return try ManifestContents(Array(text.utf8), at: "\(sources)/\(name).json")
  }

  private func allow(_ contents: ManifestContents) throws { try folders.permissions.allow(contents, beside: Catalogue()) }
  private var hasStarted: Bool { access("\(sources)/started", F_OK) == 0 }

  /// Asks the source, and returns its error; nil if it answers.
  private func ask(_ name: String = "things") async throws -> SourceError? {
    let catalogue = try Catalogue([]).adding(folders, reserved: [])
    let transport = StubTransport { _, _ in throw SourceError(.unreachable, "a program asks no service") }
    var world = World(settings: Settings(declared: catalogue.settings), transport: transport)
    (world.terms.reach, world.patience) = (.live, .none)
    do {
      func page(_ source: some SourceSession) async throws { _ = try await source.answering.page(PageRequest()) }
      let source = try #require(catalogue[name])
      try await page(source.open(in: world))
      return nil
    } catch let error as SourceError {
      return error
    }
  }

  @Test("a program is not started before it is allowed, and then it is")
  func missing() async throws {
    let contents = try write()
    let error = try #require(await ask())
    #expect(error.kind == .settings && error.remedy == .allow("things") && !hasStarted)
    #expect(error.message.hasPrefix("\(sources)/things.json was not allowed to start /"))
    #expect(error.message.hasSuffix("/sh program; nothing was started"))
    try allow(contents)
    #expect(try await ask() == nil && hasStarted)
  }

  @Test("another manifest, another program at an argument or another argument asks again, and the same contents do not")
  func changed() async throws {
    try allow(write())
    _ = try write(program: "echo other > started")
    var error = try #require(await ask())
    #expect(error.message == "\(sources)/program has changed since it was allowed; nothing was started" && error.remedy == .allow("things"))
    #expect(!hasStarted)
    // The same text in a file with another time.
    _ = try write()
    #expect(try await ask() == nil && hasStarted)
    unlink("\(sources)/started")
    _ = try writeManifest(command: #"["sh", "program", "-x"]"#)
    error = try #require(await ask())
    #expect(error.message == "\(sources)/things.json has changed since it was allowed; nothing was started" && !hasStarted)
  }

  @Test("an argument that names a file only after the leave asks again")
  func laterFile() async throws {
    try allow(write(command: #"["sh", "program", "rules"]"#))
    #expect(try await ask() == nil)
    unlink("\(sources)/started")
    try folder.write(".config/aggregator/sources/rules", "new")
    #expect(try await ask()?.message == "\(sources)/rules has changed since it was allowed; nothing was started")
    #expect(!hasStarted)
  }

  @Test("the leave is for one file: a copy of it needs its own")
  func copies() async throws {
    try allow(write())
    _ = try writeManifest("piers", command: #"["sh", "program"]"#)
    #expect(try await ask("piers")?.remedy == .allow("piers"))
    #expect(!hasStarted)
  }

  @Test("a leave that is withdrawn is needed again")
  func withdrawn() async throws {
    let contents = try write()
    try allow(contents)
    try folders.permissions.withdraw(from: contents)
    #expect(try await ask()?.kind == .settings)
    #expect(!hasStarted)
  }
}
