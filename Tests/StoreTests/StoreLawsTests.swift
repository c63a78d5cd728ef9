import ScratchFolders
import Store
import StoreTesting
import Testing

@Suite struct StoreLawsTests {
  @Test("a store in a file keeps every law", arguments: StoreLaw.allCases)
  func laws(law: StoreLaw) async throws {
    let scratch = try ScratchFolder()
    let laws = StoreLaws("sqlite") { { SQLiteStore(at: scratch["store.db"]) } }
    #expect(await laws.breach(of: law) == nil)
  }
}
