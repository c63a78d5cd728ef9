import Testing

@testable import AggregatorCore

@Suite("Fields")
struct FieldTests {
  struct Place: Part {
    var city = ""
    var point: Point?
    static let fields: [Field<Place>] = [Field("city", \.city), Field("point", \.point)]
  }

  struct Point: Part {
    var x = 0.0
    var y = 0.0
    static let fields: [Field<Point>] = [Field("x", \.x), Field("y", \.y)]
  }

  struct Home: Fielded {
    let name: String?
    let floors: Int
    let isSold: Bool
    let place: Place
    let previous: Place?
    let tags: [String]
    let views: [Point]

    static let fields: [Field<Home>] = [
      Field("name", .title, searchable: true) { $0.name },
      Field("floors") { $0.floors },
      Field("isSold", width: .hidden) { $0.isSold },
      Field("place", detail: true) { $0.place },
      Field("previous") { $0.previous },
      Field("tags") { $0.tags },
      Field("views") { $0.views },
    ]
  }

  private let home = Home(
    name: nil, floors: 2, isSold: true, place: Place(city: "Riga", point: Point(x: 1.5, y: -2)), previous: nil, tags: ["a", "b"],
    views: [Point(x: 0, y: 1)])

  @Test("plain fields are their own leaves, and parts have the leaves of their fields, at any depth")
  func leaves() {
    #expect(
      Home.fields.map(\.outline).leaves.map(\.path.text) == [
        "name", "floors", "isSold", "place.city", "place.point.x", "place.point.y", "previous.city", "previous.point.x",
        "previous.point.y", "tags", "views",
      ])
  }

  @Test("a record is its fields' values in order, missing ones null")
  func value() throws {
    let value = home.value
    guard case .object(let members) = value else { return #expect(Bool(false), "not an object") }
    #expect(members.map(\.name) == Home.fields.map(\.name))
    #expect(value["name"] == .null)
    #expect(value["floors"] == .int(2))
    #expect(value["isSold"] == .bool(true))
    #expect(value["place"]?["city"] == .text("Riga"))
    #expect(value["place"]?["point"]?["y"] == .double(-2))
    #expect(value["previous"] == .null)
    #expect(value["tags"] == .list([.text("a"), .text("b")]))
    #expect(value["views"] == .list([.object([Member(name: "x", value: .double(0)), Member(name: "y", value: .double(1))])]))
  }

  @Test("a field keeps its properties")
  func properties() {
    #expect(Home.fields.map(\.outline.isSearchable) == [true, false, false, false, false, false, false])
    #expect(Home.fields.map(\.outline.isDetail) == [false, false, false, true, false, false, false])
    #expect(Home.fields[0].role == .title && Home.fields[1].role == .plain)
    #expect(Home.fields[2].outline.width == .hidden && Home.fields[1].outline.width == .flexible)
  }
}

@Suite("Phrases")
struct PhraseTests {
  private func line(_ lineFormat: LineFormat, _ values: [String: String]) -> String { lineFormat.line { values[$0.text] ?? "" } }

  private let postal: LineFormat = "{street}, {city}, {state} {postcode}, {country}"

  @Test("an address in a phrase reads like an address, whatever is missing")
  func wholeAddress() {
    let whole = ["street": "12 Main St", "city": "Springfield", "state": "Illinois", "postcode": "62701", "country": "United States"]
    #expect(line(postal, whole) == "12 Main St, Springfield, Illinois 62701, United States")
    #expect(line(postal, ["city": "Springfield", "postcode": "62701"]) == "Springfield, 62701")
    #expect(line(postal, [:]) == "")
  }

