import Platform
import Testing

@testable import AggregatorCore

@Suite struct SettingsTests {
  static let key = Setting("COMIC_VINE_API_KEY", .secret, "the key")
  static let base = Setting("PRODUCTS_BASE_URL", .address, "the shop", default: "http://localhost:3000")
  static let note = Setting("NOTE", .text, "a note")

  /// The settings with a key file at `/w/Configuration/Debug.xcconfig`.
  func load(
    _ text: String, flags: [String: String] = [:], environment: [String: String] = [:], permissions: UInt32 = 0o600,
    declared: [Setting] = [key, base, note]
  ) throws -> Settings {
    var files: ListedFiles = [:]
    files["/w/Configuration/Debug.xcconfig"] = .success(FileContents(Array(text.utf8), permissions: permissions))
    return try Settings.load(declared: declared, flags: flags, environment: environment, workingDirectory: "/w", reader: files)
  }

  // MARK: The value that holds

  @Test("a flag wins over the environment, the environment over the file, and the file over the default")
  func precedence() throws {
    let file = "PRODUCTS_BASE_URL = http:/$()/file/"
    let environment = ["PRODUCTS_BASE_URL": "http://env/"]
    let flags = ["PRODUCTS_BASE_URL": "http://flag/"]
    let all = try load(file, flags: flags, environment: environment)
    #expect(all.text(Self.base) == "http://flag/" && all[Self.base]?.origin == .flag)
    let two = try load(file, environment: environment)
    #expect(two.text(Self.base) == "http://env/" && two[Self.base]?.origin == .environment)
    let one = try load("\n" + file)
    #expect(one.text(Self.base) == "http://file/")
    #expect(one[Self.base]?.origin == .file(path: "/w/Configuration/Debug.xcconfig", line: 2))
    let none = try load("")
    #expect(none.text(Self.base) == "http://localhost:3000" && none[Self.base]?.origin == .default)
    #expect(none[Self.note] == nil && none.text(Self.note) == nil)
  }

  @Test("an empty setting counts as missing at any place", arguments: ["", " ", "\t\r\n"])
  func empty(value: String) throws {
    let settings = try load("NOTE = file", flags: ["NOTE": value], environment: ["NOTE": value])
    #expect(settings.text(Self.note) == "file")
    #expect(try load("PRODUCTS_BASE_URL = $()").text(Self.base) == "http://localhost:3000")
  }

