import Testing

@Suite("import") struct ImportTests {
  private let folder: String
  private let environment: [String: String]

  init() throws {
    folder = try Folder.fresh()
    environment = ["XDG_DATA_HOME": "\(folder)/data"]
  }

  private func run(_ arguments: String..., input: String = "") throws -> Binary.Outcome {
    try Binary.run([Binary.path] + arguments, input: input, environment: environment, in: folder)
  }

  private let rows = """
    {"email":"ADA@example.com","name":{"first":"Ada","last":"Byron, \\"L\\""},"address":{"postcode":"0470","latitude":1.5}}
    {"email":"bob@example.com","name":{"first":"Bob\\nB","last":"İ"}}
    {"email":"ada@example.com","name":{"first":"Again"}}

    {"email":"ada@exa
    {"email":""}
    """

  @Test("the first of a repeated identity stays, broken lines are skipped with their numbers, and JSON says what came of it")
  func counted() throws {
    let outcome = try run("import", "users", "-", "--format", "json", input: rows)
    #expect(outcome.code == 0)
    #expect(
      outcome.output == """
        {"source":"users","received":5,"kept":2,"updated":0,"duplicates":1,"skipped":2,"requests":0,\
        "verdict":{"kind":"complete","reason":null}}

        """)
    #expect(outcome.errors.contains("skipped line 5: "))
    #expect(outcome.errors.contains("skipped line 6: "))
    #expect(try run("users", "search", "byron", "--offline", "--format", "tsv", "--fields", "email").lines == ["ada@example.com"])
    #expect(try run("import", "users", "-", input: rows).output == "users: 5 received: 0 kept, 3 there already, 2 broken and skipped\n")
  }

  @Test("what list prints as ndjson or csv is read back unchanged", arguments: ["ndjson", "csv"])
  func roundTrip(format: String) throws {
    _ = try run("import", "users", "-", input: rows)
    let printed = try run("users", "list", "--all", "--offline", "--format", format).output
    try Folder.write(printed, to: "\(folder)/people.\(format)")
    #expect(try run("import", "users", "people.\(format)", "--store", "other.db").code == 0)
    #expect(try run("users", "list", "--all", "--offline", "--format", format, "--store", "other.db").output == printed)
    #expect(try run("import", "users", "-", "--store", "third.db", input: printed).code == 0)
    #expect(try run("users", "list", "--all", "--offline", "--format", format, "--store", "third.db").output == printed)
  }

  @Test(
    "what was imported is listed, found and shown, and is not called complete", arguments: ["countries", "heroes", "products", "users"])
  func read(source: String) throws {
    let rows = try run(source, "list", "--all", "--offline", "--format", "ndjson", "--store", "none.db").lines.suffix(3)
    #expect(try run("import", source, "-", input: rows.joined(separator: "\n")).code == 0)
    let list = try run(source, "list", "--all", "--offline", "--format", "json")
    #expect(list.code == 0)
    #expect(list.output.contains(#""items":[\#(rows.joined(separator: ","))]"#))
    #expect(list.output.contains(#""origin":{"kind":"cache""#))
    #expect(list.output.contains(#""verdict":{"kind":"unverifiable""#))
    let ids = try run(source, "next", "--limit", "3", "--offline", "--format", "csv").lines.dropFirst().map { $0.split(separator: ",")[0] }
    let last = try #require(ids.last)
    #expect(try run(source, "show", String(last), "--offline").code == 0)
  }

  @Test(
    "what is no field is left out, and that is said; blanks around a column's name are not part of it",
    arguments: [
      ("email, name.first ,shoe\nada@example.com,Ada,9\n", "shoe"),
      (#"{"email":"ada@example.com","name":{"first":"Ada"},"login":{},"dob":1}"#, "login, dob"),
    ])
  func unknown(rows: String, left: String) throws {
    let outcome = try run("import", "users", "-", input: rows)
    #expect(outcome.output == "users: 1 received: 1 kept\n")
    #expect(outcome.errors == "aggregator: users: left out what is no field of such a record: \(left)\n")
    #expect(try run("users", "list", "--offline", "--fields", "name.first").lines == ["Ada"])
  }

  @Test("a JSON array is refused with how to make lines of it")
  func array() throws {
    let outcome = try run("import", "users", "-", input: #" [{"email":"ada@example.com"}]"#)
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("jq -c .[]"))
  }

  @Test("every source's bundled records survive csv and ndjson", arguments: ["countries", "heroes", "products", "users"])
  func bundled(source: String) throws {
    for format in ["csv", "ndjson"] {
      let printed = try run(source, "list", "--all", "--offline", "--format", format, "--store", "none.db").output
      let outcome = try run("import", source, "-", "--format", "json", "--store", "\(format).db", input: printed)
      let count = printed.split(separator: "\n").count - (format == "csv" ? 1 : 0)
      #expect(outcome.output.contains(#""received":\#(count),"kept":\#(count),"updated":0,"duplicates":0,"skipped":0"#))
    }
  }

  @Test("a table with Windows line ends, a byte-order mark and an unknown column is read")
  func foreignTable() throws {
    let table = "\u{FEFF}email,name.first,extra\r\nada@example.com,\"A,\"\"d\"\"\r\na\",x\r\nbob@example.com,Bob\r\n"
    let outcome = try run("import", "users", "-", "--format", "json", input: table)
    #expect(outcome.output.contains(#""received":2,"kept":1,"updated":0,"duplicates":0,"skipped":1"#))
    #expect(outcome.errors.contains("skipped line 4: 2 values instead of 3"))
    let name = try run("users", "list", "--offline", "--format", "ndjson", "--fields", "name.first").output
    #expect(name == #"{"name":{"first":"A,\"d\"\r\na"}}"# + "\n")
  }

  @Test("a quote inside a value opens nothing, and one that is never closed costs its own row alone")
  func quotes() throws {
    let table = "email,name.first\n0@x.y,Plain\n1@x.y,19\" monitor\n2@x.y,\"Lamp\n3@x.y,27\" monitor\n4@x.y,\"Cup\"\n"
    let outcome = try run("import", "users", "-", "--format", "json", input: table)
    #expect(outcome.output.contains(#""received":5,"kept":4,"updated":0,"duplicates":0,"skipped":1"#))
    #expect(outcome.errors.contains("users: skipped line 4: "))
    let names = try run("users", "list", "--offline", "--format", "tsv", "--fields", "name.first").lines
    #expect(names == ["Plain", "19\" monitor", "27\" monitor", "Cup"])
  }

  @Test("each skipped row is told of once, under the source's name, the first of them without being asked", arguments: [[], ["--verbose"]])
  func toldOnce(options: [String]) throws {
    let outcome = try Binary.run(
      [Binary.path, "import", "users", "-"] + options, input: rows + "\n?\n?\n?\n?\n?", environment: environment, in: folder)
    let told = outcome.errors.split(separator: "\n").filter { $0.contains("skipped") }
    #expect(told.count == (options.isEmpty ? 6 : 7), "\(outcome.errors)")
    #expect(told.allSatisfy { $0.hasPrefix("aggregator: users: skipped ") }, "\(outcome.errors)")
  }

  @Test(
    "what came of it is printed in the format that was asked for",
    arguments: [
      "csv": "source,received,kept,updated,duplicates,skipped,requests,verdict.kind,verdict.reason\nusers,5,2,0,1,2,0,complete,\n",
      "tsv": "users\t5\t2\t0\t1\t2\t0\tcomplete\t\n",
      "ndjson": """
      {"source":"users","received":5,"kept":2,"updated":0,"duplicates":1,"skipped":2,"requests":0,\
      "verdict":{"kind":"complete","reason":null}}

      """,
    ])
  func formats(format: String, printed: String) throws {
    #expect(try run("import", "users", "-", "--format", format, input: rows).output == printed)
  }

  @Test("as a table and as cards it has columns and a badge")
  func laidOut() throws {
    let table = try run("import", "users", "-", "--format", "table", input: rows).lines
    #expect(table.map { $0.split(separator: " ").prefix(3) } == [["SOURCE", "RECEIVED", "KEPT"], ["users", "5", "2"]])
    let card = try run("import", "users", "-", "--format", "cards", input: rows).lines
    #expect(card.first?.hasPrefix("users ") == true && card.first?.hasSuffix(" complete") == true)
  }

  @Test("a file that is not there is 66, a source that is none 64, and a file of something else 65")
  func refused() throws {
    #expect(try run("import", "users", "nothing.csv").code == 66)
    #expect(try run("import", "user", "nothing.csv").errors.contains("import users FILE"))
    #expect(try run("import", "users").code == 64)
    #expect(try run("import", "users", "-", input: "a,b\n1,2\n").code == 65)
    #expect(try run("import", "users", "-", input: "{\"a\":1}\n").code == 65)
  }
}
