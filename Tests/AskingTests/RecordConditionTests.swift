import AggregatorCore
import Asking
import Testing

@Suite struct RecordConditionTests {
  /// 23 November 2026 was a Monday.
  private static let conditionForms = "write FIELD=VALUE, with =, !=, ~, !~, or in quotes <, <=, >, >= and 'FIELD in a,b'"
  private static let timeForms = "write 2w, yesterday, monday, 2026, 2026-11, 2026-11-01 or 2026-11-01T06:00:00Z"
  private static let several =
    "holds several conditions; give where=FIELD=VALUE once for each, or put the value in double quotes"
  private static let now = Moment(iso: "2026-11-23T10:00:00Z") ?? Moment(secondsSinceEpoch: 0)
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
    "a condition holds as a person expects",
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
    #expect(try RecordCondition(text, on: Self.leaves, at: Self.now).isMet(by: Self.record) == isMet)
  }

  private static let ordered: [Leaf] = [
    Leaf(FieldPath(["id"]), .integer), Leaf(FieldPath(["price"]), .number), Leaf(FieldPath(["exact"]), .number),
    Leaf(FieldPath(["rank"])), Leaf(FieldPath(["born"]), .time), Leaf(FieldPath(["seen"]), .time), Leaf(FieldPath(["title"]), .text),
    Leaf(FieldPath(["isNew"]), .bool), Leaf(FieldPath(["url"]), .address), Leaf(FieldPath(["sizes"]), .integer, mayBeList: true),
    Leaf(FieldPath(["gone"]), .time), Leaf(FieldPath(["old"]), .time), Leaf(FieldPath(["size", "width"]), .integer),
    Leaf(FieldPath(["size", "height"]), .integer),
  ]
  private static let measured = Value.object([
    Member(name: "id", value: .int(9_007_199_254_740_993)), Member(name: "price", value: .double(19.9)),
    Member(name: "exact", value: .text("-100000000000000000000.10")), Member(name: "rank", value: .int(10)),
    Member(name: "born", value: .text("2020-03-01T01:30:00+02:00")), Member(name: "seen", value: .text("2020-03-01")),
    Member(name: "title", value: .text("5")), Member(name: "gone", value: .null), Member(name: "old", value: .text("0001-01-01T00:00:00Z")),
  ])

  @Test(
    "numbers compare exactly, and times as moments, in any zone",
    arguments: [
      ("id>9007199254740992", true), ("id<9007199254740993", false), ("id<=9007199254740993", true), ("id>=9007199254740994", false),
      ("id<9007199254740993.5", true), ("id>-1", true), ("id<1e20", true), ("price>=19.90", true), ("price>19.90", false),
      ("price<20", true), ("price<=19.9", true), ("price<2e1", true), ("price>.5", true), ("exact<-100000000000000000000", true),
      ("exact=-100000000000000000000.1", true), ("exact>-100000000000000000000.11", true), ("exact>-0", false), ("exact<0", true),
      ("rank>9", true), ("rank<9", false), ("rank > 9", true), ("size.width>0", false),
      ("born<2020-03", true), ("born>=2020-02-29", true), ("born>2020-02-29T23:29:59Z", true), ("born>2020-02-29T23:30:00Z", false),
      ("born>=2020-02-29T23:30Z", true), ("born=2020-02-29T23:30:00Z", true), ("old=0001-01-01", true), ("old!=0001-01-01", false),
      ("born!=2020-02-29T23:30:00Z", false),
      ("born<2020-03-01T01:30:00+01:59", true), ("born<2021", true), ("born>2020", true), ("seen>=2020-03", true), ("seen>2020-03", false),
      ("seen<=2020-03-01", true), ("seen=2020-03-01T00:00:00Z", true), ("gone<2020", false), ("gone>=2020", false), ("gone!=2020", true),
    ])
  func compares(text: String, isMet: Bool) throws {
    #expect(try RecordCondition(text, on: Self.ordered, at: Self.now).isMet(by: Self.measured) == isMet)
  }

  @Test(
    "texts that are numbers compare as numbers, but one with a leading zero is a code",
    arguments: [
      ("12.04", "price<100", true), ("1017.39", "price>999.33", true), ("999.33", "price>1017.39", false), ("-5", "price<0", true),
      ("12.040", "price=12.04", true), ("12.040", "price!=12.04", false), ("0470", "price=470", false), ("470", "price=0470", false),
      ("0470", "price=0470", true), ("0470", "price>469", true), ("1e5", "price=100000", false), ("12.04", "price~2.0", true),
      ("", "price>1", false), ("n/a", "price>1", false), ("n/a", "price!=12", true), ("0.5", "price=.50", true),
      ("1.10", "price=\"1.1\"", false), ("1.10", "price=\"1.10\"", true), ("1.10", "price in \"1.1\",2", false),
      ("1.1", "price!=\"1.10\"", true),
    ])
  func numbersInTexts(value: String, condition: String, isMet: Bool) throws {
    for kind in [Leaf.Kind.text, .any] {
      let condition = try RecordCondition(condition, on: [Leaf(FieldPath(["price"]), kind)], at: Self.now)
      let record = Value.object([Member(name: "price", value: value.isEmpty ? .null : .text(value))])
      #expect(condition.isMet(by: record) == isMet)
    }
  }

  @Test(
    "texts that are numbers are sorted by size, before other texts",
    arguments: [
      ("price", ["-3", "12.04", "999.33", "01017.39", "1e5x", "n/a"]), ("-price", ["n/a", "1e5x", "01017.39", "999.33", "12.04", "-3"]),
    ])
  func sortsNumbersInTexts(text: String, sorted: [String]) throws {
    let values = ["999.33", "n/a", "01017.39", "-3", "12.04", "1e5x"]
    for kind in [Leaf.Kind.text, .any] {
      let order = try RecordOrder(text, of: [Leaf(FieldPath(["price"]), kind)])
      #expect(
        order.sorted(values) { .object([Member(name: "price", value: .text($0))]) }
          == sorted)
    }
  }

  @Test(
    "a sign with its characters swapped is refused for ordered values, but a text may begin with one",
    arguments: ["born=>2020", "id=>5", "rank=<5", "title==b"])
  func turnedSigns(text: String) throws {
    #expect(throws: SourceError.self) { try RecordCondition(text, on: Self.ordered, at: Self.now) }
    let title = Value.object([Member(name: "title", value: .text("<b> =>"))])
    #expect(try RecordCondition("title=<b> =>", on: Self.ordered, at: Self.now).isMet(by: title))
  }

  @Test(
    "a field of unknown type compares with a number only if its value is one", arguments: [Value.text("five"), .bool(true), .null])
  func unknownValues(value: Value) throws {
    for text in ["rank<10", "rank>=0"] {
      #expect(try !RecordCondition(text, on: Self.ordered, at: Self.now).isMet(by: .object([Member(name: "rank", value: value)])))
    }
  }

  @Test(
    "a value without an order does not compare, and neither does an invalid number or time",
    arguments: [
      ("title<b", "title has no order; fields with an order: id, price, exact, rank, born, seen, gone, old, size.width, size.height"),
      ("isNew>=0", "isNew has no order; fields with an order: id, price, exact, rank, born, seen, gone, old, size.width, size.height"),
      ("url>a", "url has no order; fields with an order: id, price, exact, rank, born, seen, gone, old, size.width, size.height"),
      ("sizes<5", "sizes has no order; fields with an order: id, price, exact, rank, born, seen, gone, old, size.width, size.height"),
      ("size<5", "\"size\" has several values; choose one of size.width, size.height"),
      ("price<cheap", "\"cheap\" is not a number; price compares with one, such as 19.90"),
      ("rank<0x1", "\"0x1\" is not a number; rank compares with one, such as 19.90"),
      ("born>2020-13", "\"2020-13\" is not a time; \(Self.timeForms)"),
      ("born>March", "\"March\" is not a time; \(Self.timeForms)"),
      ("id<5 price>3", "\"id<5 price>3\" \(Self.several)"),
      ("id=>5", "\"id=>5\" is not a condition; \(Self.conditionForms)"),
      ("id<", "\"id<\" is not a condition; \(Self.conditionForms)"),
    ])
  func unordered(text: String, message: String) {
    #expect { try RecordCondition(text, on: Self.ordered, at: Self.now) } throws: { "\($0)" == message }
  }

  @Test("where no field has an order, the error says so")
  func noOrder() {
    #expect { try RecordCondition("title<b", on: [Leaf(FieldPath(["title"]), .text)], at: Self.now) } throws: {
      "\($0)" == "title has no order; no field has one"
    }
  }

  @Test(
    "an invalid condition is an error that shows a valid one",
    arguments: [
      ("count==1", "\"count==1\" is not a condition; \(Self.conditionForms)"),
      ("count", "\"count\" is not a condition; \(Self.conditionForms)"),
      ("count=1 name=x", "\"count=1 name=x\" \(Self.several)"),
      ("count=1,name~x", "\"count=1,name~x\" \(Self.several)"),
      ("count~", "\"count~\" is not a condition; \(Self.conditionForms)"),
      ("count!12", "\"count!12\" is not a condition; \(Self.conditionForms)"),
      ("coutn=1", "unknown field \"coutn\"; did you mean \"count\"?"),
    ])
  func refused(text: String, message: String) {
    #expect { try RecordCondition(text, on: Self.leaves, at: Self.now) } throws: { "\($0)" == message }
  }
}

