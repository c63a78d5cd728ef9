import Testing

/// The effect of `import --replace` on rows that differ from what the service gave.
struct EditTests {
  private static let open = #"{"id":"1","status":"open","total":1}"#
  private static let other = #"{"id":"2","status":"open","total":2}"#

  private func edited() async throws -> FakeOrders {
    let orders = try await FakeOrders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    try await expect(
      orders.run("import orders - --replace", input: "id,status,total\n1,shipped,1\n2,open,\n"), 0,
      output: .exactly("received 2 orders: 1 updated, 1 already stored\n"))
    return orders
  }

  @Test("an edit is shown and marked, found, and kept by the next sync")
  func kept() async throws {
    let orders = try await edited()
    for _ in 1...2 {
      let list = try await orders.run("orders list --all --offline --format ndjson").lines
      #expect(list[0].hasPrefix(#"{"id":"1","status":"shipped","total":1.0"#) && list[0].hasSuffix(#","edited":["status"]}"#))
      #expect(!list[1].contains("edited"))
      try await expect(
        orders.run("orders show 1 --offline --format json"), output: .has(#""edited":["status"]"#),
        errors: .has("status of 1 was edited; type 'aggregator orders restore 1' to take that back"))
      #expect(try await orders.run("orders search shipped --offline --format tsv --fields id").lines == ["1"])
      try await expect(
        orders.run("import orders -", input: list.joined(separator: "\n")), 0, output: .has("2 already stored"), errors: .exactly(""))
      try await expect(orders.run("orders sync"), 0, output: .has("up to date: 2 orders"))
    }
    try await expect(
      orders.run("orders list --offline --format ndjson --fields id,total"),
      output: .exactly("{\"id\":\"1\",\"total\":1.0}\n{\"id\":\"2\",\"total\":2.0}\n"))
    #expect(try await orders.run("orders list --live --format ndjson").lines[0].contains(#""status":"open""#))
  }

  @Test("a change of another field leaves an edit; a change of its own field ends it, and sync and changes tell so")
  func ended() async throws {
    let orders = try await edited()
    orders.become(#"{"id":"1","status":"open","total":3}"#, Self.other)
    try await expect(orders.run("orders sync"), 0, output: .has("1 updated"))
    try await expect(orders.run("orders list --offline --format ndjson"), output: .has(#""status":"shipped","total":3.0"#))
    orders.become(#"{"id":"1","status":"paid","total":3}"#, Self.other)
    try await expect(orders.run("orders sync"), 0, output: .has("1 updated", "; 1 edit ended by orders"))
    #expect(try await !orders.run("orders list --offline --format json").output.contains("edited"))
    let changes = try await orders.run("orders changes --format ndjson").lines
    #expect(changes[0].contains(#""change":"edit ended","id":"1","title":"paid","field":"status","before":"shipped","after":"paid""#))
    #expect(changes[1].contains(#""change":"changed","id":"1""#))
    #expect(try await !orders.run("orders sync").output.contains("edit"))
  }

  @Test("why tells of edits, and restore removes them")
  func restored() async throws {
    let orders = try await edited()
    try await expect(orders.run("orders why 1"), 0, output: .has("edited status: shipped; orders gave open"))
    try await expect(orders.run("orders why 1 --format json"), 0, output: .has(#""edited":["status"]"#))
    #expect(try await !orders.run("orders why 2 --format json").output.contains("edited"))
    try await expect(orders.run("orders restore 1"), 0, errors: .exactly("aggregator: orders: took back status of 1\n"))
    try await expect(orders.run("orders restore 1"), 0, errors: .exactly("aggregator: orders: 1 is not edited\n"))
    try await expect(orders.run("orders restore 9"), 66)
    try await expect(orders.run("orders list --offline --format ndjson"), output: .has(#""status":"open""#))
    #expect(try await orders.run("orders search shipped --offline --format tsv --fields id").output == "")
  }

  @Test("edits are deleted with the records")
  func forgotten() async throws {
    let orders = try await edited()
    try await expect(orders.run("forget orders --yes"), 0)
    try await expect(orders.run("orders sync"), 0)
    #expect(try await !orders.run("orders list --offline --format json").output.contains("shipped"))
  }

  @Test("an edit is shown wherever its record comes from, except with --live")
  func everywhere() async throws {
    let orders = try await FakeOrders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    // Answers that are cached before the edit.
    try await expect(orders.run("orders list --all"), 0)
    try await expect(orders.run("orders search shipped"), 0)
    try await expect(orders.run("orders search open"), 0)
    try await expect(orders.run("orders show 1"), 0)
    try await expect(orders.run("import orders - --replace", input: "id,status\n1,shipped\n"), 0)
    for terms in ["--offline", "--max-age 1h", "", "--refresh"] {
      let list = try await orders.run("orders list --all --format ndjson \(terms)").lines
      #expect(list.count == 2 && list[0].hasPrefix(#"{"id":"1","status":"shipped""#), "\(terms)")
      #expect(list[0].hasSuffix(#","edited":["status"]}"#) && !list[1].contains("edited"), "\(terms)")
      #expect(try await orders.run("orders search shipped --format tsv --fields id \(terms)").lines == ["1"], "\(terms)")
      #expect(try await orders.run("orders search open --format tsv --fields id \(terms)").lines == ["2"], "\(terms)")
      #expect(try await orders.run("orders list --where status=shipped --format tsv --fields id \(terms)").lines == ["1"], "\(terms)")
      #expect(try await orders.run("orders list --sort status --format tsv --fields id \(terms)").lines == ["2", "1"], "\(terms)")
      try await expect(
        orders.run("orders show 1 --format json \(terms)"), 0, output: .has(#""status":"shipped""#, #""edited":["status"]"#))
    }
    #expect(try await orders.run("orders list --live --format ndjson").lines[0].contains(#""status":"open""#))
    // If the service has changed the field since, its own value is shown even before a sync.
    orders.become(#"{"id":"1","status":"paid","total":1}"#, Self.other)
    #expect(try await orders.run("orders list --format ndjson").lines[0].contains(#""status":"paid""#))
  }

  @Test("a file of edits alone leaves a complete list complete")
  func complete() async throws {
    let orders = try await FakeOrders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("orders list --all --offline --require complete"), 0)
    for word in ["1,shipped", "2,open"] {
      try await expect(orders.run("import orders - --replace", input: "id,status\n\(word)\n"), 0)
      try await expect(orders.run("orders list --all --offline --require complete"), 0)
    }
    try await expect(orders.run("import orders -", input: "id,status\n1,lost\n"), 3)
    try await expect(orders.run("orders list --all --offline --require complete"), 0)
    try await expect(orders.run("import orders - --replace", input: "id,status\n1,lost\n9,new\n"), 0)
    try await expect(orders.run("orders list --all --offline --require complete"), 3)
  }

  @Test(
    "the first of several different rows of one ID counts, and the others are told",
    arguments: [
      ("", "9,a\n9,b\n", "1 new, 1 repeated", "a"), ("--replace", "1,a\n1,b\n", "1 updated, 1 repeated", "a"),
      ("--replace", "1,open\n1,b\n", "1 already stored, 1 repeated", "open"),
      ("--replace", "1,b\n1,open\n", "1 updated, 1 repeated", "b"), ("--replace", "9,a\n9,b\n", "1 new, 1 repeated", "a"),
      ("--replace", "1,b\n1,b\n", "1 updated, 1 already stored", "b"), ("", "9,a\n9,a\n", "1 new, 1 already stored", "a"),
    ])
  func repeated(option: String, rows: String, counts: String, status: String) async throws {
    let orders = try await FakeOrders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    let isTold = counts.contains("repeated")
    let outcome = try await orders.run("import orders - \(option)", input: "id,status\n" + rows)
    expect(
      outcome, 0, output: .exactly("received 2 orders: \(counts)\n"),
      errors: isTold ? .has("left out 1 row that repeats an ID with other values") : .exactly(""))
    let id = rows.prefix(1)
    #expect(try await orders.run("orders show \(id) --offline --format json").output.contains(#""status":"\#(status)""#))
    if isTold {
      try await expect(
        orders.run("import orders - \(option) --format json", input: "id,status\n8,x\n8,y\n"), 0, output: .has(#""repeated":1"#))
    }
  }

  @Test("null in JSON removes a value, and an empty cell keeps it")
  func emptied() async throws {
    let orders = try await FakeOrders([#"{"id":"1","status":"open","total":1,"tags":["a"],"note":"n"}"#, Self.other])
    try await expect(orders.run("orders sync"), 0)
    let empty = #"{"id":"1","status":"","total":1.0,"tags":[]}"#
    try await expect(orders.run("import orders - --replace", input: empty), 0, output: .has("1 already stored"))
    try await expect(orders.run("import orders - --replace", input: "id,status,note\n1,,\n"), 0, output: .has("1 already stored"))
    try await expect(orders.run("import orders -", input: #"{"id":"1","status":null}"#), 3, output: .has("1 differs"))
    let nulls = #"{"id":"1","status":null,"tags":null,"price":null}"#
    try await expect(orders.run("import orders - --replace", input: nulls), 0, output: .has("1 updated"))
    for _ in 1...2 {
      let list = try await orders.run("orders list --offline --format ndjson").lines
      #expect(list[0].contains(#""status":null"#) && list[0].contains(#""tags":[]"#) && list[0].contains(#""note":"n""#))
      #expect(list[0].hasSuffix(#","edited":["status","tags"]}"#))
      #expect(try await orders.run("orders search open --offline --format tsv --fields id").lines == ["2"])
      // An exported file is imported unchanged, including the values that were removed.
      try await expect(
        orders.run("import orders - --replace", input: list.joined(separator: "\n")), 0, output: .has("2 already stored"))
      try await expect(orders.run("orders sync"), 0, output: .has("up to date"))
    }
    try await expect(orders.run("orders why 1"), 0, output: .has("edited status: no value; orders gave open"))
    try await expect(orders.run("orders restore 1"), 0, errors: .has("took back status and tags of 1"))
    #expect(try await orders.run("orders list --offline --format ndjson").lines[0].contains(#""status":"open""#))
  }

  @Test("null in JSON differs from a value that the service gave, also among rows with other nulls, and removes one of an earlier file")
  func nulls() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    let rows = [
      #"{"id":"1","note":null}"#, #"{"id":"2","note":null}"#, #"{"id":"2","price":null}"#, #"{"id":"3","made":null,"rest":null}"#,
      #"{"id":"1","made":null,"rest":null}"#, #"{"id":"1","rest":{"b":[1,{"c":null,"d":"x"}],"a":"1.0"}}"#, #"{"id":"9","note":"n"}"#,
    ]
    try await expect(
      orders.run("import orders -", input: rows.joined(separator: "\n")), 3,
      output: .exactly("received 7 orders: 1 new, 2 already stored, 4 differ\n"))
    try await expect(orders.run("import orders -", input: #"{"id":"9","note":null}"#), 0, output: .has("1 updated"))
    try await expect(orders.run("orders show 9 --offline --format json"), 0, output: .has(#""note":null"#))
  }

  @Test("next and the answers of all sources mark an edit, and a notice tells it in other formats than JSON")
  func marked() async throws {
    let orders = try await edited()
    let notice = "status of 1 was edited; type 'aggregator orders why 1'"
    try await expect(orders.run("orders list --offline"), 0, errors: .has(notice))
    #expect(try await !orders.run("orders list --offline --where status=open").errors.contains("edit"))
    try await expect(orders.run("search shipped --format ndjson"), 0, output: .has(#""edited":["status"]"#))
    try await expect(
      orders.run("orders next --limit 2 --format ndjson"), 0, output: .has(#""status":"shipped""#, #""edited":["status"]"#),
      errors: .has(notice))
    try await expect(orders.run("import orders - --replace", input: "id,status\n2,lost\n"), 0)
    try await expect(orders.run("orders list --offline"), 0, errors: .has("2 of these have edits; type 'aggregator orders why ID'"))
  }

  @Test("an edit survives while its record is away, and ends if the record returns with another value")
  func returned() async throws {
    let orders = try await edited()
    orders.become(Self.other)
    try await expect(orders.run("orders sync"), 0, output: .has("1 no longer at the service"))
    #expect(try await !orders.run("orders list --offline --format ndjson").output.contains("shipped"))
    orders.become(Self.open, Self.other)
    try await expect(orders.run("orders sync"), 0)
    #expect(try await orders.run("orders list --offline --format ndjson").output.contains(#""status":"shipped""#))
    orders.become(Self.other)
    try await expect(orders.run("orders sync"), 0)
    orders.become(#"{"id":"1","status":"paid","total":1}"#, Self.other)
    try await expect(orders.run("orders sync"), 0, output: .has("; 1 edit ended by orders"))
    #expect(try await orders.run("orders list --offline --format ndjson").output.contains(#""status":"paid""#))
  }

  @Test("a change by the service ends one edit of a record and leaves the other")
  func partly() async throws {
    let orders = try await FakeOrders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders - --replace", input: "id,status,note\n1,shipped,mine\n"), 0)
    orders.become(#"{"id":"1","status":"paid","total":1}"#, Self.other)
    try await expect(
      orders.run("orders sync --format json"), 0, output: .has(#""updated":1"#))
    let list = try await orders.run("orders list --offline --format ndjson").lines
    #expect(list[0].contains(#""status":"paid""#) && list[0].contains(#""note":"mine""#))
    #expect(list[0].hasSuffix(#","edited":["note"]}"#))
    #expect(try await orders.run("orders changes --format ndjson").lines.count { $0.contains(#""change":"edit ended""#) } == 1)
  }

  @Test("edits are copied with the store, and are told and end there")
  func copied() async throws {
    let orders = try await edited()
    try await expect(orders.run("store copy data/aggregator/store.db copy.db"), 0)
    let list = try await orders.run("orders list --offline --format ndjson").output
    #expect(list.contains(#""edited":["status"]"#))
    #expect(try await orders.run("orders list --offline --format ndjson --store copy.db").output == list)
    #expect(try await orders.run("orders search shipped --offline --format tsv --fields id --store copy.db").lines == ["1"])
    #expect(try await orders.run("orders list --format ndjson --store copy.db").output == list)
    orders.become(#"{"id":"1","status":"paid","total":1}"#, Self.other)
    try await expect(orders.run("orders sync --store copy.db"), 0, output: .has("; 1 edit ended by orders"))
    try await expect(orders.run("orders restore 1"), 0, errors: .has("took back status of 1"))
  }

  @Test("one of two syncs at once ends an edit, which is told once")
  func twoSyncs() async throws {
    let orders = try await edited()
    orders.become(#"{"id":"1","status":"paid","total":1}"#, Self.other)
    async let first = orders.run("orders sync")
    async let second = orders.run("orders sync")
    let outcomes = try await [first, second]
    #expect(outcomes.count { $0.output.contains("1 edit ended by orders") } == 1, "\(outcomes)")
    #expect(outcomes.allSatisfy { $0.code == 0 || $0.code == 75 }, "\(outcomes)")
    try await expect(orders.run("orders list --offline --format ndjson"), output: .has(#""status":"paid""#))
    #expect(try await orders.run("orders changes --format ndjson").lines.count { $0.contains(#""change":"edit ended""#) } == 1)
  }
}
