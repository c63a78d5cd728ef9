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
