import AggregatorCore
import StoreTesting
import Testing

@Suite struct StoreLawsTests {
  @Test("what is kept in memory keeps every law", arguments: StoreLaw.allCases)
  func memory(law: StoreLaw) async {
    let laws = StoreLaws("memory") {
      let store = StoreInMemory()
      return { store }
    }
    #expect(await laws.breach(of: law) == nil)
  }

  @Test("Each saboteur fails exactly its own law, and each law has one")
  func matrix() async {
    let matrix = await StoreSaboteurMatrix()
    print(matrix)
    for complaint in matrix.complaints { Issue.record("\(complaint)") }
  }
}
