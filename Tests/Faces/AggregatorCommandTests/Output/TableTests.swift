import AggregatorCore
import Terminal
import Testing

/// The table on a terminal.
struct TableTests {
  private func lines(columns: Int, _ environment: [String: String] = [:], _ arguments: String...) throws -> [String] {
    let service = try Service(CardsTests.rows)
    let terminal = try Terminal("countries list", columns: columns, environment: service.environment + environment).ending()
    return terminal.lines
  }

  @Test(
    "a table in eighty columns shows everything, in forty it cuts the longest names, in twenty it leaves a column out and names it",
    arguments: [
      (
        80,
        """
        CODE  NAME                                          REGION  CAPITAL
        DE    Germany                                       EU      Berlin
        HM    Heard Island and McDonald Islands
        GS    South Georgia and the South Sandwich Islands  AN      King Edward Point
        JP    日本国にほんこくジャパン                      AS      東京
        RE    Re\u{301}union                                       AF      Saint-Denis
        5 records, complete, live
        """
      ),
      (
        40,
        """
        CODE  NAME          REGION  CAPITAL
        DE    Germany       EU      Berlin
        HM    Heard Islan…
        GS    South Georg…  AN      King Edward…
        JP    日本国にほ…   AS      東京
        RE    Re\u{301}union       AF      Saint-Denis
        5 records, complete, live
        """
      ),
      (
        20,
        """
        CODE  NAME    REGION
        DE    Germa…  EU
        HM    Heard…
        GS    South…  AN
        JP    日本…   AS
        RE    Re\u{301}uni…  AF
        aggregator: hidden:
        capital (narrow
        terminal); try
        --fields
        5 records, complete,
        live
        """
      ),
    ])
  func whole(columns: Int, table: String) throws {
    #expect(try lines(columns: columns, columns > 40 ? ["NO_COLOR": "1"] : ["TERM": "dumb"]).joined(separator: "\n") == table)
  }

  @Test("a comparison has the records' titles above its columns; at forty columns its values are below each other")
  func comparison() throws {
    func lines(_ columns: Int) throws -> [String] {
      try Terminal("countries compare france italy --offline -q", columns: columns, environment: ["NO_COLOR": "1"]).ending().lines
    }
    #expect(
      try lines(80).prefix(3) == [
        "FIELD            *  France  Italy", "code             *  FR      IT", "name             *  France  Italy",
      ])
    #expect(
      try lines(40).prefix(7) == ["code *", "  France: FR", "  Italy: IT", "name *", "  France: France", "  Italy: Italy", "region: EU"])
  }

  @Test("colors are shown on a terminal that has them, and on request")
  func colors() async throws {
    #expect(try lines(columns: 80).first?.hasPrefix("\u{1B}[2mCODE") == true)
    #expect(try lines(columns: 80, ["NO_COLOR": ""]).first?.hasPrefix("\u{1B}[2mCODE") == true)
    #expect(try lines(columns: 80, ["NO_COLOR": "1"]).first?.hasPrefix("CODE") == true)
    #expect(try lines(columns: 80, ["TERM": "dumb"]).first?.hasPrefix("CODE") == true)
    let piped = ["countries", "list", "--offline", "--limit", "1", "--format", "table", "--color"]
    #expect(try await InProcess.run(piped + ["auto"]).output.hasPrefix("CODE"))
    #expect(try await InProcess.run(piped + ["always"]).output.hasPrefix("\u{1B}[2mCODE"))
  }
}
