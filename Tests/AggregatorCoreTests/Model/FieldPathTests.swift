import Testing

@testable import AggregatorCore

@Suite("The way to a value")
struct FieldPathTests {
  static let names = [
    [], ["name"], ["name", "first"], ["address.city"], ["address", "city"], ["a,b", "c"], [#"back\slash"#], [#"\"#, "."], ["it's"],
    [" blank "], ["two words"], ["🪨"], ["é"], ["a", "\u{301}b"], [",\u{301}"], [#"say "hi""#], [#"a\"#, "b"], [#"a\."#], [" "],
  ]

  @Test("is written as a person writes it, and read from that", arguments: names)
  func text(names: [String]) { #expect(FieldPath(text: FieldPath(names).text) == FieldPath(names)) }

  @Test("is written like no other")
  func unambiguous() {
    #expect(Set(Self.names.map { FieldPath($0).text }).count == Self.names.count)
    #expect(FieldPath(["name", "first"]).text == "name.first")
    #expect(FieldPath(["address.city"]).text == #"address\.city"#)
  }

  @Test("stands in a list, with blanks around it or in it")
  func lists() {
    let paths = Self.names.dropFirst().map { FieldPath($0) }
    #expect(FieldPath.texts(in: paths.map(\.text).joined(separator: " , ")).map { FieldPath(text: $0) } == paths)
    #expect(FieldPath.texts(in: " ,, ").isEmpty)
  }

  @Test("is found by a name with plain dots where that is no other's")
  func named() {
    let fields = [FieldOutline("address.city"), FieldOutline("address", leaves: FieldOutline("zip.code").leaves)]
    func names(_ text: String) -> [[String]] { fields.leaves.named(text).map(\.path.names) }
    #expect(names("address.city") == [["address.city"]])
    #expect(names("address") == [["address", "zip.code"]])
    let both = (fields + [FieldOutline("address", leaves: FieldOutline("city").leaves)]).leaves
    #expect(both.named("address.city").map(\.path.names) == [["address", "city"]])
    #expect(both.named(#"address\.city"#).map(\.path.names) == [["address.city"]])
    #expect(both.byName["address.city"]?.path.names == ["address", "city"])
  }

  @Test("that two values share by plain dots is neither's name")
  func shared() {
    let leaves = [Leaf(FieldPath(["a.b", "c"])), Leaf(FieldPath(["a", "b.c"]))]
    #expect(leaves.byName["a.b.c"] == nil)
    #expect(leaves.byName[#"a\.b.c"#] == leaves[0])
  }
}