  @Test(
    "a word of a phrase appears with the value next to it",
    arguments: [
      (["name": "Amazing Fantasy", "issue": "15"], "Amazing Fantasy #15"), (["name": "Amazing Fantasy"], "Amazing Fantasy"),
      (["issue": "15"], "#15"), (["name": "a {b}, c", "issue": "1"], "a {b}, c #1"),
    ])
  func words(values: [String: String], expected: String) { #expect(line("{name} #{issue}", values) == expected) }

  @Test("names in a phrase may hold blanks, commas and dots; words without a value are left out")
  func names() {
    #expect(line("{zip code}, {a\\,b}, {in.side}", ["zip code": "0470", "a\\,b": "x", "in.side": "y"]) == "0470, x, y")
    #expect(line("from {city} with love, {name}", ["name": "Mia"]) == "Mia")
    #expect(line("from {city} with love, {name}", ["city": "Riga"]) == "from Riga with love")
    #expect(line("a } b { c", [:]) == "")
  }
}

@Suite("The way to a value")
struct FieldPathTests {
  static let names = [
    [], ["name"], ["name", "first"], ["address.city"], ["address", "city"], ["a,b", "c"], [#"back\slash"#], [#"\"#, "."], ["it's"],
    [" blank "], ["two words"], ["🪨"], ["é"], ["a", "\u{301}b"], [",\u{301}"], [#"say "hi""#], [#"a\"#, "b"], [#"a\."#], [" "],
  ]

  @Test("the path to a value is written as text and read back", arguments: names)
  func text(names: [String]) { #expect(FieldPath(text: FieldPath(names).text) == FieldPath(names)) }

  @Test("every path to a value has a text of its own")
  func unambiguous() {
    #expect(Set(Self.names.map { FieldPath($0).text }).count == Self.names.count)
    #expect(FieldPath(["name", "first"]).text == "name.first")
    #expect(FieldPath(["address.city"]).text == #"address\.city"#)
  }

  @Test("paths to values are read from a list, with blanks around them or in them")
  func lists() {
    let paths = Self.names.dropFirst().map { FieldPath($0) }
    #expect(FieldPath.texts(in: paths.map(\.text).joined(separator: " , ")).map { FieldPath(text: $0) } == paths)
    #expect(FieldPath.texts(in: " ,, ").isEmpty)
  }

  @Test("a value is found by a name with plain dots if no other path has that name")
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

  @Test("a value is not found by a name with plain dots that two values share")
  func shared() {
    let leaves = [Leaf(FieldPath(["a.b", "c"])), Leaf(FieldPath(["a", "b.c"]))]
    #expect(leaves.byName["a.b.c"] == nil)
    #expect(leaves.byName[#"a\.b.c"#] == leaves[0])
  }
}

@Suite("The description of a source's records")
struct SchemaTests {
  /// A source that describes only the names of its rows.
  struct Named: DataSource {
    let profile = Profile("named", paging: .whole)
    let schema = Schema<Row>(
      [Field("name", .title, searchable: true) { $0.name }], answers: { $0.name == $1 }, read: { try Row($0, as: $1) })

    func page(_ request: PageRequest) async throws -> Page<Row> { Page(of: self, [Row("1", "one"), Row("2", "two")]) }
  }

  /// A wrapper that does not describe the rows.
  struct Silent: Wrapper {
    typealias Item = Row

    let upstream: any DataSource<Row>
  }

  @Test("a source describes its records as their type does, unless it has another description")
  func ofType() { #expect(ModelSource.list(1).schema.outline == Row.fields.map(\.outline)) }

  @Test("the description of a source's records passes through all wrappers around the source")
  func handedOn() throws {
    let source = Named()
    let around: [any DataSource<Row>] = [
      Silent(upstream: source), source.coalesced(), source.replayed(), source.retrying(), source.readAhead(),
      source.cached(in: StoreInMemory()), source.fallback(to: ModelSource.list(1)),
      LastAnswers(of: source, in: StoreInMemory(), scope: ""), source.mapped(to: source.schema) { $0 },
      BundledRecords("named", of: source.schema) { [] },
    ]
    for wrapped in around { #expect(wrapped.schema.outline == source.schema.outline, "\(wrapped)") }
    #expect(source.mapped { $0 }.schema.outline == Row.fields.map(\.outline))
  }

  @Test("the description of a source's records decides which record a name means, and a walk asks it")
  func names() async throws {
    #expect(try await Walked(Named(), .record("two")).ids == ["2"])
    #expect(try await Walked(Named(), .record("2")).ids.isEmpty)
    #expect(try await Walked(Named(), .matching("ONE")).ids == ["1"])
  }
}
