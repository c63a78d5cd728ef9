import Testing

/// What a person corrects in a file, and brings back.
struct CorrectionTests {
  @Test("rows that differ from what the service gave are left and counted, and the exit code is 3")
  func counted() async throws {
    let orders = try await Orders()
    try await expect(orders.run("orders sync"), 0)
    let stored = try await orders.run("orders list --all --offline --format ndjson").output
    let edited = "id,status,total\n1,shipped,1.0\n2,,0\n3,open,\n4,new,4\n3,again,\n"
    try await expect(
      orders.run("import orders -", input: edited), 3,
      output: .exactly("received 5 orders: 1 new, 1 already stored, 3 differ\n"),
      errors: .has("orders: 3 differ from what orders gave and were left as they are"))
    try await expect(
      orders.run("import orders - --format json", input: "id,status\n1,shipped\n"), 3,
      output: .has(#""unchanged":0,"differs":1,"gone":0"#), errors: .has("1 differs from what orders gave and was left as it is"))
    #expect(try await orders.run("orders list --all --offline --format ndjson").output.hasPrefix(stored))
    // What a file brought is no word of the service.
    try await expect(orders.run("import orders -", input: "id,status\n4,old\n"), 0, output: .has("1 updated"))
    #expect(try await !orders.run("orders sync --format json").output.contains("differs"))
  }

  @Test(
    "what was exported comes back without a difference",
    arguments: ["json", "ndjson", "csv", "csv --fields id,tags,rest,note", "tsv --header --fields id,total,paid,status"])
  func exported(format: String) async throws {
    let orders = try await Orders()
    try await expect(orders.run("orders sync"), 0)
    let file = try await orders.run("orders list --all --offline --format \(format)").output
    try await expect(orders.run("import orders -", input: file), 0, output: .exactly("received 3 orders: 3 already stored\n"))
  }

  @Test(
    "values are compared, and not how they are written",
    arguments: [
      #"{"id":"1","price":19.9,"total":1.0}"#, #"{"id":"1","rest":{"a":1,"b":[1,{"d":"x"}]}}"#, #"{"id":"2","price":1000,"rest":470}"#,
      #"{"id":"2","status":null,"tags":[],"note":""}"#, #"{"id":"1","status":"","tags":[]}"#,
      #"{"id":"3","total":9007199254740993,"rest":null}"#,
    ])
  func written(row: String) async throws {
    let orders = try await Orders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders -", input: row), 0, output: .has("1 already stored"))
  }

  @Test(
    "every other value differs",
    arguments: [
      #"{"id":"1","price":19.91}"#, #"{"id":"1","rest":{"a":1,"b":[1,{"d":"y"}]}}"#, #"{"id":"1","tags":["c"]}"#,
      #"{"id":"2","status":"open"}"#, #"{"id":"2","paid":true}"#, #"{"id":"3","made":"2024-02-29"}"#, #"{"id":"2","note":"470"}"#,
    ])
  func otherwise(row: String) async throws {
    let orders = try await Orders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("import orders -", input: row), 3, output: .has("1 differs"))
  }
}

/// What `import --replace` makes of them.
struct EditTests {
  private static let open = #"{"id":"1","status":"open","total":1}"#
  private static let other = #"{"id":"2","status":"open","total":2}"#

  private func edited() async throws -> Orders {
    let orders = try await Orders([Self.open, Self.other])
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

  @Test("a change of another field leaves an edit; one of its own field ends it, and sync and changes tell")
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

  @Test("why tells of edits, and restore takes them back")
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

  @Test("what differs is stored by --replace alone, which the notice names")
  func told() async throws {
    let orders = try await Orders([Self.open, Self.other])
    try await expect(orders.run("orders sync"), 0)
    try await expect(
      orders.run("import orders -", input: "id,status\n1,shipped\n"), 3,
      errors: .has("1 differs from what orders gave and was left as it is; --replace stores it"))
  }

  @Test("edits are forgotten with the records")
  func forgotten() async throws {
    let orders = try await edited()
    try await expect(orders.run("forget orders --yes"), 0)
    try await expect(orders.run("orders sync"), 0)
    #expect(try await !orders.run("orders list --offline --format json").output.contains("shipped"))
  }
}
