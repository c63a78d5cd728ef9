import AggregatorCore
import Presentation
import Terminal
import Testing

@Suite("One record in full")
struct LabelledRendererTests {
  private func lines(_ thing: Thing, width: Int?, fields: String? = nil) throws -> [String] {
    let page = Page()
    var renderer = TextRenderer(
      labelling: try Thing.columns(fields), for: Layout(isTerminal: width != nil, width: width ?? 80, style: Style(isColored: false)),
      into: page)
    try renderer.write([thing])
    return page.lines
  }

  private let text = """
    The first paragraph has some words that wrap.

    The second has a list:
    - one that is long enough to need two lines
      - inside
    12. twelve is a number of two digits
    """

  @Test("a long text keeps its paragraphs and lists, and wraps at words under its beginning")
  func paragraphs() throws {
    #expect(
      try lines(Thing(id: "1", about: text), width: 40, fields: "about") == [
        "About: The first paragraph has some",
        "       words that wrap.",
        "",
        "       The second has a list:",
        "       - one that is long enough to need",
        "         two lines",
        "         - inside",
        "       12. twelve is a number of two",
        "           digits",
      ])
  }

  @Test("without a terminal nothing wraps, and the paragraphs stay")
  func piped() throws {
    let lines = try lines(Thing(id: "1", about: text), width: nil, fields: "about")
    #expect(lines.first == "About: The first paragraph has some words that wrap.")
    #expect(lines.contains("       - one that is long enough to need two lines"))
  }

  @Test("beside a long label there is no room: the text stands below")
  func below() throws {
    #expect(
      try lines(Thing(place: Thing.Place(city: "Llanfairpwllgwyngyll by the sea")), width: 24, fields: "place.city") == [
        "Place city:", "  Llanfairpwllgwyngyll", "  by the sea",
      ])
  }

  @Test(
    "a part reads by its phrase, without what is missing",
    arguments: [("Riga", "LV", "Riga (LV)"), (nil, "LV", "(LV)"), ("Riga", nil, "Riga")] as [(String?, String?, String)])
  func parts(city: String?, code: String?, expected: String) throws {
    #expect(try lines(Thing(id: "1", place: Thing.Place(city: city, code: code)), width: 80).last == "Place: \(expected)")
  }
}
