import AggregatorCore
import SourceTesting
import Testing

/// Tables of two added sources and a built-in one on terminals of five widths, in a pipe and one record in full, as in `tables.txt`.
///
/// After a change run it once with `AGGREGATOR_REWRITE=1`, and read what changed in the file.
@Suite("Tables of any source") struct GoldenTableTests {
  private static let path = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/tables.txt"

  /// Short and long values, a part, addresses, some missing values, and a list of parts.
  static let ports: String = {
    let names = ["Dover", "Lyme Regis", "Saint-Nazaire", "Rotterdam Europoort and Maasvlakte", "Łeba", "東京"]
    let rows = names.enumerated().map { index, name in
      """
      {"created_at": "2026-01-0\(index + 1)T10:15:00Z", "unlocode": "XX00\(index)", "portName": "\(name)",
       "country": {"code": "\(index % 2 == 0 ? "GB" : "NL")", "name": "\(index % 2 == 0 ? "United Kingdom" : "Netherlands")"},
       "id": \(1000 + index), "latitude": \(50 + index).25, "max_draught": \(index % 3 == 0 ? "null" : "\(7 + index).5"),
       "harbour_master": "Captain Archer of the port of \(name)", "is_open": \(index % 2 == 0),
       "website": "https://ports.example.org/\(1000 + index)/index.html",
       "remarks": "\(index == 0 ? "" : "Pilots are compulsory for ships of more than \(index * 20) metres; the eastern channel is closed.")",
       "timezone": "Europe/London", "facilities": \(index % 2 == 0 ? "[]" : #"["crane", "slipway"]"#),
       "berths": [{"number": 1, "length": 80}]}
      """
    }
    return "[\(rows.joined(separator: ",\n"))]"
  }()

  /// A long id, and headers that are longer than the values below them.
  private static let parcels: String = {
    let people = [("Ada", "Lovelace"), ("Bob", "Bobson-Featherstonehaugh"), ("Cleo", "Coleman"), ("Dora", "Diaz")]
    let rows = people.enumerated().map { index, person in
      """
      {"uuid": "7c9e6679-7425-40de-944b-e07fc1f9000\(index)", "contact_id": \(17 + index), "first_name": "\(person.0)",
       "lastName": "\(person.1)", "status": "sent", "weight_in_grams": \(125 * (index + 1)),
       "expected_delivery_date": "2026-02-0\(index + 1)", "note": \(index % 2 == 0 ? "null" : #""Leave it with the neighbour""#),
       "nat": "GB", "tracking_url": "https://track.example.org/p/\(index)"}
      """
    }
    return "[\(rows.joined(separator: ",\n"))]"
  }()

  @Test("tables of any source have the layout of the golden file, in 40 to 200 columns")
  func golden() async throws {
    let server = try StandInServer { connection in
      while let request = connection.request() { connection.answer(request.target.hasPrefix("/ports") ? Self.ports : Self.parcels) }
    }
    let home = try Folder.fresh()
    let environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""]
    func run(_ line: String) async throws -> Binary.Outcome {
      try #require(await InProcess.run(typed: "aggregator \(line)", environment: environment, in: home))
    }
    for name in ["ports", "parcels"] {
      let added = try await run("add \(server.address("/\(name)")) \(name) --yes --whole")
      #expect(added.code == 0, "\(added.errors)")
      // A wait for the budget would show on a terminal.
      let file = "\(home)/.config/aggregator/sources/\(name).json"
      try Folder.write(
        Folder.read(file).replacingEach(#""aggregator": 1,"#, with: #""aggregator": 1, "budget": "unlimited","#), to: file)
    }
    var text = ""
    for line in ["ports list", "parcels list", "heroes list --offline -q -n 5"] {
      for columns in [40, 60, 80, 120, 200] {
        let terminal = try Terminal(line, columns: columns, environment: environment + ["NO_COLOR": "1"]).ending()
        text += Self.step("\(line), \(columns) columns", terminal.lines)
      }
    }
    for line in ["ports list -n 2 --header", "parcels list -n 2 --header", "ports list -n 2 --format csv", "parcels show \(Self.id)"] {
      let outcome = try await run(line)
      text += Self.step("\(line), in a pipe", outcome.lines + outcome.errors.split(separator: "\n").map(String.init))
    }
    text += Self.step(
      "ports list -n 2 --format cards, 40 columns",
      try Terminal(
        "ports list -n 2 --format cards", columns: 40, environment: environment + ["NO_COLOR": "1"]
      ).ending().lines)
    if Tool.variable("AGGREGATOR_REWRITE") != nil { try Folder.write(text, to: Self.path) }
    #expect(try text == Folder.read(Self.path))
  }

  private static let id = "7c9e6679-7425-40de-944b-e07fc1f90001"

  private static func step(_ title: String, _ lines: [String]) -> String {
    "== \(title)\n\n" + lines.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined() + "\n"
  }
}
