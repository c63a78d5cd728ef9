import AggregatorCore
import Testing

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

  @Test("plain fields are their own leaves, parts have those inside them, however deep")
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

  @Test("a field keeps what was said of it")
  func properties() {
    #expect(Home.fields.map(\.outline.isSearchable) == [true, false, false, false, false, false, false])
    #expect(Home.fields.map(\.outline.isDetail) == [false, false, false, true, false, false, false])
    #expect(Home.fields[0].role == .title && Home.fields[1].role == .plain)
    #expect(Home.fields[2].outline.width == .hidden && Home.fields[1].outline.width == .flexible)
  }
}
