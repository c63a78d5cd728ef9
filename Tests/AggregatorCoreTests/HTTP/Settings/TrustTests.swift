import Ports
import SourceTesting
import Testing

@testable import AggregatorCore

/// The keys that a source may send to an address.
@Suite("An address from a key file in the working directory")
struct TrustTests {
  private static let base = Setting("BASE_URL", .address, "where it is", default: "https://usual.example/")
  private static let key = Setting("API_KEY", .secret, "its key")
  private static let settings = [base, key]
  private static let found = "/clone/Configuration/Debug.xcconfig"
  private static let address = "BASE_URL = https:/$()/elsewhere.example/\n"

  private func load(_ files: ListedFiles, environment: [String: String] = [:], flags: [String: String] = [:], config: String? = nil) throws
    -> Settings
  {
    try Settings.load(
      declared: Self.settings, flags: flags, environment: ["HOME": "/home/me"].merging(environment) { $1 },
      chosen: config.map { KeyFile(at: $0, namedBy: "--config") },
      workingDirectory: "/clone", reader: files)
  }

  private func refusal(_ settings: Settings) -> SourceError? {
    do throws(SourceError) { try settings.refuseStrangers(among: Self.settings) } catch { return error }
    return nil
  }

  @Test("an address from the working directory's key file never gets a key from the environment or a flag", arguments: [true, false])
  func fromElsewhere(isFlag: Bool) throws {
    let pair = ["API_KEY": "mine"]
    let error = try #require(
      refusal(load([Self.found: Self.address], environment: isFlag ? [:] : pair, flags: isFlag ? pair : [:])))
    #expect(error.kind == .settings)
    #expect(error.message.contains("BASE_URL"))
    #expect(error.message.contains("\(Self.found):1"))
    #expect(error.message.contains(isFlag ? "API_KEY does not (flag)" : "API_KEY does not (environment)"))
    #expect(error.remedy == .trust(keyFile: Self.found))
    #expect(!"\(error)".contains("mine"))
  }

  @Test("a limit from the working directory's key file is not used with a key from elsewhere")
  func budget() throws {
    let budget = Setting("API_BUDGET", .budget, "its limit")
    let found = try Settings.load(
      declared: Self.settings + [budget], flags: [:], environment: ["HOME": "/home/me", "API_KEY": "mine"], chosen: nil,
      workingDirectory: "/clone", reader: [Self.found: "API_BUDGET = unlimited\n"] as ListedFiles)
    #expect(throws: SourceError.self) { try found.refuseStrangers(among: Self.settings + [budget]) }
  }

  @Test("an address from the working directory's key file gets the key of the same file")
  func together() throws {
    #expect(try refusal(load([Self.found: Self.address + "API_KEY = its-own\n"])) == nil)
    #expect(try refusal(load([Self.found: Self.address])) == nil)
    #expect(try refusal(load([Self.found: "API_KEY = its-own\n"])) == nil)
    // The person who gave an address elsewhere is responsible for it.
    #expect(try refusal(load([Self.found: "API_KEY = its-own\n"], environment: ["BASE_URL": "https://mine.example/"])) == nil)
  }

  @Test("an address that the working directory's key file contains or changes gets no key of a person's own file")
  func included() throws {
    let mine = "/home/me/.config/aggregator/aggregator.xcconfig"
    for files: ListedFiles in [
      [Self.found: "#include \"\(mine)\"\n" + Self.address, mine: "API_KEY = mine\n"],
      [Self.found: "#include \"\(mine)\"\n" + Self.address + "API_KEY = $(MINE)\n", mine: "MINE = mine\n"],
      [Self.found: "#include \"\(mine)\"\n" + Self.address + "API_KEY = $(inherited)\n", mine: "API_KEY = mine\n"],
      [Self.found: "#include \"\(mine)\"\nHOST = elsewhere.example\n", mine: "API_KEY = mine\nBASE_URL = https:/$()/$(HOST)/\n"],
      [
        Self.found: "#include \"more.xcconfig\"\n#include \"\(mine)\"\n", "/clone/Configuration/more.xcconfig": Self.address,
        mine: "API_KEY = mine\n",
      ],
    ] {
      #expect(try refusal(load(files)) != nil, "\(files.files.keys.sorted())")
    }
    // Both files are the person's own.
    #expect(try refusal(load([Self.found: "#include \"\(mine)\"\n", mine: Self.address + "API_KEY = mine\n"])) == nil)
  }

  @Test("an address from the working directory's key file gets a key from elsewhere once the file is named", arguments: [true, false])
  func named(isFlag: Bool) throws {
    let environment = ["API_KEY": "mine"]
    let settings = try load(
      [Self.found: Self.address], environment: isFlag ? environment : environment.merging(["AGGREGATOR_CONFIG": Self.found]) { $1 },
      config: isFlag ? "Configuration/Debug.xcconfig" : nil)
    #expect(refusal(settings) == nil)
  }

  @Test("an address from the working directory is not trusted either if a variable chooses its file there")
  func configuration() throws {
    let settings = try load(
      ["/clone/Configuration/Release.xcconfig": Self.address], environment: ["API_KEY": "mine", "AGGREGATOR_CONFIGURATION": "Release"])
    #expect(refusal(settings) != nil)
  }

  @Test("an address in a person's own key file gets a key from the environment")
  func personal() throws {
    let settings = try load(["/home/me/.config/aggregator/aggregator.xcconfig": Self.address], environment: ["API_KEY": "mine"])
    #expect(refusal(settings) == nil)
  }

  @Test("an untrusted address stops a source before it asks, but not when nothing is asked")
  func opened() throws {
    let ports = PortsFixtures.whole
    let descriptor = ports.descriptor
    let settings = try Settings.load(
      declared: descriptor.settings, environment: ["PORTS_KEY": "mine-alone"], workingDirectory: "/clone",
      reader: [Self.found: "PORTS_URL = https:/$()/elsewhere.example/\n"] as ListedFiles)
    for (reach, isRefused) in [(World.Reach.anywhere, true), (.live, true), (.offline, false), (.replay, false)] {
      let transport = StubTransport(playing: .status(500))
      var world = World(settings: settings, transport: transport)
      world.terms.reach = reach
      let error = Result { try descriptor.source(in: world) }
      switch error {
      case .success: #expect(!isRefused, "\(reach)")
      case .failure(let error): #expect(isRefused && (error as? SourceError)?.kind == .settings, "\(reach): \(error)")
      }
      #expect(transport.requests.isEmpty)
    }
  }

  @Test(
    "a key goes to an http address only on this machine, or in a private network where the source allows it",
    arguments: [
      ("http://localhost:1/", false, true), ("http://127.0.0.1:1/", false, true), ("http://[::1]:1/", false, true),
      ("https://api.example/", false, true), ("http://api.example/", false, false), ("http://api.example/", true, false),
      ("http://10.1.1.1/", false, false), ("http://10.1.1.1/", true, true), ("http://nas.lan/", true, true),
      ("http://localhost.evil.example/", false, false), ("http://2130706433/", false, false), ("http://0x7f.1/", true, false),
    ])
  func plain(address: String, allows: Bool, isSent: Bool) throws {
    let base = copy(of: Self.base) { $0.isInsecure = allows }
    let settings = Settings(declared: [base, Self.key], environment: ["BASE_URL": address, "API_KEY": "mine-alone"])
    func refusal(_ reach: World.Reach, _ keys: [Credential]) -> SourceError? {
      var world = World(settings: settings, transport: StubTransport(playing: .status(500)))
      world.terms.reach = reach
      do { _ = try world.client(base, keys: keys) } catch { return error as? SourceError }
      return nil
    }
    for credential in [Credential.query("k", Self.key), .header("X-Key", Self.key), .header("Authorization", Self.key, scheme: "Bearer")] {
      #expect((refusal(.anywhere, [credential]) == nil) == isSent)
      #expect((refusal(.live, [credential])?.kind == .settings) == !isSent)
      #expect(refusal(.offline, [credential]) == nil && refusal(.replay, [credential]) == nil)
    }
    #expect(refusal(.live, []) == nil)
  }
}
