import AggregatorCore
import Presentation
import Terminal
import Testing

@testable import RecordFormats

@Suite("Records as YAML")
struct YAMLRendererTests {
  @Test("records as YAML are a list of blocks, and a single record is a block without a list")
  func blocks() throws {
    let thing = Thing(id: "1", name: "Ada", url: "https://example.com/a", place: Thing.Place(city: nil, code: "LV"))
    let record = """
      id: "1"
      name: Ada
      url: https://example.com/a
      place:
        city: null
        code: LV

      """
    let fields = "id,name,url,place"
    #expect(try Format.yaml.text(of: [thing], width: nil, fields: fields, in: .none).text == record)
    let item = "- " + record.dropLast().split(separator: "\n").joined(separator: "\n  ") + "\n"
    #expect(try Format.yaml.text(of: [thing, thing], width: 40, fields: fields).text == item + item)
    #expect(try Format.yaml.text(of: [], width: nil).text == "[]\n")
  }

  @Test("nested lists and parts are indented in YAML, and empty ones stay on their line")
  func nested() {
    let part = Value.object([
      Member(name: "a", value: .list([.int(1), .list([.text("b"), .list([])]), .object([Member(name: "c d", value: .bool(true))])])),
      Member(name: "no", value: .object([])), Member(name: "n", value: .double(1e20)), Member(name: "m", value: .double(-0.5)),
    ])
    #expect(
      "-" + YAML.item(part, indent: 0) == """
        - a:
            - 1
            -
              - b
              - []
            - c d: true
          "no": {}
          "n": 1.0e+20
          m: -0.5
        """)
  }

  @Test(
    "a number with an exponent has a point and a sign, without which version 1.1 reads a text",
    arguments: [("1e-7", "1.0e-7"), ("1E2", "1.0E+2"), ("-1.5e10", "-1.5e+10"), ("1.10", "1.10"), ("12", "12")])
  func decimals(text: String, written: String) throws {
    let decimal = try #require(DecimalNumber(text))
    #expect(YAML.item(.decimal(decimal), indent: 0) == " " + written)
  }

  @Test("YAML quotes the texts that version 1.1 or 1.2 could take for another value, and leaves others plain")
  func texts() {
    for plain in [
      "Ada", "Ada Lovelace", "École", "中国", "ada@example.com", "https://example.com/?a=b&c=d", "a:b", "Yes Man", "it's", "x-1", "a_b, c",
    ] {
      #expect(YAML.text(plain) == plain)
    }
    let quoted = [
      "", " a", "a ", "yes", "No", "ON", "off", "y", "N", "true", "FALSE", "null", "Null", "~", "NaN", "1", "-1", "+1", "0470", "1e3", ".5",
      ".inf", "0x1F", "0o7", "1_000", "12:30:45", "2026-01-02", "2026-01-02T03:04:05Z", "a: b", "a:", ": a", "a #b", "#a", "- a", "-",
      "---",
      "? a", "[a]", "{a}", "&a", "*a", "!a", "|", ">", "'a'", "%a", "@a", "`a`", "<<", "=", "...", "a\u{A0}b",
    ]
    for text in quoted { #expect(YAML.text(text) == "\"\(text)\"") }
    #expect(YAML.text("a\"b\\c") == #""a\"b\\c""#)
    #expect(
      YAML.text("a\nb\tc\r\u{0}\u{1B}[31m\u{85}\u{2028}\u{202E}\u{FEFF}\u{10FFFF}")
        == #""a\nb\tc\x0d\x00\x1b[31m\x85\u2028\u202e\ufeff\U0010ffff""#)
  }
}

@Suite("JSON for people and for programs")
struct JSONLayoutTests {
  private let thing = Thing(id: "1", name: #"say "{[,:]}" \"#, place: Thing.Place(city: nil, code: "LV"))

  @Test("JSON is written in lines on a terminal")
  func lines() throws {
    #expect(
      try Format.json.text(of: [thing], width: 80, fields: "id,name,place", in: .none).text == #"""
        {
          "id": "1",
          "name": "say \"{[,:]}\" \\",
          "place": {
            "city": null,
            "code": "LV"
          }
        }

        """#)
    #expect(try Format.json.text(of: [], width: 80).text == "[]\n")
  }

  @Test("JSON for a program is compact, with the same contents as for a person")
  func compact() throws {
    let compact = try Format.json.text(of: Thing.hostile, width: nil).text
    #expect(!compact.dropLast().contains("\n") && !compact.contains("\u{1B}"))
    let colored = try Format.json.text(of: Thing.hostile, width: 80, style: Style(isColored: true)).text
    let plain = try Format.json.text(of: Thing.hostile, width: 80).text
    #expect(Printable.clean(colored, lines: .kept) == plain)
    #expect(plain.contains(#"\u202eabc\u202c"#))
    #expect(try JSON(Array(plain.utf8)).value == JSON(Array(compact.utf8)).value)
    #expect(colored.contains("\u{1B}[1m\"id\"\u{1B}[0m: \u{1B}[32m\"a\"\u{1B}[0m"))
  }

  @Test("the object around an answer is laid out while it comes")
  func envelope() throws {
    let text = try Format.json.text(
      of: [thing], width: 80, fields: "id", in: .envelope(Envelope(source: "things", text: nil, limit: 20))
    ).text
    #expect(
      text.hasPrefix(
        "{\n  \"source\": \"things\",\n  \"query\": {\n    \"text\": null,\n    \"limit\": 20\n  },\n  \"origin\": null,\n  \"items\": [\n    {\n      \"id\": \"1\"\n    }\n  ],\n  \"total\": null,"
      ))
    #expect(text.hasSuffix("  }\n}\n"))
  }

  @Test("a line of ndjson stays one line")
  func ndjson() throws {
    #expect(try Format.ndjson.text(of: [thing, thing], width: 80, fields: "id").lines == [#"{"id":"1"}"#, #"{"id":"1"}"#])
  }
}

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

  @Test("without a terminal no text wraps, and the paragraphs stay")
  func piped() throws {
    let lines = try lines(Thing(id: "1", about: text), width: nil, fields: "about")
    #expect(lines.first == "About: The first paragraph has some words that wrap.")
    #expect(lines.contains("       - one that is long enough to need two lines"))
  }

  @Test("a text without room beside its long label is below it")
  func below() throws {
    #expect(
      try lines(Thing(place: Thing.Place(city: "Llanfairpwllgwyngyll by the sea")), width: 24, fields: "place.city") == [
        "Place city:", "  Llanfairpwllgwyngyll", "  by the sea",
      ])
  }

  @Test(
    "a part is written by its line format, without missing values",
    arguments: [("Riga", "LV", "Riga (LV)"), (nil, "LV", "(LV)"), ("Riga", nil, "Riga")] as [(String?, String?, String)])
  func parts(city: String?, code: String?, expected: String) throws {
    #expect(try lines(Thing(id: "1", place: Thing.Place(city: city, code: code)), width: 80).last == "Place: \(expected)")
  }
}
