import LooseSource
import Platform
import SourceTesting
import Testing

/// The command over a source whose fields are known only at run time, and have unusual names.
struct LooseSourceTests {
  private let server: StandInServer
  private let folder: String

  init() throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        func number(_ name: String) -> Int {
          request.target.split { "?&".contains($0) }.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
        }
        connection.answer(Stones.answer(offset: number("offset"), limit: number("limit")))
      }
    }
    folder = try Folder.fresh()
  }

  private func run(_ arguments: String..., input: String = "", store: String = "store") throws -> Binary.Outcome {
    try Binary.run(
      ["\(Binary.products)/loose-probe"] + arguments.words, input: input,
      environment: [
        "STONES_URL": "\(try server.address("/api/"))", "XDG_DATA_HOME": "\(folder)/\(store)", "XDG_STATE_HOME": "\(folder)/state",
      ],
      in: folder)
  }

  private static let tsv = "0\tBasalt\tÅrhus 0\tOslo\t0470\t0\ttrue\t2.5\tS0\thi, ho\tx, y\t\\\tdawn\t1\tb"

  @Test("a source with unusual field names is listed in every format, under names that are unique")
  func formats() throws {
    let tsv = try expect(run("stones list --all --header"), 0)
    #expect(tsv.lines.prefix(3) == [Stones.names.joined(separator: "\t"), Self.tsv, "1\tÇakıl" + String(repeating: "\t", count: 13)])
    #expect(tsv.lines.count == Stones.count + 1)
    let row = Stones.rows(0..<1)[0]
    #expect(try run("stones list --limit 1 --format ndjson").output == row + "\n")
    let json = try run("stones list --all --format json").output
    #expect(json.contains(#""items":[\#(row),"#) && json.hasSuffix(#""verdict":{"kind":"complete","reason":null}}"# + "\n"))
    #expect(
      try run("stones list --limit 1 --format csv").lines == [
        #"no\.,it's,address\.city,address.city,address.zip code,address.zip\.code,two words,🪨,select,"say ""hi""","a\,b",back\\slash,"#
          + #"fetched_at,'; DROP TABLE fetch_log; --,\ blank\ "#,
        #"0,Basalt,Århus 0,Oslo,0470,0,true,2.5,S0,"[""hi"",""ho""]","x, y",\,dawn,"{""deep"":[1]}",b"#,
      ])
    #expect(
      try run("stones list --limit 1 --format table").lines[1].split(separator: " ").starts(with: [
        "0", "Basalt", "Århus", "0", "Oslo",
      ]))
    #expect(
      try run("stones list --limit 1 --format cards").lines == [
        "Basalt" + String(repeating: " ", count: 72) + "S0", "0 · Århus 0 · Oslo · 0470",
      ])
  }

  @Test("a source with unusual field names is searched, shown and printed by field")
  func finding() throws {
    #expect(try run("stones", "search", "ARHUS 3", "--fields", "it's,address\\.city").output == "Flint\tÅrhus 3\n")
    #expect(try run("stones list --fields").output == Stones.names.map { $0 + "\n" }.joined())
    #expect(try run("stones", "list", "--limit", "1", "--fields", #"address,a\,b,\ blank\ "#).output == "Oslo\t0470\t0\tx, y\tb\n")
    #expect(try run("stones", "list", "--limit", "1", "--fields", "zip code").code == 64)
    #expect(
      try run("stones list --limit 1 --fields address.zip.code,no. --format ndjson").output
        == #"{"address":{"zip.code":0},"no.":0}"# + "\n")
    let shown = try run("stones show 0").lines
    #expect(shown.prefix(4) == ["No.: 0", "It's: Basalt", "Address.city: Århus 0", "Address: Oslo, 0470, 0"])
    #expect(try run("stones show 9").code == 66)
  }

  @Test("a source with unusual field names is synced and listed offline, and next shows each record once")
  func keeping() throws {
    let live = try run("stones list --all --format ndjson").output
    #expect(try run("stones sync --format json").output.contains(#""received":7,"new":7"#))
    #expect(access("\(folder)/store/quarry/store.db", F_OK) == 0, "under the name of this command")
    #expect(try run("stones list --all --offline --format ndjson").output == live)
    #expect(try run("stones", "search", "arhus 6", "--offline", "--fields", "no\\.").output == "6\n")
    #expect(try run("stones sync --format json").output.contains(#""received":7,"new":0,"updated":0,"unchanged":7"#))
    #expect(try run("stones", "next", "--limit", "3", "--fields", "no\\.").output == "0\n1\n2\n")
    #expect(try run("stones", "next", "--fields", "no\\.").output == "3\n4\n5\n6\n")
    #expect(try run("stones next").output.isEmpty)
    #expect(try run("sources --format ndjson").output.contains(#""stored":7"#))
    #expect(try run("stones", "next", "--limit", "2", "--fields", "no\\.", store: "other").output == "0\n1\n")
  }

  @Test("import reads the output of a source with unusual field names back unchanged", arguments: ["csv", "ndjson"])
  func importing(format: String) throws {
    let printed = try run("stones list --all --format \(format)").output
    let imported = try run("import stones - --format \(format)", input: printed, store: "other")
    #expect(imported.code == 0 && !imported.errors.contains("left out"), "\(imported.errors)")
    #expect(try run("stones list --all --offline --format \(format)", store: "other").output == printed)
    let again = try run("import stones - --format \(format)", input: printed, store: "other")
    #expect((again.output + again.errors).contains("7"))
    // The records are read back unchanged, to the byte: nothing is absorbed.
    #expect(try run("stones sync --format json", store: "other").output.contains(#""updated":0,"unchanged":7"#))
  }

  @Test("csv and JSON keep the values of a column of any type, also a text that looks like a number")
  func anything() throws {
    let values = ["12", "\"12\"", "\"true\"", "true", "null", "\"null\"", "\"[\"", "[\"1\",1]", "\"\\\"q\\\"\"", "\"plain, text\""]
    let rows = values.enumerated().map { #"{"no.":\#($0),"it's":"Flint","'; DROP TABLE fetch_log; --":\#($1)}"# }
    #expect(try run("import stones -", input: rows.joined(separator: "\n"), store: "any").code == 0)
    func list(_ format: String, _ store: String) throws -> String {
      try run("stones list --all --offline --format \(format)", store: store).output
    }
    #expect(try run("import stones -", input: list("csv", "any"), store: "again").code == 0)
    #expect(try list("ndjson", "again") == list("ndjson", "any"))
    #expect(try run("import stones -", input: list("json", "any"), store: "third").code == 0)
    #expect(try list("ndjson", "third") == list("ndjson", "any"))
  }

  @Test("a source with unusual field names answers offline from its last answer, or from its bundled copy")
  func standIns() throws {
    let live = try run("stones list --all --format ndjson").output
    #expect(try run("stones list --all --offline --format ndjson").output == live)
    let copy = try run("stones", "list", "--offline", "--fields", "no\\.", store: "other")
    #expect(copy.output == "0\n1\n2\n" && copy.errors.contains("bundled"))
    #expect(try run("stones", "search", "cakil", "--offline", "--fields", "no\\.", store: "third").output == "1\n")
  }

  @Test("a source with unusual field names keeps every law under every hazard", .timeLimit(.minutes(30)))
  func laws() throws {
    #expect(try run("stones list --all --record recordings").code == 0)
    try expect(run("source verify stones --fixtures recordings"), 0)
  }
}
