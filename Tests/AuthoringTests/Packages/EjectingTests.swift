import AggregatorCore
import Platform
import ScratchFolders
import Services
import Testing

@testable import Authoring

/// Packages that are written from a manifest. `Scripts/test-scaffold` shows that they compile and keep every law.
@Suite struct EjectingTests {
  private let rows = #"{"rows":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"next":null}"#

  /// A manifest of things with these members of the service and of the source.
  private func manifest(_ service: String = "", _ source: String) -> String {
    #"{"aggregator":1,"address":{"setting":"THINGS_URL","default":"https://api.example/"},\#(service)"sources":{"things":{"#
      + #""summary":"Things","rows":"rows","key":"id","fields":[{"name":"id","type":"integer"},{"name":"name","searchable":true}],"#
      + source + "}}}"
  }

  @Test("the description is compiled into the package byte by byte, and is not repeated in Swift")
  func description() async throws {
    let manifest = manifest("", #""list":{"path":"things"},"paging":{"by":"whole"}"#)
    let written = try await EjectedPackage(manifest: manifest, over: [("things", rows)])
    #expect(written.description == manifest)
    #expect(written.text("/Bundle/things.c").contains("#embed \"things.json\"\n"))
    #expect(written.text("Package.swift").contains("cLanguageStandard: .gnu2x"))
    #expect(written.descriptor.contains(#"Source("things", describedBy: try manifest, as: Thing.self)"#))
    for file in written.package.files where file.path.hasSuffix(".swift") {
      #expect(!String(decoding: file.bytes, as: UTF8.self).contains("PageRequest"), "\(file.path)")
    }
  }

  @Test("settings of the recording are given to the tests")
  func settings() async throws {
    let written = try await EjectedPackage(
      manifest: manifest(
        #""settings":[{"setting":"THINGS_TOWN"}],"#, #""list":{"path":"towns/{THINGS_TOWN}/things"},"paging":{"by":"whole"}"#),
      over: [("towns/ulm/things", rows)])
    #expect(written.tests.contains(#"private let settings = ["THINGS_TOWN": "ulm"]"#))
    #expect(written.tests.contains("settings: settings"))
    #expect(written.readme.contains("$ export THINGS_TOWN=…"))
  }

  @Test("a walk is not expected to be complete if the list does not show its end")
  func open() async throws {
    let written = try await EjectedPackage(
      manifest: manifest("", #""list":{"path":"things"},"paging":{"by":"whole","end":"never"}"#), over: [("things", rows)])
    #expect(!written.tests.contains(".complete"))
  }

  @Test("bundled rows are compiled in beside the description")
  func bundled() async throws {
    let folder = try ScratchFolder()
    let row = #"{"id":1,"name":"\\(fatalError()) \"*/"}"#
    try SystemFiles().replace("\(folder.path)/rows.ndjson", with: Array(row.utf8))
    let source = #""list":{"path":"things"},"paging":{"by":"whole"},"bundled":"rows.ndjson""#
    let written = try await EjectedPackage(manifest: manifest("", source), in: folder.path, over: [("things", rows)])
    #expect(written.text("/Bundle/things.ndjson") == row)
    #expect(written.text("/Bundle/things.c").contains("#embed \"things.ndjson\"\n"))
    #expect(written.descriptor.contains("let rows = bytes(of: things_records())"))
  }

  @Test("a package without a SPEC has a small handwritten source that asks for its page itself")
  func byHand() throws {
    let package = try SourcePackage(SourceName("coffee-bars"), core: "/core")
    let texts = Dictionary(
      package.files.map { ($0.path, String(decoding: $0.bytes, as: UTF8.self)) }, uniquingKeysWith: { $1 })
    #expect(texts["Sources/CoffeeBars/CoffeeBarsService.swift"]?.contains("func page(_ request: PageRequest) async throws") == true)
    #expect(texts["Sources/CoffeeBars/Source+CoffeeBars.swift"]?.contains(#""COFFEE_BARS_URL""#) == true)
    #expect(texts["README.md"]?.contains("The service is invented") == true)
    #expect(texts["Tests/CoffeeBarsTests/Fixtures/coffee-bars.har"] != nil)
  }
}
