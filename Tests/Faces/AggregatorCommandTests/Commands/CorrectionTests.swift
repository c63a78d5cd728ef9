import Testing

/// Corrections that a person makes in a file and imports again.
struct CorrectionTests {
  @Test("import leaves and counts rows that differ from what the service gave, and exits 3")
  func counted() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let stored = try await orders.run("orders list --all --offline --format ndjson").output
    let edited = "id,status,total\n1,shipped,1.0\n2,,0\n3,open,\n4,new,4\n3,again,\n"
    try await expect(
      orders.run("import orders -", input: edited), 3,
      output: .exactly("received 5 orders: 1 new, 1 already stored, 3 differ\n"),
      errors: .has("orders: 3 differ from the records of orders, which stay"))
    try await expect(
      orders.run("import orders - --format json", input: "id,status\n1,shipped\n"), 3,
      output: .has(#""unchanged":0,"differs":1,"gone":0"#),
      errors: .has("1 differs from the record of orders, which stays; add --replace to store it"))
    #expect(try await orders.run("orders list --all --offline --format ndjson").output.hasPrefix(stored))
    // Values that a file brought are not values of the service.
    try await expect(orders.run("import orders -", input: "id,status\n4,old\n"), 0, output: .has("1 updated"))
    #expect(try await !orders.run("orders sync --format json").output.contains("differs"))
  }

