import AggregatorCore
import Asking
import Testing

@Suite struct RecordConditionTests {
  private static let leaves: [Leaf] = [
    Leaf(FieldPath(["name", "first"])), Leaf(FieldPath(["name", "last"])), Leaf(FieldPath(["city"])), Leaf(FieldPath(["count"])),
    Leaf(FieldPath(["tags"])), Leaf(FieldPath(["is new"])), Leaf(FieldPath(["price"])),
    Leaf(FieldPath(["big"])),
  ]
  private static let record = Value.object([
    Member(name: "name", value: .object([Member(name: "first", value: .text("Zoë")), Member(name: "last", value: .text("O'Neil"))])),
    Member(name: "city", value: .null), Member(name: "count", value: .int(12)),
    Member(name: "tags", value: .list([.text("Red"), .text("blue")])), Member(name: "is new", value: .bool(true)),
    Member(name: "price", value: .double(1.5)), Member(name: "big", value: .int(9_007_199_254_740_993)),
  ])

  @Test(
    "a condition holds as a person would say it does",
    arguments: [
      ("name.first=zoe", true), ("name.first=Zo", false), ("name.first~ZO", true), ("name.first!=zoe", false),
      ("name.last=o'neil", true), ("city=", true), ("city!=", false), ("name.first=", false), ("name.first!=", true),
      ("count=12", true), ("count=12.0", true), ("count!=13", true), ("count~1", true), ("count=1", false),
      ("tags=red", true), ("tags=RED", true), ("tags!=red", false), ("tags!=green", true), ("tags~lu", true),
      ("is new=true", true), ("price=1.50", true), ("name~zo", true), ("name=o'neil", true), ("name!=zoe", false), ("name~x", false),
      (" count =12", true), ("name.first=a=b", false), ("count=0xC", false), ("count=1.2e1", true), ("big=9007199254740993", true),
      ("big=9007199254740992", false),
    ])
  func holds(text: String, isMet: Bool) throws {
    #expect(try RecordCondition(text, on: Self.leaves).isMet(by: Self.record) == isMet)
  }

  @Test(
    "what is no condition says what one looks like",
    arguments: [
      ("count==1", "\"count==1\" is not a condition; write FIELD=VALUE, FIELD!=VALUE or FIELD~TEXT"),
      ("count", "\"count\" is not a condition; write FIELD=VALUE, FIELD!=VALUE or FIELD~TEXT"),
      ("count=1 name=x", "\"count=1 name=x\" holds several conditions; name each condition by itself"),
      ("count=1,name~x", "\"count=1,name~x\" holds several conditions; name each condition by itself"),
      ("count~", "\"count~\" is not a condition; write FIELD=VALUE, FIELD!=VALUE or FIELD~TEXT"),
      ("count!12", "\"count!12\" is not a condition; write FIELD=VALUE, FIELD!=VALUE or FIELD~TEXT"),
      ("coutn=1", "unknown field \"coutn\"; did you mean count?"),
    ])
  func refused(text: String, message: String) {
    #expect { try RecordCondition(text, on: Self.leaves) } throws: { "\($0)" == message }
  }
}

@Suite struct RecordOrderTests {
  private static let leaves: [Leaf] = [Leaf(FieldPath(["key"])), Leaf(FieldPath(["-minus"]))]

  private func sorted(_ values: [Value], by text: String = "key") throws -> [Value] {
    try RecordOrder(text, of: Self.leaves).sorted(values) { .object([Member(name: "key", value: $0)]) }
  }

  @Test("numbers stand by size, texts by what they fold to, and what has no value stands last")
  func ascending() throws {
    #expect(try sorted([.int(9_007_199_254_740_993), .int(9_007_199_254_740_992)]).first == .int(9_007_199_254_740_992))
    #expect(try sorted([.int(10), .null, .int(.min), .double(9.5)]) == [.int(.min), .double(9.5), .int(10), .null])
    #expect(try sorted([.text("b"), .text("Ä"), .null, .text("a")]) == [.text("Ä"), .text("a"), .text("b"), .null])
    #expect(try sorted([.text("a"), .int(3), .bool(true)]) == [.bool(true), .int(3), .text("a")])
  }

  @Test("a minus turns the order, and what has no value stands last all the same")
  func descending() throws {
    #expect(try sorted([.int(1), .null, .int(3), .int(2)], by: "-key") == [.int(3), .int(2), .int(1), .null])
  }

  @Test("records that are equal keep their order, either way")
  func stable() throws {
    let values: [Value] = [.text("A"), .text("a"), .text("á")]
    #expect(try sorted(values) == values)
    #expect(try sorted(values, by: "-key") == values)
  }

  @Test("a field whose name begins with a minus can be named")
  func minus() throws {
    #expect(try RecordOrder("-minus", of: Self.leaves).isDescending == false)
    #expect(try RecordOrder("--minus", of: Self.leaves).isDescending)
    #expect { try RecordOrder("kye", of: Self.leaves) } throws: { "\($0)" == "unknown field \"kye\"; did you mean key?" }
    let parts = [Leaf(FieldPath(["name", "first"])), Leaf(FieldPath(["name", "last"]))]
    #expect { try RecordOrder("name", of: parts) } throws: {
      "\($0)" == "\"name\" has several values; choose one of name.first, name.last"
    }
  }
}
