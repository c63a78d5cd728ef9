import AggregatorCore
import Platform
import Recordings
import ScratchFolders
import Testing

@testable import Authoring

@Suite struct WritingTests {
  @Test("a package is written to a folder of its name, and never over an existing one")
  func write() async throws {
    let folder = try ScratchFolder()
    let package = try SourcePackage(SourceName("things"), core: "/core")
    let path = try package.write(in: folder.path)
    #expect(path == "\(folder.path)/things")
    #expect(try SystemFiles().list(folder.path) == ["things"])
    #expect(try SystemFiles().read("\(path)/Package.swift", upTo: 1 << 20).bytes == Array(#require(package.files.first?.text).utf8))

    let error = #expect(throws: SourceError.self) { try package.write(in: folder.path) }
    #expect(error?.kind == .storage)
    #expect(error?.message == "\(path) already exists; nothing was written")
    #expect(try SystemFiles().list(folder.path) == ["things"])
  }

  @Test("a link with the package's name is not followed, even one to nowhere; a folder that cannot be made is an error")
  func link() async throws {
    let folder = try ScratchFolder()
    symlink("\(folder.path)/elsewhere", "\(folder.path)/things")
    let package = try SourcePackage(SourceName("things"), core: "/core")
    let error = #expect(throws: SourceError.self) { try package.write(in: folder.path) }
    #expect(error?.message == "\(folder.path)/things already exists; nothing was written")
    try folder.write("file", "")
    let other = #expect(throws: SourceError.self) { try package.write(in: folder["file"]) }
    #expect(other?.message == "cannot write \(folder.path)/file/things: Not a directory")
    #expect(try SystemFiles().list(folder.path).sorted() == ["file", "things"])
  }

  @Test("a package and a program are the templates with the name filled in, and nothing else of the template's name is left")
  func templates() throws {
    let name = try SourceName("weather")
    let (package, program) = (SourcePackage(name, core: #"/my "own"\core"#), SourcePackage(programFor: name))
    #expect(
      package.files.map(\.path) == [
        "Package.swift", "README.md", ".gitignore", "Sources/Weather/WeatherItem.swift", "Sources/Weather/WeatherService.swift",
        "Sources/Weather/Source+Weather.swift", "Sources/WeatherCommand/Main.swift", "Tests/WeatherTests/WeatherTests.swift",
        "Tests/WeatherTests/Fixtures/weather.har",
      ])
    #expect(program.files.map(\.path) == ["aggregator-source-weather", "test", "README.md"])
    #expect(program.files.map(\.isExecutable) == [true, true, false])
    for file in package.files + program.files {
      #expect(!file.text.lowercased().contains("coffee") && !file.text.contains("../.."), "\(file.path)")
    }
    #expect(package.files[0].text.contains(#".package(name: "aggregator", path: "/my \"own\"\\core")"#))
    #expect(package.files[4].text.contains("func page(_ request: PageRequest) async throws -> Page<WeatherItem>"))
    #expect(package.files[5].text.contains(#""WEATHER_URL""#) && package.files[5].text.contains("public static let weather = "))
  }

  @Test("a name that has a name of the template in it is filled in once")
  func likeTheTemplate() throws {
    let files = SourcePackage(try SourceName("old-coffee-bars"), core: "/core").files
    #expect(files[3].path == "Sources/OldCoffeeBars/OldCoffeeBar.swift")
    #expect(
      files[3].text.hasPrefix(
        "import AggregatorCore\n\n/// One old coffee bar of api.old-coffee-bars.example.\npublic struct OldCoffeeBar: Record {\n"))
  }

  @Test("the checkout is the one that this was compiled from")
  func checkout() throws {
    let root = try #require(SourcePackage.checkout)
    #expect(#filePath.hasPrefix(root + "/Tests/"))
    #expect(!SourcePackage.isCheckout("/nowhere"))
  }
}

@Suite struct NameTests {
  @Test("a name becomes a module, a member, a record and a setting")
  func names() throws {
    let name = try SourceName("coffee-bars")
    #expect([name.module, name.member, name.record, name.setting] == ["CoffeeBars", "coffeeBars", "CoffeeBar", "COFFEE_BARS"])
    #expect(try SourceName("weather").record == "WeatherItem")
    #expect(try SourceName("clients").record == "ClientsItem")
    #expect(try ["cities", "boxes", "houses", "buses"].map { try SourceName($0).record } == ["City", "Box", "House", "Bus"])
  }

  @Test(
    "a name that cannot be typed, spoken or told apart is refused",
    arguments: [
      "", "Ports", "9lives", "-a", "a-", "a--b", "größe", "a b", "a/b", "../x", "class", "default", "string", "swift", "countries",
      "testing", "set", "sources", String(repeating: "a", count: 41),
    ])
  func refused(name: String) {
    #expect(throws: NameProblem.self) { try SourceName(name, taken: ["sources"]) }
  }

  @Test("the error for a refused name suggests the nearest valid name")
  func suggestions() {
    #expect(#expect(throws: NameProblem.self) { try SourceName("Coffee Bars") }?.suggestion == "coffee-bars")
    #expect(#expect(throws: NameProblem.self) { try SourceName("größe") }?.suggestion == "grosse")
  }

  @Test(
    "the words of a field's name become the name of a property",
    arguments: [
      ("created_at", "createdAt"), ("createdAt", "createdAt"), ("URL", "url"), ("X-Rate Limit", "xRateLimit"), ("$ref", "ref"),
      ("2fa", "n2fa"), ("+1", "plus1"), ("-1", "minus1"), ("日本", ""), ("Größe", "grosse"),
    ])
  func properties(name: String, property: String) {
    #expect(NameWords.lowerCamel(NameWords.words(in: name)) == property)
  }
}