  @Test(
    "an exported file is imported without a difference",
    arguments: ["json", "ndjson", "csv", "csv --fields id,tags,rest,note", "tsv --header --fields id,total,paid,status"])
  func exported(format: String) async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let file = try await orders.run("orders list --all --offline --format \(format)").output
    try await expect(orders.run("import orders -", input: file), 0, output: .exactly("received 3 orders: 3 already stored\n"))
  }

  @Test(
    "import treats values that are only written differently as equal",
    arguments: [
      #"{"id":"1","price":19.9,"total":1.0}"#, #"{"id":"1","rest":{"a":1,"b":[1,{"d":"x"}]}}"#, #"{"id":"2","price":1000,"rest":470}"#,
      #"{"id":"2","status":null,"tags":[],"note":""}"#, #"{"id":"1","status":"","tags":[]}"#,
      #"{"id":"3","total":9007199254740993,"rest":null}"#, #"{"id":"2","made":null,"status":null}"#,
    ])
  func written(row: String) async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders -", input: row), 0, output: .has("1 already stored"))
  }

  @Test(
    "a value of any type is compared and edited as one value: what the file leaves out of it is not there any more",
    arguments: [
      (#"{"a":"2.0"}"#, #"{"a":"2.0"}"#), (#"{"a":"1.0"}"#, #"{"a":"1.0"}"#), (#"{"a":"1.0","b":null}"#, #"{"a":"1.0"}"#),
      ("{}", "{}"), (#"{"b":[]}"#, #"{"b":[]}"#),
    ])
  func wholeJSON(file: String, shown: String) async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let row = #"{"id":"1","rest":\#(file)}"#
    try await expect(orders.run("import orders -", input: row), 3, output: .has("1 differs"))
    try await expect(orders.run("import orders - --replace", input: row), 0, output: .has("1 updated"))
    try await expect(orders.run("import orders - --replace", input: row), 0, output: .has("1 already stored"))
    try await expect(orders.run("orders sync"), 0, output: .has("up to date"))
    let list = try await orders.run("orders list --offline --all --format ndjson --fields id,rest").lines
    #expect(list.first == #"{"id":"1","rest":\#(shown),"edited":["rest"]}"#)
    try await expect(orders.run("orders list --offline --all --format md --fields id,rest"), 0, output: .has("(edited)"))
  }

  @Test("times with an offset are kept in UTC, so that they compare as texts in SQL as they do in the shell")
  func offsets() async throws {
    let times = ["2026-10-31T23:00:00-02:00", "2026-11-01T00:30:00.25+02:00", "2026-11-01T10:00:00Z", "2026-11-01T09:00:00"]
    let orders = try await FakeOrders(times.enumerated().map { #"{"id":"\#($0)","made":"\#($1)"}"# })
    try await expect(orders.run("orders sync"), 0)
    let kept = ["2026-11-01T01:00:00Z", "2026-10-31T22:30:00.25Z", "2026-11-01T10:00:00Z", "2026-11-01T09:00:00"]
    for reach in ["--live", "--offline"] {
      let list = try await orders.run("orders list \(reach) --format tsv --fields made").lines
      #expect(list == kept, "\(list)")
    }
    let shell = try await orders.run("orders list --offline --where made>=2026-11-01 --sort made --format tsv --fields id").lines
    #expect(shell == ["0", "3", "2"])
  }

  @Test(
    "a value that cannot be a time is told live and stored",
    arguments: ["2026-11-01T25:00:00Z", "2026-11-01T10:00:00 UTC", "2026-11-01Tx"])
  func noTime(time: String) async throws {
    let orders = try await FakeOrders([#"{"id":"1","made":"\#(time)"}"#])
    try await expect(orders.run("orders sync"), 0)
    for reach in ["--live", "--offline"] {
      let list = try await orders.run("orders list \(reach) --format json")
      #expect(list.output.contains(#""misfits":{"made":"#), "\(reach): \(list)")
      try await expect(orders.run("orders list \(reach) --require same-shape"), 3)
    }
  }

  @Test("what is stored has the nulls of a value of any type")
  func nulls() async throws {
    let rest = #"{"a":null,"b":{"c":null},"d":[{"e":null}]}"#
    let orders = try await FakeOrders([#"{"id":"1","rest":\#(rest)}"#])
    try await expect(orders.run("orders sync"), 0)
    for reach in ["--live", "--offline"] {
      try await expect(orders.run("orders list \(reach) --format ndjson"), 0, output: .has(#""rest":\#(rest)"#))
    }
    try await expect(orders.run("orders sync"), 0, output: .has("up to date"))
  }

  @Test("a stored list tells the rows that its sync could not read, as the live list does")
  func unread() async throws {
    let orders = try await FakeOrders([#"{"id":"1","status":"open"}"#, #"{"status":"lost"}"#])
    _ = try await orders.run("orders sync")
    for reach in ["--live", "--offline"] {
      try await expect(
        orders.run("orders list \(reach) --format json"), output: .has(#""skipped":1"#), errors: .has("skipped 1 broken row"))
    }
  }

  @Test("a record that a sync found gone is told as gone, and not as one that never was")
  func gone() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    orders.become(FakeOrders.rows[0], FakeOrders.rows[2])
    try await expect(orders.run("orders sync"), 0, output: .has("1 no longer at the service"))
    for reach in ["--offline", ""] {
      try await expect(
        orders.run("orders show 2 \(reach)"), 66,
        errors: .has("is gone since", "the service no longer lists it", "aggregator orders history 2"))
    }
  }

  @Test("a statement that fails before its first row prints nothing but its error")
  func failingStatement() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let homes = Folder.homes(orders.folder) + ["HOME": orders.folder]
    let statement = ["sql", "SELECT median(note) FROM orders", "--format", "json"]
    let outcome = try await InProcess.run(statement, environment: homes, in: orders.folder)
    expect(outcome, 64, output: .exactly(""), errors: .has("take numbers"))
  }

  @Test("a count in JSON tells where it came from") func countOrigin() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    for (reach, kind) in [("--live", "live"), ("--offline", "cache")] {
      try await expect(
        orders.run("orders list --count \(reach) --format json"), 0, output: .has(#""origin":{"kind":"\#(kind)""#))
    }
  }

  @Test("a person is told that a live list may not be everything, if nothing proves that it is whole")
  func unproved() async throws {
    let orders = try await FakeOrders()
    let manifest = try Folder.read("\(orders.folder)/orders.json").replacing(
      "\"by\": \"whole\"", with: "\"by\": \"whole\", \"end\": \"never\""
    )
    .replacing("\"orders\": {", with: "\"others\": {")
    try Folder.write(manifest, to: "\(orders.folder)/others.json")
    try await expect(orders.run("add others.json"), 0)
    try await expect(
      orders.run("others list --live"), 0,
      errors: .has("this may not be everything: nothing that the service says proves that the list is whole"))
  }

  @Test("another spelling in Unicode is another value: it is told as different, stored as an edit, and told by changes")
  func spelled() async throws {
    let orders = try await FakeOrders([#"{"id":"1","status":"caf\u00e9"}"#])
    try await expect(orders.run("orders sync"), 0)
    let spelled = #"{"id":"1","status":"cafe\u0301"}"#
    try await expect(orders.run("import orders -", input: spelled), 3, output: .has("1 differs"))
    try await expect(orders.run("import orders - --replace", input: spelled), 0, output: .has("1 updated"))
    #expect(try await orders.run("orders show 1 --offline --format json").output.unicodeScalars.contains("\u{301}"))
    let others = try await FakeOrders([#"{"id":"1","status":"caf\u00e9"}"#])
    try await expect(others.run("orders sync"), 0)
    others.become(spelled)
    try await expect(others.run("orders sync"), 0, output: .has("1 updated"))
    try await expect(others.run("orders changes --format ndjson"), 0, output: .has(#""field":"status""#))
  }

  @Test("a sync stores another spelling of the same value, and counts no change")
  func sameValue() async throws {
    let orders = try await FakeOrders([
      #"{"id":"1","status":"open","price":1.0,"total":1,"rest":{"x":1,"y":[1,{"a":2,"b":3}]},"made":"2024-01-01T00:00:00Z"}"#
    ])
    try await expect(orders.run("orders sync"), 0)
    let rest = #"{"y":[1.0,{"b":3,"a":2.0}],"x":1.0}"#
    let otherwise = #""price":1.00,"total":1.0,"rest":\#(rest),"made":"2024-01-01T01:00:00+01:00"}"#
    orders.become(#"{"id":"1","status":"open",\#(otherwise)"#)
    try await expect(orders.run("orders sync"), 0, output: .has("up to date"))
    #expect(try await !orders.run("orders changes --format ndjson").output.contains("field"))
    try await expect(
      orders.run("orders list --offline --format ndjson --fields price,rest"), 0, output: .exactly("{\"price\":1.00,\"rest\":\(rest)}\n"))
    // Beside a value that changed, too.
    orders.become(
      #"{"id":"1","status":"paid","price":1.0,"rest":{"x":1,"y":[1,{"a":2,"b":3}]},"total":1,"made":"2024-01-01T00:00:00Z"}"#)
    try await expect(orders.run("orders sync"), 0, output: .has("1 updated"))
    let changes = try await orders.run("orders changes --format ndjson").lines
    #expect(changes.count { $0.contains(#""field":"#) } == 1 && changes.contains { $0.contains(#""field":"status""#) }, "\(changes)")
  }

  @Test(
    "a time that is only spelled otherwise is the same value in an import, for an edit and in a sync, which stores the last spelling",
    arguments: ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.0Z", "2024-01-01T00:00Z", "2024-01-01 00:00:00Z"])
  func sameTime(spelled: String) async throws {
    let orders = try await FakeOrders([#"{"id":"1","status":"open","made":"2024-01-01T00:00:00Z"}"#])
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders -", input: #"{"id":"1","made":"\#(spelled)"}"#), 0, output: .has("1 already stored"))
    let edit = #"{"id":"1","made":"2025-05-05T05:05:05Z"}"#
    try await expect(orders.run("import orders - --replace", input: edit), 0, output: .has("1 updated"))
    orders.become(#"{"id":"1","status":"open","made":"\#(spelled)"}"#)
    try await expect(orders.run("orders sync"), 0, output: .has("up to date"))
    try await expect(orders.run("orders list --offline --format ndjson"), 0, output: .has(#""made":"2025-05-05T05:05:05Z""#))
    try await expect(orders.run("orders restore 1"), 0)
    #expect(try await orders.run("orders list --offline --format tsv --fields made").lines == [spelled])
    #expect(try await !orders.run("orders changes --format ndjson").output.contains("field"))
    // A text is not a time, and another moment is another time.
    orders.become(#"{"id":"1","status":"open","made":"2024-01-01T00:00:00.001Z","note":"2024-01-01T00:00:00Z"}"#)
    try await expect(orders.run("orders sync"), 0, output: .has("1 updated"))
    orders.become(#"{"id":"1","status":"open","made":"2024-01-01T00:00:00.001Z","note":"\#(spelled)"}"#)
    try await expect(orders.run("orders sync"), 0, output: .has("1 updated"))
  }

  @Test(
    "import counts a row with another value as different",
    arguments: [
      #"{"id":"1","price":19.91}"#, #"{"id":"1","rest":{"a":1,"b":[1,{"d":"y"}]}}"#, #"{"id":"1","tags":["c"]}"#,
      #"{"id":"2","status":"open"}"#, #"{"id":"2","paid":true}"#, #"{"id":"3","made":"2024-02-29"}"#, #"{"id":"2","note":"470"}"#,
      #"{"id":"1","note":null}"#, #"{"id":"1","rest":null}"#, #"{"id":"2","price":null,"status":null}"#, #"{"id":"1","tags":null}"#,
    ])
  func otherwise(row: String) async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders -", input: row), 3, output: .has("1 differs"))
  }
}