@Suite struct RecordOrderTests {
  private static let leaves: [Leaf] = [Leaf(FieldPath(["key"])), Leaf(FieldPath(["-minus"])), Leaf(FieldPath(["time"]), .time)]

  private func sorted(_ values: [Value], by text: String = "key") throws -> [Value] {
    try RecordOrder(text, of: Self.leaves).sorted(values) { .object([Member(name: "key", value: $0)]) }
  }

  @Test("numbers are sorted by size, texts by their folded form, and missing values come last")
  func ascending() throws {
    #expect(try sorted([.int(9_007_199_254_740_993), .int(9_007_199_254_740_992)]).first == .int(9_007_199_254_740_992))
    #expect(try sorted([.int(10), .null, .int(.min), .double(9.5)]) == [.int(.min), .double(9.5), .int(10), .null])
    #expect(try sorted([.text("b"), .text("Ä"), .null, .text("a")]) == [.text("Ä"), .text("a"), .text("b"), .null])
    #expect(try sorted([.text("a"), .int(3), .bool(true)]) == [.bool(true), .int(3), .text("a")])
  }

  @Test("times are sorted as moments, with any offset, and before texts that are not times")
  func times() throws {
    let times = ["soon", "2020-03-01T00:00:00-01:00", "2020-03-01T02:30:00+02:00", "2020-03", "2019-12-31T23:59:59.5Z", "2020"]
    let records = times.map { Value.object([Member(name: "time", value: .text($0))]) }
    let sorted = try RecordOrder("time", of: Self.leaves).sorted(records) { $0 }
    #expect(sorted == [4, 5, 3, 2, 1, 0].map { records[$0] })
  }

