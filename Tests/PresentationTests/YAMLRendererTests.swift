import AggregatorCore
import Testing

@testable import Presentation

@Suite("Records as YAML")
struct YAMLRendererTests {
  @Test("are a list of blocks, and one alone is no list")
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

  @Test("of lists and parts in each other are indented, and empty ones stand on their line")
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

  @Test("quote every text that YAML 1.1 or 1.2 could take for something else, and no other")
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
