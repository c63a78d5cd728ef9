import Platform
import ScratchFolders
import Testing

@testable import AggregatorCore

@Suite struct KeyFileTests {
  static let note = Setting("NOTE", .text, "a note")

  /// The environment that names every place; a test removes some of it.
  static let full = ["AGGREGATOR_CONFIG": "b", "AGGREGATOR_CONFIGURATION": "Release", "XDG_CONFIG_HOME": "/x", "HOME": "/h"]

  static let files: ListedFiles = [
    "/w/a": "NOTE = a", "/w/b": "NOTE = b", "/w/Configuration/Release.xcconfig": "NOTE = release",
    "/w/Configuration/Debug.xcconfig": "NOTE = debug", "/x/aggregator/aggregator.xcconfig": "NOTE = xdg",
    "/h/.config/aggregator/aggregator.xcconfig": "NOTE = home",
  ]

  private func note(_ environment: [String: String], flag: String? = nil, _ files: ListedFiles = files) throws -> String? {
    try Settings.load(
      declared: [Self.note], environment: environment, chosen: flag.map { KeyFile(at: $0, namedBy: "--config") }, workingDirectory: "/w",
      reader: files
    )
    .text(Self.note)
  }

  @Test("the key file is the flag's, else the variable's, else the project's, else the person's")
  func order() throws {
    var environment = Self.full
    var files = Self.files
    #expect(try note(environment, flag: "a") == "a")
    #expect(try note(environment, flag: "/w/a") == "a")
    #expect(try note(environment) == "b")
    environment["AGGREGATOR_CONFIG"] = ""
    #expect(try note(environment) == "release")
    environment["AGGREGATOR_CONFIGURATION"] = nil
    #expect(try note(environment) == "debug")
    files["/w/Configuration/Debug.xcconfig"] = nil
    #expect(try note(environment, files) == "xdg")
    environment["XDG_CONFIG_HOME"] = "relative"
    #expect(try note(environment, files) == "home")
    environment["HOME"] = nil
    #expect(try note(environment, files) == nil)
  }

  private func note(_ environment: [String: String], _ files: ListedFiles) throws -> String? { try note(environment, flag: nil, files) }

  @Test(
    "a named key file that is missing is an error that says what named it",
    arguments: [
      ("no", [:], "/w/no (from --config)"), (nil, ["AGGREGATOR_CONFIG": "no"], "/w/no (from AGGREGATOR_CONFIG)"),
      (nil, ["AGGREGATOR_CONFIGURATION": "No"], "/w/Configuration/No.xcconfig (from AGGREGATOR_CONFIGURATION)"),
    ] as [(String?, [String: String], String)])
  func missing(flag: String?, environment: [String: String], words: String) throws {
    let error = try #require(throws: SourceError.self) { try note(environment, flag: flag) }
    #expect(error.kind == .settings)
    #expect(error.message == "cannot read the key file \(words): no such file")
  }

  @Test("a key file that exists but cannot be read is an error even if it was only found")
  func unreadable() throws {
    var files = Self.files
    files["/w/Configuration/Debug.xcconfig"] = .failure(.denied("Permission denied"))
    let error = try #require(throws: SourceError.self) { try note([:], files) }
    #expect(error.message == "cannot read the key file /w/Configuration/Debug.xcconfig: Permission denied")
    #expect(error.remedy == "type chmod 600 /w/Configuration/Debug.xcconfig, or move it away")
  }

  @Test("a fault that has nothing to do with the file's mode does not suggest a mode")
  func unmendable() throws {
    var files = Self.files
    files["/w/Configuration/Debug.xcconfig"] = .failure(.failed("it is larger than 1024 kB"))
    let found = try #require(throws: SourceError.self) { try note([:], files) }
    #expect(found.remedy == KeyFile.nameAnother.or("move it away"))
    let named = try #require(throws: SourceError.self) { try note([:], flag: "/w/Configuration/Debug.xcconfig", files) }
    #expect(named.remedy == .give([.init("config", "FILE")], "to name another"))
  }

  @Test("a file in a folder that cannot be entered is skipped with a warning, unless it is named")
  func hidden() throws {
    var files: ListedFiles = [:]
    files["/h/.config/aggregator/aggregator.xcconfig"] = .failure(.hidden("its folder cannot be entered"))
    let settings = try Settings.load(declared: [], environment: ["HOME": "/h"], workingDirectory: "/w", reader: files)
    #expect(settings.warnings == ["skipped the key file /h/.config/aggregator/aggregator.xcconfig: its folder cannot be entered"])
    #expect(throws: SourceError.self) { try note([:], flag: "/h/.config/aggregator/aggregator.xcconfig", files) }
  }

  // MARK: On this machine's disk