  @Test("a minus turns the order, and missing values still come last")
  func descending() throws {
    #expect(try sorted([.int(1), .null, .int(3), .int(2)], by: "-key") == [.int(3), .int(2), .int(1), .null])
  }

  @Test("equal records keep their order in both directions")
  func stable() throws {
    let values: [Value] = [.text("A"), .text("a"), .text("á")]
    #expect(try sorted(values) == values)
    #expect(try sorted(values, by: "-key") == values)
  }

  @Test("a field whose name begins with a minus can be named")
  func minus() throws {
    #expect(try RecordOrder("-minus", of: Self.leaves).isDescending == false)
    #expect(try RecordOrder("--minus", of: Self.leaves).isDescending)
    #expect { try RecordOrder("kye", of: Self.leaves) } throws: { "\($0)" == "unknown field \"kye\"; did you mean \"key\"?" }
    let parts = [Leaf(FieldPath(["name", "first"])), Leaf(FieldPath(["name", "last"]))]
    #expect { try RecordOrder("name", of: parts) } throws: {
      "\($0)" == "\"name\" has several values; choose one of name.first, name.last"
    }
  }
}

@Suite struct RequirementTests {
  private func summary(_ verdict: Verdict = .complete, _ origin: Origin?) -> Summary {
    var summary = Summary()
    (summary.verdict, summary.origin) = (verdict, origin)
    return summary
  }

  @Test("a requirement that is met says nothing, and one that is not says why")
  func shortfalls() throws {
    #expect(try Requirement.all(in: "complete, live,found,age<1d") == [.complete, .live, .found, .age(below: .seconds(86_400))])
    let (complete, live, young) = (Requirement.complete, Requirement.live, Requirement.age(below: .seconds(86_400)))
    let fresh = summary(.complete, .live)
    let old = summary(.bounded, .cache(age: .seconds(90_000)))
    #expect([complete, live, young].allSatisfy { $0.shortfall(of: fresh) == nil })
    #expect(complete.shortfall(of: old) == "the answer is bounded, not complete")
    #expect(live.shortfall(of: old) == "the answer is not live (cache)")
    #expect(young.shortfall(of: old) == "the answer is 1 day 1 h old, not younger than 1 day")
    #expect(young.shortfall(of: summary(.complete, .cache(age: .seconds(5)))) == nil)
    #expect(young.shortfall(of: summary(.complete, .bundled)) == "the age of the answer is not known (bundled)")
    #expect(Requirement.found.shortfall(of: fresh) == "nothing was found")
    #expect(live.shortfall(of: summary(.complete, nil)) == "the answer is not live (no answer)")
  }

  @Test("an unknown requirement is refused", arguments: ["", "fresh", "age<", "age<0", "age<-1d", "complete,", "age>1d"])
  func refused(text: String) {
    #expect(throws: SourceError.self) { try Requirement.all(in: text) }
  }
}
