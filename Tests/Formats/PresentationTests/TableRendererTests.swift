import AggregatorCore
import Asking
import RecordFormats
import Terminal
import Testing

@testable import Presentation

@Suite("Tables, cards and lines of records from anywhere")
struct TableRendererTests {
  @Test(
    "no line of any format for people is wider than the terminal, with any records", arguments: [1, 3, 20, 40, 80, 200],
    [nil, "all", "name,about", "place,id"])
  func width(columns: Int, fields: String?) throws {
    for format in [Format.table, .cards] {
      for line in try format.text(of: Thing.hostile, width: columns, fields: fields).lines {
        // A wide character in a single column is alone.
        #expect(DisplayWidth.of(line) <= max(2, columns), "\(format): \(line)")
      }
    }
    let page = Page()
    var renderer = TextRenderer(
      labelling: try Thing.columns(fields), for: Layout(isTerminal: true, width: columns, style: Style(isColored: false)), into: page)
    try renderer.write(Thing.hostile)
    for line in page.lines { #expect(DisplayWidth.of(line) <= max(2, columns), "show: \(line)") }
  }

  @Test("no text of a record controls a terminal", arguments: [nil, "all"])
  func controls(fields: String?) throws {
    for format in [Format.table, .cards, .tsv] {
      let text = try format.text(of: Thing.hostile, width: 80, fields: fields).text
      #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) })
    }
  }

  @Test("the id is shown whole, even if its field is declared hidden and comes second", arguments: [14, 20, 40, 80, 200])
  func id(columns: Int) throws {
    let things = Thing.hostile.filter { !$0.id.isEmpty }
    let lines = try Format.table.text(of: things, width: columns).lines.dropFirst()
    for (line, thing) in zip(lines, things) { #expect(line.contains(Printable.clean(thing.id))) }
  }

  @Test("a later id that is longer than all before is whole too, and its row keeps the width")
  func laterID() throws {
    let page = Page()
    var renderer = Format.table.renderer(
      try Thing.columns(), for: Layout(isTerminal: true, width: 30, style: Style(isColored: false)), into: page)
    try renderer.print(Thing.schema.shown([Thing(id: "1", name: "a name of some length", badge: "B")]))
    let later = Thing(id: "12345678901234567890", name: "another name of some length", badge: "BB")
    try renderer.print(Thing.schema.shown([later]))
    #expect(
      page.lines == [
        "ID  NAME                 BADGE", "1   a name of some len…  B", "12345678901234567890  another…",
      ])
  }

  @Test("a later value that is longer than all before is whole where the terminal has room")
  func laterName() throws {
    let page = Page()
    var renderer = Format.table.renderer(
      try Thing.columns("id,name,badge"), for: Layout(isTerminal: true, width: 30, style: Style(isColored: false)), into: page)
    try renderer.print(Thing.schema.shown([Thing(id: "1", name: "Boat 68", badge: "B")]))
    try renderer.print(Thing.schema.shown([Thing(id: "2", name: "Boat 138", badge: "B")]))
    try renderer.print(Thing.schema.shown([Thing(id: "3", name: "A boat with a long, long name", badge: "B")]))
    #expect(page.lines == ["ID  NAME     BADGE", "1   Boat 68  B", "2   Boat 138  B", "3   A boat with a long…  B"])
  }

  @Test("a table and tsv have the same columns in the same order, with any values")
  func columns() throws {
    let table = try Format.table.text(of: [Thing()], width: 200).lines[0]
    #expect(table.split(separator: " ").map { $0.lowercased() } == ["id", "name", "badge", "about", "url"])
    #expect(try Format.tsv.text(of: [Thing()], width: nil).lines[0] == "id\tname\tbadge\tabout\turl")
    #expect(try Format.tsv.text(of: Thing.hostile, width: 20).lines[0] == "id\tname\tbadge\tabout\turl")
    #expect(
      try Format.tsv.text(of: [Thing()], width: nil, fields: "all").lines[0]
        == "name\tid\tbadge\tabout\turl\tplace.city\tplace.code\tsecret")
  }

