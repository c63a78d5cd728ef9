import AggregatorCore
import Presentation
import Terminal
import Testing

@Suite("JSON for people and for programs")
struct JSONLayoutTests {
  private let thing = Thing(id: "1", name: #"say "{[,:]}" \"#, place: Thing.Place(city: nil, code: "LV"))

  @Test("on a terminal it stands in lines")
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

  @Test("for a program it is compact, and what a person sees says the same")
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

  @Test("the object around an answer is laid out as it comes")
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
