import AggregatorCore
import Presentation
import Terminal
import Testing

@Suite("Tables, cards and lines of records from anywhere")
struct TableRendererTests {
  @Test(
    "no line of any format for people is wider than the terminal, whatever the records hold", arguments: [1, 3, 20, 40, 80, 200],
    [nil, "all", "name,about", "place,id"])
  func width(columns: Int, fields: String?) throws {
    for format in [Format.table, .cards] {
      for line in try format.text(of: Thing.hostile, width: columns, fields: fields).lines {
        // A wide character where there is one column stands alone.
        #expect(DisplayWidth.of(line) <= max(2, columns), "\(format): \(line)")
      }
    }
    let page = Page()
    var renderer = TextRenderer(
      labelling: try Thing.columns(fields), for: Layout(isTerminal: true, width: columns, style: Style(isColored: false)), into: page)
    try renderer.write(Thing.hostile)
    for line in page.lines { #expect(DisplayWidth.of(line) <= max(2, columns), "show: \(line)") }
  }

  @Test("nothing that a terminal obeys comes from a record", arguments: [nil, "all"])
  func controls(fields: String?) throws {
    for format in [Format.table, .cards, .tsv] {
      let text = try format.text(of: Thing.hostile, width: 80, fields: fields).text
      #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) })
    }
  }

  @Test("the id is there and whole, though its field is declared hidden and comes second", arguments: [14, 20, 40, 80, 200])
  func id(columns: Int) throws {
    let things = Thing.hostile.filter { !$0.id.isEmpty }
    let lines = try Format.table.text(of: things, width: columns).lines.dropFirst()
    for (line, thing) in zip(lines, things) { #expect(line.contains(Printable.clean(thing.id))) }
  }

  @Test("an id that comes later and is longer than all before is whole too, and its row is no wider")
  func laterID() throws {
    let page = Page()
    var renderer = Format.table.renderer(
      try Thing.columns(), for: Layout(isTerminal: true, width: 30, style: Style(isColored: false)), into: page)
    try renderer.print([Thing(id: "1", name: "a name of some length", badge: "B")])
    try renderer.print([Thing(id: "12345678901234567890", name: "another name of some length", badge: "BB")])
    #expect(
      page.lines == [
        "NAME                 ID  BADGE", "a name of some len…  1   B", "another…  12345678901234567890",
      ])
  }

  @Test("a table and tsv have the same columns in the same order, whatever they hold")
  func columns() throws {
    let table = try Format.table.text(of: [Thing()], width: 200).lines[0]
    #expect(table.split(separator: " ").map { $0.lowercased() } == ["name", "id", "badge", "about", "url"])
    #expect(try Format.tsv.text(of: [Thing()], width: nil).lines[0] == "name\tid\tbadge\tabout\turl")
    #expect(try Format.tsv.text(of: Thing.hostile, width: 20).lines[0] == "name\tid\tbadge\tabout\turl")
    #expect(
      try Format.tsv.text(of: [Thing()], width: nil, fields: "all").lines[0]
        == "name\tid\tbadge\tabout\turl\tplace.city\tplace.code\tsecret")
  }

  @Test("what is for people alone is in no JSON and no csv, unless somebody asks for it")
  func textOnly() throws {
    for format in [Format.json, .ndjson, .csv] {
      #expect(!(try format.text(of: [Thing()], width: nil).text.contains("secret")))
      #expect(try format.text(of: [Thing()], width: nil, fields: "secret").text.contains("secret"))
    }
  }

  @Test("what did not fit is said in one line, and how to see it")
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

  @Test("a card has its badge at the right edge, whole unless it is wider than the terminal", arguments: [20, 40, 80])
  func badge(columns: Int) throws {
    let cards = try Format.cards.text(of: [Thing(name: "Some name that is long enough to wrap", badge: "BADGE")], width: columns).lines
    #expect(cards[0].hasSuffix("BADGE") && DisplayWidth.of(cards[0]) == columns)
    let wide = try Format.cards.text(of: [Thing(name: "x", badge: String(repeating: "badge ", count: 30))], width: columns).lines
    #expect(wide.joined(separator: " ").split(separator: " ").filter { $0 == "badge" }.count == 30)
  }

  @Test("a card of chosen fields has these alone; those without a place are labelled")
  func chosenCard() throws {
    let thing = Thing(id: "7", name: "Name", badge: "B", about: "About", place: Thing.Place(city: "Riga", code: "LV"))
    #expect(try Format.cards.text(of: [thing], width: 20).lines == ["Name               B", "About"])
    #expect(
      try Format.cards.text(of: [thing], width: 20, fields: "id,name,place").lines == [
        "Name", "ID: 7", "Place city: Riga", "Place code: LV",
      ])
  }
}
