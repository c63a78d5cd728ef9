import AggregatorCore
import Testing

@Suite("Several that answer to one name")
struct NamesakesTests {
  private let schema: Schema<LooseRecord>

  init() throws { schema = try Schema<LooseRecord>([LooseField("id")], id: "id") }

  private func chosen(_ ids: [String], _ name: String) -> String? {
    let items = ids.map { LooseRecord(id: $0, value: .object([Member(name: "id", value: .text($0))])) }
    return Namesakes.choose(among: items, called: name, by: schema, of: "things")?.id
  }

  @Test("an id wins over a name; else the first is meant, for lists begin with the best known")
  func choice() {
    #expect(chosen(["1", "2", "3"], "2") == "2")
    #expect(chosen(["1", "2", "3"], "x") == "1")
    #expect(chosen(["1"], "x") == "1")
    #expect(chosen([], "x") == nil)
  }
}