  @Test("the spaces around a setting's value do not belong to it")
  func trimmed() throws { #expect(try load("", environment: ["NOTE": " a b\r\n"]).text(Self.note) == "a b") }

  @Test("references find the file's own names, not the environment")
  func substitution() throws {
    #expect(try load("NOTE = x$(HOME)$(MINE)\nMINE = 1", environment: ["HOME": "/h", "MINE": "2"]).text(Self.note) == "x1")
  }

  // MARK: Addresses

  @Test(
    "an address that is not valid is described without repeating it",
    arguments: [
      ("https:", "// starts a comment"), ("sk-hidden.org", "does not start with"), ("ftp://sk-hidden/", "does not start with"),
      ("http://sk-hidden:x@h/", "password"), ("http://sk hidden/", "space"), ("http://sk-hidden:0/", "is not a valid address"),
    ])
  func badAddress(value: String, words: String) throws {
    let settings = Settings(declared: [Self.base], environment: ["PRODUCTS_BASE_URL": value])
    let error = try #require(throws: SourceError.self) { try settings.address(Self.base) }
    #expect(error.kind == .settings)
    #expect(error.message.contains("PRODUCTS_BASE_URL (environment)"))
    #expect(error.message.contains(words))
    #expect(error.remedy == .setAddress("PRODUCTS_BASE_URL"))
    #expect(!"\(error)".contains("hidden"))
  }

  @Test("a bad address from the file names the line and shows the spelling to use there")
  func badAddressInFile() throws {
    let error = try #require(throws: SourceError.self) { try load("PRODUCTS_BASE_URL = https://x.org").address(Self.base) }
    #expect(error.message.contains("/w/Configuration/Debug.xcconfig:1"))
    #expect(error.remedy?.description.contains("https:/$()/") == true)
  }

  @Test("an unset address is an error that says how to set it")
  func noAddress() throws {
    let error = try #require(throws: SourceError.self) { try load("").address(Setting("X_URL", .address, "x")) }
    #expect(error.description == "X_URL is not set; set X_URL to an address such as https://example.com/")
  }

  // MARK: Secrets

  @Test("a secret is read only as a secret, and is never printed", arguments: [Source.flag, .environment, .file])
  func secrets(source: Source) throws {
    let pair = ["COMIC_VINE_API_KEY": "sk-hidden"]
    let settings = try load(
      source == .file ? "COMIC_VINE_API_KEY = sk-hidden" : "", flags: source == .flag ? pair : [:],
      environment: source == .environment ? pair : [:])
    #expect(settings.secret(Self.key)?.reveal() == "sk-hidden")
    #expect(settings.text(Self.key) == nil)
    #expect(settings[Self.key]?.shown == Secret.mask)
    #expect(!everything(settings).contains("hidden"))
  }

  enum Source { case flag, environment, file }

  @Test("a secret inside another value is masked there")
  func embedded() throws {
    let settings = try load("COMIC_VINE_API_KEY = sk-hidden\nNOTE = key is $(COMIC_VINE_API_KEY)!")
    #expect(settings.text(Self.note) == "key is sk-hidden!")
    #expect(settings[Self.note]?.shown == "key is \(Secret.mask)!")
    #expect(!everything(settings).contains("hidden"))
  }

  @Test(
    "a user name and password in an address are masked", arguments: ["http://me:hidden@h/", "http://hidden@h?x=@", "http://a@hidden@h"])
  func userInfo(value: String) throws {
    let settings = Settings(declared: [Self.base], environment: ["PRODUCTS_BASE_URL": value])
    #expect(!everything(settings).contains("hidden"))
    #expect(settings[Self.base]?.shown.hasPrefix("http://\(Secret.mask)@h") == true)
  }

  @Test("a name that one source declares a secret is a secret for every source")
  func sharedName() throws {
    let open = Setting("COMIC_VINE_API_KEY", .text, "the key")
    let settings = try load("COMIC_VINE_API_KEY = sk-hidden", declared: [open, Self.key])
    #expect(settings.text(open) == nil)
    #expect(settings.declared.map(\.name) == ["COMIC_VINE_API_KEY"])
    #expect(!everything(settings).contains("hidden"))
  }

  private func everything(_ settings: Settings) -> String {
    var text = "\(settings) \(settings.warnings) \(settings.declared.map { settings[$0] })"
    dump(settings, to: &text)
    dump(settings.declared.map { settings[$0] }, to: &text)
    debugPrint(settings, settings.declared.map { settings[$0] }, to: &text)
    return text
  }

  // MARK: Listing and warnings

  @Test(
    "a key file that is open to others is warned of, if it has a secret",
    arguments: [
      ("COMIC_VINE_API_KEY = k", 0o644, true), ("COMIC_VINE_API_KEY = k", 0o640, true), ("COMIC_VINE_API_KEY = k", 0o600, false),
      ("COMIC_VINE_API_KEY =", 0o644, false), ("COMIC_VINE_API_KEY = $()", 0o644, false), ("NOTE = n", 0o644, false),
      ("COMIC_VINE_API_KEY = $(MINE)\nMINE = k", 0o644, true),
      ("NOTE = postgresql:/$()/ada:k@h/notes", 0o644, true), ("NOTE = postgresql:/$()/h/notes", 0o644, false),
    ])
  func permissions(text: String, mode: UInt32, warns: Bool) throws {
    let warnings = try load(text, permissions: mode).warnings
    #expect(warnings.contains { $0.hasSuffix("chmod 600 /w/Configuration/Debug.xcconfig") } == warns)
    #expect(warnings.count == (warns ? 1 : 0))
  }

  @Test("the warning names the file in which the secret is written, not the one that refers to it")
  func permissionsOfIncluded() throws {
    var files: ListedFiles = ["/w/k": "#include \"a b\"\nCOMIC_VINE_API_KEY = $(MINE)"]
    files["/w/k"] = try files["/w/k"].map { .success(FileContents(try $0.get().bytes, permissions: 0o644)) }
    files["/w/a b"] = .success(FileContents(Array("MINE = k".utf8), permissions: 0o644))
    let settings = try Settings.load(
      declared: [Self.key], environment: [:], chosen: KeyFile(at: "k", namedBy: "--config"), workingDirectory: "/w", reader: files)
    #expect(settings.warnings.map { $0.hasSuffix("chmod 600 '/w/a b'") } == [true])
  }

  @Test("the permissions of a pipe are not warned of")
  func pipe() throws {
    var contents = FileContents(Array("COMIC_VINE_API_KEY = k".utf8), permissions: 0o644)
    contents.isRegular = false
    var files: ListedFiles = [:]
    files["/dev/fd/9"] = .success(contents)
    let settings = try Settings.load(
      declared: [Self.key], environment: [:], chosen: KeyFile(at: "/dev/fd/9", namedBy: "--config"), workingDirectory: "/w", reader: files)
    #expect(settings.warnings == [])
  }

  @Test(
    "a name that is nearly a setting's is warned of",
    arguments: [("COMIC_VINE_APIKEY", true), ("Comic_Vine_Api_Keys", true), ("OTHER", false)])
  func misspelled(name: String, warns: Bool) throws {
    let warnings = try load("\(name) = sk-hidden").warnings
    #expect(warnings == (warns ? ["/w/Configuration/Debug.xcconfig:1: \(name) is not a setting; did you mean COMIC_VINE_API_KEY?"] : []))
    #expect(try load("\(name) = 1\nCOMIC_VINE_API_KEY = 2").warnings == [])
  }

  @Test("the warnings of the file's reader are passed on")
  func passedOn() throws {
    #expect(try load("NOTE = http://x\nNOTE[a=b] = 1").warnings.count == 2)
    #expect(try load("NOTE = postgresql://x").warnings.count == 1)
  }
}
