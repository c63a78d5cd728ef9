import Platform
import Testing

@Suite("import") struct ImportTests {
  let folder: String
  let environment: [String: String]

  init() throws {
    folder = try Folder.fresh()
    environment = ["XDG_DATA_HOME": "\(folder)/data"]
  }

  private func run(_ arguments: String..., input: String = "") async throws -> Binary.Outcome {
    try await InProcess.run(arguments.words, input: input, environment: environment, in: folder)
  }

  private let rows = """
    {"email":"ADA@example.com","name":{"first":"Ada","last":"Byron, \\"L\\""},"address":{"postcode":"0470","latitude":1.5}}
    {"email":"bob@example.com","name":{"first":"Bob\\nB","last":"İ"}}
    {"email":"ada@example.com","name":{"first":"Again"}}

    {"email":"ada@exa
    {"email":""}
    """

  @Test("import counts all unknown columns, and names the first five")
  func manyUnknown() async throws {
    let columns = (0..<3_000).map { "c\($0)" }.joined(separator: ",")
    let header = "email,name.first,name.last,\(columns)\n"
    try await expect(
      run("import users -", input: header + "ada@example.com,Ada,Byron" + String(repeating: ",1", count: 3_000) + "\n"), 0,
      output: .has("1 new"), errors: .has("ignored unknown fields: c0, c1, c2, c3, c4 and 2995 more\n"))
  }