  private func load(_ folder: ScratchFolder, flag: String? = nil) throws -> Settings {
    try Settings.load(
      declared: [Self.note], environment: [:], chosen: flag.map { KeyFile(at: $0, namedBy: "--config") }, workingDirectory: folder.path)
  }

  @Test("a real key file is read, and a warning tells its mode")
  func realFile() throws {
    let folder = try ScratchFolder()
    try folder.folder("Configuration")
    try folder.write("Configuration/Debug.xcconfig", "NOTE = 1\nKEY = 2", mode: 0o604)
    let secret = Setting("KEY", .secret, "")
    let settings = try Settings.load(declared: [Self.note, secret], environment: [:], chosen: nil, workingDirectory: folder.path)
    #expect(settings.text(Self.note) == "1")
    #expect(settings.warnings.count == 1)
  }

  @Test(
    "a folder, a link to nowhere, a link to itself and a huge file cannot be read, named or not",
    arguments: ["folder", "nowhere", "loop", "huge"])
  func odd(kind: String) throws {
    let folder = try ScratchFolder()
    try folder.folder("Configuration")
    let name = "Configuration/Debug.xcconfig"
    switch kind {
    case "folder": try folder.folder(name)
    case "nowhere": try folder.link(name, to: "gone")
    case "loop": try folder.link(name, to: "Debug.xcconfig")
    default: try folder.write(name, String(repeating: "/", count: 1 << 20 + 1))
    }
    let unnamed = try #require(throws: SourceError.self) { try load(folder) }
    let named = try #require(throws: SourceError.self) { try load(folder, flag: name) }
    #expect(unnamed.message.contains("\(folder.path)/\(name): "))
    #expect(named.message.contains("(from --config): "))
  }

  @Test("a folder without a key file is not an error", arguments: [nil, "Configuration"])
  func nothing(plainFile: String?) throws {
    let folder = try ScratchFolder()
    if let plainFile { try folder.write(plainFile, "") }
    #expect(try load(folder).keyFile == nil)
  }

  @Test("a pipe without a writer is an error, not a wait")
  func silentPipe() throws {
    let folder = try ScratchFolder()
    try folder.pipe("pipe")
    #expect(throws: SourceError.self) { try load(folder, flag: "pipe") }
  }

  @Test("a name with a NUL in it is refused, not cut")
  func nul() throws {
    let folder = try ScratchFolder()
    try folder.write("k", "NOTE = 1")
    #expect(throws: SourceError.self) { try load(folder, flag: "k\0x") }
  }

  @Test("the key file is written at the place it is read from, else in the person's own place")
  func destination() throws {
    let folder = try ScratchFolder()
    func destination(_ environment: [String: String], flag: String? = nil) -> String? {
      KeyFile.destination(
        environment: environment, chosen: flag.map { KeyFile(at: $0, namedBy: "--config") }, workingDirectory: folder.path)?.path
    }
    #expect(destination([:], flag: "new") == folder.file("new"))
    #expect(destination(["AGGREGATOR_CONFIG": "/new"]) == "/new")
    #expect(destination(["HOME": "/h"]) == "/h/.config/aggregator/aggregator.xcconfig")
    let own = KeyFile.destination(of: "ports", environment: ["HOME": "/h"], chosen: nil, workingDirectory: folder.path)
    #expect(own?.path == "/h/.config/ports/ports.xcconfig")
    #expect(destination([:]) == nil)
    try folder.folder("Configuration")
    try folder.write("Configuration/Debug.xcconfig", "")
    #expect(destination(["HOME": "/h"]) == folder.file("Configuration/Debug.xcconfig"))
  }
}

@Suite struct ExampleTests {
  /// The committed example, beside `Tests`.
  static let path = Paths.join(
    #filePath.split(separator: "/").dropLast(5).reduce("") { "\($0)/\($1)" }, "Configuration/Example.xcconfig")

  @Test("the example key file reads without a warning, as it is and with its comments removed")
  func example() throws {
    let bytes = try SystemFiles().read(Self.path, upTo: 1 << 20).bytes
    let plain = try XCConfig(FileContents(bytes), at: Self.path, reader: [:] as ListedFiles)
    #expect(plain.assignments.keys.sorted() == ["COMIC_VINE_API_KEY"])
    let uncommented = String(decoding: bytes, as: UTF8.self).replacingEach("\n// ", with: "\n").split(separator: "\n")
      .filter { $0.hasPrefix("#") || $0.prefix { $0 != " " }.utf8.allSatisfy(XCConfig.mayContinue) && $0.contains(" =") }
    let full = try config(uncommented.joined(separator: "\n"))
    #expect(full.warnings == [])
    let addresses = full.assignments.keys.sorted().filter { $0.hasSuffix("_URL") }
    #expect(addresses.count == 4)
    for name in addresses { #expect(WebAddress(try full.value(of: name)?.text.reveal() ?? "") != nil) }
  }
}
