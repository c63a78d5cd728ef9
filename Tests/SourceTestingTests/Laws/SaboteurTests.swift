import SourceTesting
import Testing

@Suite struct SaboteurTests {
  @Test("Each saboteur fails exactly its own check, and each law and each hazard has one")
  func matrix() async {
    let matrix = await SaboteurMatrix()
    print(matrix)
    for complaint in matrix.complaints { Issue.record("\(complaint)") }
  }
}