  @Test("fields for people alone are in no JSON and no csv, unless they are asked for")
  func textOnly() throws {
    for format in [Format.json, .ndjson, .csv] {
      #expect(!(try format.text(of: [Thing()], width: nil).text.contains("secret")))
      #expect(try format.text(of: [Thing()], width: nil, fields: "secret").text.contains("secret"))
    }
  }

  @Test("csv has a text of an address as JSON where it could be taken for a list, an object or a text in quotes")
  func textsLikeJSON() throws {
    let cells = [
      ("[1]", "\"\"\"[1]\"\"\""), ("{}", "\"\"\"{}\"\"\""), ("\"a\"", "\"\"\"\\\"\"a\\\"\"\"\"\""), ("7", "7"), ("[::1]", "[::1]"),
    ]
    for (text, cell) in cells {
      #expect(try Format.csv.text(of: [Thing(url: text)], width: nil, fields: "url").text == "url\n\(cell)\n")
    }
    #expect(try Format.csv.text(of: [Thing(name: "[1]")], width: nil, fields: "name").text == "name\n[1]\n")
  }

  @Test("columns that did not fit are named in one line, with the way to see them")
  func shortage() throws {
    let things = [Thing(id: "1", name: "x", badge: "B", url: "https://example.com/"), Thing(id: "2", name: "y", badge: "C")]
    #expect(try Format.table.text(of: things, width: 80).shortage == nil)
    #expect(try Format.table.text(of: things, width: 20).shortage == "hidden: url (narrow terminal); try --fields")
    #expect(
      try Format.table.text(of: things, width: 8, fields: "id,badge,name").shortage
        == "hidden: badge (narrow terminal); name fewer --fields")
    #expect(
      try Format.table.text(of: [Thing(id: String(repeating: "9", count: 30))], width: 20).shortage
        == "id does not fit and is cut; try --format tsv")
  }

  @Test("of many columns that did not fit some are named, and the others counted")
  func manyHidden() throws {
    let thing = Thing(id: String(repeating: "9", count: 12), name: "x", badge: "B", about: "About", url: "https://example.com/")
    var columns = try Thing.columns()
    columns.tellsHidden = true
    func shortage(_ format: Format, _ width: Int) throws -> String? {
      let layout = Layout(isTerminal: format == .table, width: width, style: Style(isColored: false))
      var renderer = format.renderer(columns, for: layout, into: Page())
      try renderer.write([thing])
      return renderer.shortage
    }
    #expect(
      try shortage(.table, 12)
        == "hidden: name, badge, about, url (narrow terminal); left out: place.city, place.code; try --fields")
    #expect(try shortage(.table, 80) == "left out: place.city, place.code; try --fields")
    #expect(try shortage(.tsv, 80) == "left out: place.city, place.code; try --fields")
    #expect(try shortage(.csv, 80) == nil)
    #expect(someNames((1...20).map { "field\($0)" }) == "field1, field2, field3, field4, field5 and 15 more")
  }

  @Test(
    "the name of a field is written for people",
    arguments: [
      ("contact_id", "Contact id"), ("first_name", "First name"), ("firstName", "First name"), ("id", "ID"), ("nat", "Nat"),
      ("html_url", "Html url"), ("userID", "User id"), ("HTTPStatus", "Http status"), ("opening-hours", "Opening hours"),
      ("_links", "Links"), ("uuid", "UUID"), ("line2Text", "Line2 text"), ("name.first", "Name first"), ("größeInCm", "Größe in cm"),
    ])
  func label(name: String, label: String) { #expect(FieldPath(text: name).label == label) }

  @Test("a card has its badge at the right edge, whole unless it is wider than the terminal", arguments: [20, 40, 80])
  func badge(columns: Int) throws {
    let cards = try Format.cards.text(of: [Thing(name: "Some name that is long enough to wrap", badge: "BADGE")], width: columns).lines
    #expect(cards[0].hasSuffix("BADGE") && DisplayWidth.of(cards[0]) == columns)
    let wide = try Format.cards.text(of: [Thing(name: "x", badge: String(repeating: "badge ", count: 30))], width: columns).lines
    #expect(wide.joined(separator: " ").split(separator: " ").filter { $0 == "badge" }.count == 30)
  }

  @Test("a card of chosen fields has only these; those without a place have a label")
  func chosenCard() throws {
    let thing = Thing(id: "7", name: "Name", badge: "B", about: "About", place: Thing.Place(city: "Riga", code: "LV"))
    #expect(try Format.cards.text(of: [thing], width: 20).lines == ["Name               B", "About"])
    #expect(
      try Format.cards.text(of: [thing], width: 20, fields: "id,name,place").lines == [
        "Name", "ID: 7", "Place city: Riga", "Place code: LV",
      ])
  }

  @Test("a card without a field for its second line has the first values that say something")
  func details() throws {
    struct Boat: Fielded, SourceItem {
      var id = "7"
      var name: String? = "Anna"
      var note: String? = nil
      var berths: Int? = 4
      var isSold: Bool? = true
      var tags: [String] = ["red", "old"]
      var seen: String? = "2026-01-05"
      static let fields: [Field<Boat>] = [
        Field("name", .title) { $0.name }, Field("id") { $0.id }, Field("note") { $0.note }, Field("free_berths") { $0.berths },
        Field("isSold") { $0.isSold }, Field("tags") { $0.tags }, Field("seen") { $0.seen },
      ]
      static let schema = Schema<Boat>(fields) { row, _ in Boat() }
    }
    let (outline, moment) = (Boat.schema.outline, Moment(nanoseconds: 0))
    let columns = Columns(Selection(of: outline, detail: false), of: outline, id: "id", at: moment)
    func told(_ boat: Boat) -> [String] { columns.card(of: Boat.schema.shown([boat])[0]).details }
    let card = columns.card(of: Boat.schema.shown([Boat()])[0])
    #expect(card.details == ["7", "red, old", "2026-01-05", "free berths 4"])
    #expect(card.lines(width: 40).map(\.text) == ["Anna", "7 · red, old · 2026-01-05 · free berths…"])
    #expect(card.lines(width: 20).map(\.text) == ["Anna", "7 · red, old · 2026…"])
    #expect(told(Boat(tags: [], seen: nil)) == ["7", "free berths 4", "is sold"])
    #expect(told(Boat(isSold: false, tags: [], seen: nil)) == ["7", "free berths 4"])
    #expect(try Thing.columns().card(of: Thing.schema.shown([Thing(badge: "B")])[0]).details == [])
    // A record without a title is called by its id.
    #expect(try Thing.columns().card(of: Thing.schema.shown([Thing(id: "t7", badge: "B")])[0]).title == "t7")
  }

  @Test("the reason why a record was found is the field with the words that are not shown")
  func reason() throws {
    let thing = Sought(
      id: "7", name: "Peter", aliases: ["Spidey", "Web-Head"], story: String(repeating: "long ago ", count: 9) + "a lamb bit him")
    let (outline, record) = (Sought.schema.outline, Sought.schema.shown([thing])[0])
    let columns = Columns(Selection(of: outline, detail: false), of: outline, id: "id", at: Moment(nanoseconds: 0))
    func reason(_ text: String) throws -> String? {
      columns.reason(for: try #require(SearchPhrase(text)), in: record, besides: ["Peter", "7"])
    }
    #expect(try reason("PETER") == nil)
    #expect(try reason("webhead") == "Aliases: Web-Head")
    #expect(try reason("peter spid") == "Aliases: Spidey")
    #expect(try reason("lamb") == "Long story: … ago a lamb bit him")
    #expect(try reason("nobody") == nil)
    #expect(try reason("secret") == nil)
    #expect(SearchPhrase(" ") == nil)
  }

  private struct Sought: Fielded, SourceItem {
    var id = ""
    var name: String? = nil
    var aliases: [String] = []
    var story: String? = nil
    static let fields: [Field<Sought>] = [
      Field("id") { $0.id }, Field("name", .title, searchable: true) { $0.name },
      Field("aliases", width: .hidden, searchable: true) { $0.aliases }, Field("long_story", searchable: true) { $0.story },
      Field("hidden") { _ in "secret" as String? },
    ]
    static let schema = Schema<Sought>(fields) { row, _ in Sought(id: try row.string("id")) }
  }
}
