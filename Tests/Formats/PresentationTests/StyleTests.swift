import AggregatorCore
import Presentation
import RecordFormats
import Terminal
import Testing

@Suite("Links, colours and directions of writing on a terminal")
struct StyleTests {
  private let linking = Style(isColored: false, hasLinks: true)
  private let things = [Thing(id: "1", name: "Spider", badge: "B", url: "https://example.com/a b?é")]

  @Test("the address and the title link to the record's page, and a cut text links to the whole address")
  func links() throws {
    let open = "\u{1B}]8;;https://example.com/a%20b?%C3%A9\u{1B}\\"
    let close = "\u{1B}]8;;\u{1B}\\"
    let table = try Format.table.text(of: things, width: 80, style: linking).lines[1]
    #expect(table == "1   \(open)Spider\(close)  B             \(open)https://example.com/a b?é\(close)")
    let narrow = try Format.table.text(of: things, width: 14, style: linking).lines[1]
    #expect(narrow == "1   \(open)Spider\(close)")
    #expect(try Format.cards.text(of: things, width: 10, style: linking).lines[0] == "\(open)Spider\(close)   B")
    #expect(try Format.table.text(of: things, width: 80).text.contains("\u{1B}") == false)
  }

  @Test(
    "only addresses of the web become links, and no text in them ends the sequence",
    arguments: [
      "javascript:alert(1)", "file:///etc/passwd", "https://a\u{7}b", "https://a\u{1B}\\b",
      "https://" + String(repeating: "a", count: 3_000), "",
    ])
  func strange(address: String) { #expect(linking.link("x", to: address) == "x") }

  @Test("text from right to left is kept apart on a terminal, which takes no columns")
  func directions() throws {
    let style = Style(isColored: false, isolatesDirections: true)
    let lines = try Format.table.text(of: [Thing(id: "1", name: "שלום", badge: "B")], width: 40, style: style).lines
    #expect(lines[1] == "1   \u{2068}שלום\u{2069}  B")
    #expect(DisplayWidth.of(lines[1]) == 11)
    #expect(style.isolated("Spider 東京") == "Spider 東京")
    #expect(try Format.table.text(of: [Thing(name: "שלום")], width: nil).text.contains("\u{2068}") == false)
  }

  @Test(
    "a terminal gets links unless it is dumb, or a person says otherwise",
    arguments: [
      (["TERM": "xterm-256color"], true), (["TERM": "dumb"], false), (["FORCE_HYPERLINK": "1", "TERM": "dumb"], true),
      (["FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"], false), (["FORCE_HYPERLINK": "", "TERM": "xterm"], true),
    ] as [([String: String], Bool)])
  func terminals(environment: [String: String], opens: Bool) { #expect(Style.opensLinks(environment) == opens) }

  @Test(
    "a person's choice decides about colors, then the environment, then the terminal",
    arguments: [
      (nil, true, [:], true), (nil, false, [:], false), ("never", true, [:], false), ("always", false, ["NO_COLOR": "1"], true),
      (nil, true, ["NO_COLOR": "1"], false), (nil, true, ["NO_COLOR": ""], true), (nil, true, ["TERM": "dumb"], false),
      (nil, false, ["CLICOLOR_FORCE": "1"], true), (nil, false, ["CLICOLOR_FORCE": "0"], false), (nil, true, ["CLICOLOR": "0"], false),
      (nil, true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false), ("auto", true, [:], true),
      ("never", true, ["CLICOLOR_FORCE": "1"], false),
    ] as [(String?, Bool, [String: String], Bool)])
  func colors(choice: String?, isTerminal: Bool, environment: [String: String], isColored: Bool) {
    #expect(Style.isColored(choice, onTerminal: isTerminal, environment) == isColored)
  }

  @Test("colors come from the terminal's own palette")
  func palette() {
    let style = Style(isColored: true)
    for text in [style.title("x"), style.badge("x"), style.dim("x"), style.error("x")] {
      let codes = text.dropFirst(2).prefix { $0 != "m" }.split(separator: ";").compactMap { Int($0) }
      #expect(!codes.isEmpty && codes.allSatisfy { $0 < 8 || (30...36).contains($0) })
    }
  }
}
