import FuzzTargets
import Platform
import Testing

/// Every input that the fuzzer kept or failed on, once more. `Scripts/fuzz` finds others.
@Suite("Corpora") struct CorpusTests {
  private static let folder = Paths.folder(of: #filePath) + "/Corpora"

  @Test("every input of a corpus is taken", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) async throws {
    let names = try SystemFiles().list("\(Self.folder)/\(target)")
    #expect(names.count > 2)
    for name in names {
      let bytes = try SystemFiles().read("\(Self.folder)/\(target)/\(name)", upTo: 1 << 20).bytes
      await #expect(throws: Never.self, "\(target)/\(name)") { try await target.run(bytes) }
    }
  }
}
