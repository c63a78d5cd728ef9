import Platform
import Testing

@testable import AggregatorCore
@testable import KeyFiles

@Suite struct ExampleTests {
  /// The committed example, beside `Tests`.
  static let path = Paths.join(
    #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }, "Configuration/Example.xcconfig")

  @Test("the example reads without a warning, as it is and with its comments taken off")
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
