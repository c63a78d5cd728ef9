import AggregatorCore
import Terminal
import Testing

/// Cards on terminals of four widths: the code is whole at the right edge, however long the name is.
struct CardsTests {
  static let rows = Service.rows(
    Service.row("DE", "Germany", capital: "Berlin"),
    Service.row("HM", "Heard Island and McDonald Islands", region: ""),
    Service.row("GS", "South Georgia and the South Sandwich Islands", region: "AN", capital: "King Edward Point"),
    Service.row("JP", "日本国にほんこくジャパン", region: "AS", capital: "東京"),
    Service.row("RE", #"Re\u0301union"#, region: "AF", capital: "Saint-Denis"))

  private func cards(columns: Int) throws -> [String] {
    let service = try Service(Self.rows)
    let terminal = try Terminal("countries list --format cards --color never --quiet", columns: columns, environment: service.environment)
      .ending()
    return terminal.lines
  }

  @Test(
    "long names wrap beside the code",
    arguments: [
      (
        20,
        """
        Germany, EU       DE
        Berlin

        Heard Island and  HM
        McDonald Islands

        South Georgia and GS
        the South
        Sandwich Islands,
        AN
        King Edward Point

        日本国にほんこく  JP
        ジャパン, AS
        東京

        Re\u{301}union, AF       RE
        Saint-Denis
        """
      )
    ])
  func whole(columns: Int, shown: String) throws { #expect(try cards(columns: columns).joined(separator: "\n") == shown) }

  @Test("at every width the code ends at the edge and no text is lost", arguments: [8, 11, 12, 20, 40, 80, 200])
  func edge(columns: Int) throws {
    let cards = try cards(columns: columns).split(separator: "")
    #expect(cards.count == 5)
    for (card, code) in zip(cards, ["DE", "HM", "GS", "JP", "RE"]) {
      #expect(card.first?.hasSuffix(" \(code)") == true)
      #expect(card.first.map(DisplayWidth.of) == columns)
      #expect(card.allSatisfy { DisplayWidth.of($0) <= columns })
    }
    let letters = cards[2].joined().filter { $0 != " " }
    #expect(letters.filter { $0 != "," }.count == "GSSouthGeorgiaandtheSouthSandwichIslandsANKingEdwardPoint".count)
  }

  @Test("without a terminal COLUMNS sets the width, else it is 80", arguments: [(nil, 80), ("33", 33), ("0", 80), ("wide", 80)])
  func piped(columns: String?, width: Int) async throws {
    let environment = columns.map { ["COLUMNS": $0] } ?? [:]
    let outcome = try await InProcess.run(
      ["countries", "show", "fr", "--offline", "--quiet", "--format", "cards"], environment: environment)
    #expect(outcome.output == "France, EU" + String(repeating: " ", count: width - 12) + "FR\nParis\n")
  }
}