  @Test("import keeps the first row of a repeated id, skips broken lines with their numbers, and has the counts in JSON")
  func counted() async throws {
    let outcome = try await expect(run("import users - --format json", input: rows), 3)
    #expect(
      outcome.output == """
        {"source":"users","received":5,"new":2,"updated":0,"unchanged":0,"differs":0,"gone":0,"skipped":2,"repeated":1,"requests":0,"misfits":{},"drift":[],\
        "verdict":{"kind":"complete","reason":null}}

        """)
    #expect(
      outcome.errors.contains("skipped standard input:5: the JSON is cut short: expected the end of the string at byte 17, line 5:18"))
    #expect(outcome.errors.contains("skipped standard input:6: "))
    #expect(try await run("users search byron --offline --format tsv --fields email").lines == ["ada@example.com"])
    #expect(try await run("import users -", input: rows).output == "received 5 users: 2 already stored, 1 repeated, 2 skipped\n")
  }

  @Test(
    "imported records are listed, found and shown, and are not called complete", arguments: ["countries", "heroes", "products", "users"])
  func read(source: String) async throws {
    let rows = try await run("\(source) list --all --offline --format ndjson --store none.db").lines.suffix(3)
    #expect(try await run("import \(source) -", input: rows.joined(separator: "\n")).code == 0)
    let list = try await expect(
      run("\(source) list --all --offline --format json"), 0,
      output: .has(#""items":[\#(rows.joined(separator: ","))"#, #""origin":{"kind":"cache""#))
    // An endless list has only the stored records; in any other list the bundled records follow them.
    let all = try await run("\(source) list --all --offline --format ndjson --store none.db").lines
    #expect(list.output.contains(#""total":\#(source == "users" ? rows.count : all.count),"#))
    #expect(
      try await Set(run("\(source) list --all --offline --format ndjson").lines) == Set(source == "users" ? Array(rows) : all))
    #expect(list.errors.contains("\(source): imported just now\(source == "users" ? "" : ", then bundled data") (--offline)"))
    #expect(list.output.contains(#""reason":"imported"#))
    #expect(list.output.contains(#""verdict":{"kind":"unverifiable""#))
    // An endless list is not expected to be everything.
    #expect(list.errors.contains("\(source): this may not be everything") == (source != "users"))
    let ids = try await run("\(source) next --limit 3 --offline --format csv").lines.dropFirst().map {
      $0.split(separator: ",")[0]
    }
    let last = try #require(ids.last)
    #expect(try await run(source, "show", String(last), "--offline").code == 0)
    #expect(try await run("forget \(source) --imported --yes").errors == "aggregator: \(source): removed 3 records\n")
    let left = try await run("\(source) list --all --offline --format ndjson").lines
    let bundled = try await run("\(source) list --all --offline --format ndjson --store none.db").lines
    #expect(!left.isEmpty && left == bundled)
  }

  @Test("an imported row hides no bundled one, in a list or in a search, and comes before the bundled one with its id")
  func beside() async throws {
    let rows = #"{"code":"ZZ","name":"Zed Islands"}"# + "\n" + #"{"code":"FR","name":"Frankia Islands"}"#
    #expect(try await run("import countries -", input: rows).code == 0)
    let bundled = try await run("countries list --all --offline --fields code --store none.db").lines
    let list = try await run("countries list --all --offline --fields code")
    #expect(list.lines == ["ZZ", "FR"] + bundled.filter { $0 != "FR" })
    #expect(try await run("countries list --limit 3 --offline --fields code").lines == ["ZZ", "FR", bundled[0]])
    let found = try await run("countries search islands --all --offline --fields code").lines
    #expect(found.prefix(2) == ["FR", "ZZ"] || found.prefix(2) == ["ZZ", "FR"])
    #expect(found.count > 10 && Set(found).count == found.count)
    #expect(try await run("countries search germany --offline --fields code").lines == ["DE"])
    #expect(try await run("countries show fr --offline --fields name").output == "Name: Frankia Islands\n")
    #expect(try await run("countries show de --offline --fields name").output == "Name: Germany\n")
  }

  @Test("a later import of an edited row updates it; within a file the first row stays")
  func edited() async throws {
    func name(_ id: String) async throws -> String { try await run("users show \(id) --offline --fields name.first").output }
    #expect(try await run("import users -", input: rows).code == 3)
    let edited = #"{"email":"ada@example.com","name":{"first":"Edited"}}"# + "\n" + #"{"email":"ada@example.com","name":{"first":"Later"}}"#
    #expect(try await run("import users -", input: edited).output == "received 2 users: 1 updated, 1 repeated\n")
    #expect(try await name("ada@example.com").contains("Edited"))
    #expect(try await run("users search edited --offline --fields email").lines == ["ada@example.com"])
    // A file without a field does not change that field.
    #expect(
      try await run("import users -", input: "email,phone\nada@example.com,555\n").output == "received 1 record of users: 1 updated\n"
    )
    #expect(
      try await run("users show ada@example.com --offline --fields name.first,phone").lines == [
        "Name first: Edited", "Phone: 555",
      ])
    #expect(try await run("import users - --map a=email --map a=phone", input: "a\nb@c.de\n").code == 64)
  }

  @Test(
    "the list of every source, in every data format, is read back unchanged into an empty store",
    arguments: ["countries", "heroes", "products", "users"], [["json"], ["ndjson"], ["csv"], ["tsv", "--header", "--fields", "all"]])
  func everyFormat(source: String, format: [String]) async throws {
    func list(_ format: [String], _ store: String) async throws -> String {
      try await InProcess.run(
        [source, "list", "--all", "--offline", "--store", store, "--format"] + format,
        environment: environment, in: folder
      ).output
    }
    let printed = try await list(format, "none.db")
    let outcome = try await run("import \(source) - --store empty.db", input: printed)
    if format[0] == "tsv", source == "heroes" || source == "products" {
      #expect(outcome.code == 65)
      return #expect(outcome.errors.contains("--format ndjson"))
    }
    let count = try await list(["ndjson"], "none.db").split(separator: "\n").count
    expect(outcome, 0, errors: .exactly(source == "users" ? "aggregator: users: left out age, which is computed\n" : ""))
    #expect(outcome.output.hasPrefix("received \(count) ") && outcome.output.hasSuffix(": \(count) new\n"))
    // The `json` format also says where its items came from, so `ndjson` is compared.
    let same = format[0] == "json" ? ["ndjson"] : format
    #expect(try await list(same, "empty.db") == list(same, "none.db"))
    #expect(try await list(same, "empty.db").split(separator: "\n").count > 1)
  }

  @Test("import reads the output of show: a record in lines, or a list of several", arguments: [["batman"], ["batman", "spider-man"]])
  func shown(names: [String]) async throws {
    let shown = try await InProcess.run(
      ["heroes", "show", "--offline", "--format", "json", "--store", "none.db"] + names, environment: environment,
      in: folder)
    #expect(shown.code == 0, "\(shown.errors)")
    try await expect(run("import heroes -", input: shown.output), output: .ends("\(names.count) new\n"))
    let laidOut = shown.output.split(separator: ",\"", omittingEmptySubsequences: false).joined(separator: ",\n  \"")
    #expect(try await run("import heroes -", input: laidOut).output.hasSuffix(": \(names.count) already stored\n"))
  }

  @Test("import refuses answers of another source, or of a search over all, before anything is stored")
  func foreign() async throws {
    let heroes = try await expect(run("import users -", input: try await run("heroes list --offline --format json").output), 65)
    #expect(
      heroes.errors == "aggregator: standard input:1: these are heroes, not users; type 'aggregator import heroes FILE' to store them\n")
    for format in ["json", "ndjson"] {
      let all = try await run("import heroes -", input: try await run("search spider --offline --format \(format)").output)
      #expect(all.code == 65)
      #expect(all.errors.contains("search over all sources; type 'aggregator heroes search TEXT --format json'"))
    }
  }

  @Test("import stores the rows before the cut of a cut document, and tells that the answer is incomplete")
  func cutShort() async throws {
    let json = try await run("users list --offline --limit 5 --format json").output
    let outcome = try await run("import users - --store cut.db", input: String(json.prefix(json.utf8.count / 2)))
    #expect(outcome.code == 3)
    #expect(outcome.output.contains("; incomplete: standard input:1: the JSON is cut short: expected "))
    #expect(!(try await run("users list --offline --store cut.db --format ndjson").lines.isEmpty))
    let partial =
      #"{"source":"users","items":[{"email":"a@x.y"}],"verdict":{"kind":"partial","reason":"total: 7 fewer than the service announced"}}"#
    try await expect(
      run("import users - --store cut.db -q", input: partial), 3,
      output: "received 1 record of users: 1 new; incomplete: the file holds an incomplete answer: 7 fewer than the service announced\n")
  }

  @Test("an import of nothing fails, and an import of an empty list does not")
  func empty() async throws {
    for nothing in ["", "\u{FEFF}", "\u{FEFF}\r\n", "\n"] {
      try await expect(
        run("import users -", input: nothing), 65, errors: .has("no users in standard input: it is empty; check what wrote it"))
    }
    for list in ["[]", "email\n", #"{"source":"users","items":[],"verdict":{"kind":"complete"}}"#] {
      try await expect(run("import users -", input: list), 0, output: .has("received 0 users"))
    }
  }

  @Test(
    "a file of bytes is told by what it is",
    arguments: [
      (#"\037\213"#, "compressed by gzip; unpack it with gunzip"), ("PAR1", "a Parquet file"), ("SQLite format 3", "a SQLite file"),
      (#"PK\003\004"#, "a ZIP file"),
    ])
  func bytes(start: String, words: String) throws {
    let line = "printf '\(start) and more' | \"$A\" import users -"
    try expect(Binary.shell(line, environment: environment), 65, errors: .has("standard input is \(words)"))
  }

  @Test("a header in the middle of a table, as of two files in one, is skipped and told")
  func headerAgain() async throws {
    try await expect(
      run("import users -", input: "email,username\na@x.y,a\nemail,username\nb@x.y,b\n"), 3,
      output: .has("received 3 users: 2 new, 1 skipped"), errors: .has("standard input:3: the header once more"))
  }

  @Test("a list is not complete with imported records that no sync has met", arguments: [true, false])
  func unmet(isMet: Bool) async throws {
    let orders = try await FakeOrders()
    func code() async throws -> Int32 { try await orders.run("orders list --offline --require complete -q").code }
    try await expect(orders.run("orders sync"), 0)
    // A correction of a record of the service is an edit, and the list stays what it is.
    try await expect(orders.run("import orders - --replace", input: #"{"id":"1","note":"b"}"#), 0)
    #expect(try await code() == 0)
    try await expect(orders.run("import orders -", input: #"{"id":"5","note":"a"}"#), 0)
    try await expect(orders.run("orders sync --full"), 0)
    #expect(try await code() == 3)
    try await expect(orders.run("status orders"), output: .has("imported rows are among them"))
    if isMet {
      orders.become(rows: FakeOrders.rows + [#"{"id":"5","note":"a"}"#])
      try await expect(orders.run("orders sync --full"), 0)
    } else {
      try await expect(orders.run("forget orders --imported --yes"), 0)
    }
    #expect(try await code() == 0)
  }

  @Test("an import brings no record back that a sync found gone, and says so")
  func gone() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let file = try await expect(orders.run("orders list --offline --all --format ndjson -q"), 0).output
    orders.become(FakeOrders.rows[0], FakeOrders.rows[2])
    try await expect(orders.run("orders sync"), 0, output: .has("1 no longer at the service"))
    for replacing in ["", " --replace"] {
      try await expect(
        orders.run("import orders -\(replacing)", input: file), 3, output: .has("2 already stored, 1 no longer at the service"),
        errors: .has("1 record of the file stays gone"))
    }
    let ids = try await expect(orders.run("orders list --offline --require complete --fields id --format tsv -q"), 0).output
    #expect(ids == "1\n3\n")
  }

  /// An import that reads what a test writes into a pipe.
  private struct PipedImport {
    let process: Spawned
    private let input: Piped
    let (output, errors): (Scratch, Scratch)

    init(_ environment: [String: String], in folder: String, options: [String] = []) throws {
      (input, output, errors) = (try Piped(), try Scratch(), try Scratch())
      process = try Binary.start(
        ["import", "users", "-"] + options, environment: environment, in: folder, input: input.reading, output: output.descriptor,
        errors: errors.descriptor)
      input.closeReading()
    }

    func send(_ text: String) { try? SystemFiles.write(Array(text.utf8), to: input.writing) }

    /// Ends its input, and returns the exit code once the process has ended.
    func end() -> Int32 {
      input.closeWriting()
      return process.wait()
    }
  }

  private static func rows(_ numbers: Range<Int>) -> String {
    numbers.map { "{\"email\":\"p\($0)@example.com\",\"username\":\"\(String(repeating: "x", count: 100))\"}\n" }.joined()
  }

  @Test("rows that were read from a pipe are stored and told when Ctrl-C ends the import")
  func interrupted() async throws {
    let piped = try PipedImport(environment, in: folder)
    // This is more than a pipe holds, so the import has read the first rows by now.
    piped.send(Self.rows(0..<6_000))
    piped.process.send(SIGINT)
    #expect(piped.process.wait() == 130)
    let stored = try await run("users list --all --offline --fields email").lines.count
    #expect(stored >= 4_000)
    #expect(try piped.errors.text() == "aggregator: users: stored \(stored) rows\naggregator: interrupted\n")
  }

  @Test("rows of a pipe that pauses are stored a moment later")
  func quiet() async throws {
    let piped = try PipedImport(environment, in: folder)
    piped.send("email,username\nada@example.com,a\nbob@example.com,b\ncid@exa")
    func stored() async throws -> [String] { try await run("users list --offline --fields email --quiet").lines }
    // Each look takes some milliseconds, so that this many take far more than a second.
    var looks = 0
    while looks < 5_000, try await stored() != ["ada@example.com", "bob@example.com"] { looks += 1 }
    #expect(looks < 5_000)
    piped.send("mple.com,c\n")
    #expect(piped.end() == 0)
    #expect(try await stored() == ["ada@example.com", "bob@example.com", "cid@example.com"])
  }

  @Test("import says if another separator would fit the first rows of a table too")
  func separators() async throws {
    let words =
      "aggregator: users: the values were read as separated by semicolons; commas would fit the first rows too\n"
    try await expect(run("import users -", input: "email;name.first;a,b\nada@example.com;Ada;1,5\n"), errors: .has(words))
    let sure = try await run("import users -", input: "email,name.first,a;b;c;d\nbob@example.com,Bob,1\n")
    #expect(sure.code == 0 && !sure.errors.contains("separated"), "\(sure.errors)")
  }

  @Test("import leaves out a computed age, and tells so once")
  func ages() async throws {
    let words = "aggregator: users: left out age, which is computed\n"
    try await expect(run("import users -", input: "email,age,birthday\nada@example.com,36,1990-01-02\n"), errors: .exactly(words))
    try await expect(run("import users -", input: #"{"email":"bob@example.com","age":36}"# + "\n{}"), errors: .has(words))
    try await expect(run("import users -", input: #"{"E-Mail":"bob@example.com","age":36}"#), errors: .exactly(words))
    #expect(
      try await run("import users -", input: "email,age,birthday\nada@example.com,37,1990-01-02\n").output
        == "received 1 record of users: 1 already stored\n")
    #expect(!(try await run("users why ada@example.com").output.contains("absorbed")))
  }

  @Test(
    "import names a file in another encoding as such, with the command that converts it",
    arguments: [
      ("a.csv", "email,name.first\\nada@x.y,J\\366rg\\n", "latin1", "a-utf8.csv", 65),
      ("a.csv", "email,name.first\\nada@x.y,Jo\\nbob@x.y,J\\366rg\\n", "latin1", "a-utf8.csv", 3),
      ("a.csv", "email,Gr\\366\\337e\\nada@x.y,1\\n", "latin1", "a-utf8.csv", 65),
      ("a b.ndjson", "{\"email\":\"ada@x.y\",\"name\":{\"first\":\"J\\366rg\"}}\\n", "latin1", "'a b-utf8.ndjson'", 65),
      ("a.json", "[{\"email\":\"ada@x.y\",\"name\":{\"first\":\"J\\366rg\"}}]", "latin1", "a-utf8.json", 65),
      ("a", "\\377\\376e\\0m\\0\\n\\0", "utf-16", "a-utf8", 65),
      ("-", "email\\nJ\\366rg@x.y\\n", "latin1", "", 65),
    ])
  func encodings(name: String, text: String, encoding: String, new: String, code: Int32) async throws {
    let bytes = try Binary.shell("printf \"$T\" >\"$F\"", environment: ["T": text, "F": name == "-" ? "input" : name], in: folder)
    #expect(bytes.code == 0)
    let outcome = try Binary.shell(
      "exec \"$A\" import users \"$F\" <\"$I\"", environment: environment + ["F": name, "I": name == "-" ? "input" : "/dev/null"],
      in: folder)
    let quoted = name.contains(" ") ? "'\(name)'" : name
    let cure =
      name == "-"
      ? "pipe it through iconv -f latin1 -t utf-8" : "convert it: iconv -f \(encoding) -t utf-8 \(quoted) > \(new)"
    #expect(outcome.code == code && outcome.errors.contains("; \(cure)\n"), "\(outcome.errors)")
  }

  @Test(
    "import tells each skipped row once, under the source's name, the first ones even without --verbose", arguments: [[], ["--verbose"]])
  func toldOnce(options: [String]) async throws {
    let outcome = try await InProcess.run(
      ["import", "users", "-"] + options, input: rows + "\n?\n?\n?\n?\n?", environment: environment, in: folder)
    let told = outcome.errors.split(separator: "\n").filter { $0.contains("skipped") }
    #expect(told.count == (options.isEmpty ? 6 : 7), "\(outcome.errors)")
    #expect(told.allSatisfy { $0.hasPrefix("aggregator: users: skipped ") }, "\(outcome.errors)")
  }

  @Test("import --require complete fails if the file itself is incomplete, and --timeout keeps the rows that came in time")
  func required() async throws {
    let partial =
      #"{"source":"users","items":[{"email":"a@x.y"}],"verdict":{"kind":"partial","reason":"total: 7 fewer than the service announced"}}"#
    let outcome = try await run("import users - --require complete", input: partial)
    #expect(outcome.code == 3)
    #expect(outcome.errors.hasSuffix("users: the answer is partial, not complete (--require)\n"))
    #expect(try await run("import users - --require complete", input: #"{"email":"a@x.y"}"#).code == 0)
    let piped = try PipedImport(environment, in: folder, options: ["--timeout", "1"])
    piped.send("email\nada@example.com\nbob@exa")
    #expect(piped.process.wait() == 3)
    #expect(try piped.output.text() == "received 1 record of users: 1 new; incomplete: timed out\n")
    let idle = try PipedImport(environment, in: folder, options: ["--timeout", "0.1"])
    #expect(idle.process.wait() == 69)
    #expect(try idle.errors.text() == "aggregator: timed out after 100 ms; try a longer --timeout\n")
  }
}
