import Platform
import Testing

/// Rows as the service writes them, or as the program exports them.
extension ImportTests {
  private static let orders = """
    {"aggregator": 1, "address": {"setting": "ORDERS_URL", "default": "https://orders.example/"},
     "keys": [{"setting": "ORDERS_API_KEY", "header": "X-Api-Key"}],
     "sources": {"orders": {"summary": "Orders", "list": {"path": "orders"}, "rows": "", "key": "id", "paging": {"by": "whole"}, "fields": [
      {"name": "id"}, {"name": "placed", "type": "unix"}, {"name": "city", "path": "customer.city"}, {"name": "total", "type": "decimal"}]}}}
    """

  @Test(
    "import reads rows as the service writes them where the source's own fields do not fit, and asks for no leave",
    arguments: [
      #"{"id":1,"placed":1761000000,"customer":{"city":"Cairo"},"total":"4.50"}"#,
      #"[{"id":"1","placed":"1761000000","customer":{"city":"Cairo"},"total":4.50}]"#,
      #"{"id":"1","placed":"2025-10-20T22:40:00Z","city":"Cairo","total":4.50}"#,
    ])
  func raw(row: String) async throws {
    _ = try Binary.shell("mkdir -p config/aggregator/sources", in: folder)
    try Folder.write(Self.orders, to: "\(folder)/config/aggregator/sources/orders.json")
    let environment = environment.merging(["XDG_CONFIG_HOME": "\(folder)/config", "XDG_STATE_HOME": "\(folder)/state"]) { $1 }
    func run(_ arguments: String, input: String = "") async throws -> Binary.Outcome {
      try await InProcess.run([arguments].words, input: input, environment: environment, in: folder)
    }
    let isOwn = row.contains("2025")
    let later = isOwn ? row.replacing("\"1\"", with: "\"2\"") : #"{"id":2,"placed":null}"#
    let input = row.hasPrefix("[") ? "\(row.dropLast()),\(later)]" : "\(row)\n\(later)"
    let imported = try await expect(run("import orders -", input: input), 0, output: .has("2 new"))
    #expect(imported.errors.contains("the rows were read as the service writes them") == !isOwn, "\(imported.errors)")
    let list = try await run("orders list --offline --format ndjson")
    #expect(list.lines.first?.hasPrefix(#"{"id":"1","placed":"2025-10-20T22:40:00Z","city":"Cairo","total":4.5"#) == true, "\(list)")
  }

  /// Adds the source `things`, whose field `x` has that type and is called so by the service too.
  private func addThings(_ type: String) throws -> [String: String] {
    _ = try Binary.shell("mkdir -p config/aggregator/sources", in: folder)
    try Folder.write(
      """
      {"aggregator": 1, "address": {"setting": "THINGS_URL", "default": "https://things.example/"}, "budget": "unlimited",
       "sources": {"things": {"summary": "Things", "list": {"path": "things"}, "rows": "", "key": "id", "paging": {"by": "whole"},
         "fields": [{"name": "id"}, {"name": "x", "type": "\(type)"}]}}}
      """, to: "\(folder)/config/aggregator/sources/things.json")
    return environment.merging(["XDG_CONFIG_HOME": "\(folder)/config", "XDG_STATE_HOME": "\(folder)/state"]) { $1 }
  }

  @Test(
    "import reads rows as the service writes them where the own reading would spoil a value, and reads an export of them as its own",
    arguments: [
      ("unix", "1761000000", #""2025-10-20T22:40:00Z""#), ("boolean", "1", "true"), ("boolean", #""TRUE""#, "true"),
      ("time", "1761000000", #""2025-10-20T22:40:00Z""#), ("time", #""2025-10-20""#, #""2025-10-20T00:00:00Z""#),
      ("time", #""Tue, 10 Jun 2025 09:41:01 GMT""#, #""2025-06-10T09:41:01Z""#),
      ("date", #""2024-01-01T23:00:00-05:00""#, #""2024-01-01""#), ("date", #""2024-01-01T10:00:00Z""#, #""2024-01-01""#),
      ("address", #""/goods/7""#, #""https://things.example/goods/7""#), ("texts", #""a""#, #"["a"]"#), ("text", #"["a","b"]"#, #""ab""#),
      ("html", #""<p>a &amp; b</p>","more":1"#, #""a & b""#), ("address", "7", #""https://things.example/7""#),
    ])
  func unmoved(type: String, value: String, read: String) async throws {
    let environment = try addThings(type)
    func run(_ arguments: String, input: String = "") async throws -> Binary.Outcome {
      try await InProcess.run([arguments].words, input: input, environment: environment, in: folder)
    }
    let notice = "the rows were read as the service writes them"
    // The first row shows no form.
    let rows = #"{"id":"0","x":null}"# + "\n" + #"{"id":"1","x":\#(value)}"#
    var imported = try await expect(run("import things -", input: rows), 0, output: .has("2 new"))
    #expect(imported.errors.contains(notice), "\(imported.errors)")
    let export = try await run("things list --offline --format ndjson").output
    #expect(export.contains(#"{"id":"1","x":\#(read)}"#), "\(export)")
    for format in ["ndjson", "csv", "json"] {
      let export = try await run("things list --offline --format \(format)").output
      imported = try await expect(run("import things -", input: export), 0, output: .has("2 already stored"))
      #expect(!imported.errors.contains(notice), "\(format): \(imported.errors)")
    }
  }

  @Test("import reads a table as the service writes it where the own reading would spoil a value")
  func unmovedTable() async throws {
    for (type, value, read) in [
      ("unix", "1761000000", #""2025-10-20T22:40:00Z""#), ("boolean", "1", "true"), ("date", "2024-01-01T23:00:00-05:00", #""2024-01-01""#),
      ("texts", "a", #"["a"]"#),
    ] {
      let environment = try addThings(type)
      let imported = try await InProcess.run(
        ["import things - --store \(type).db"].words, input: "id,x\n1,\(value)\n", environment: environment, in: folder)
      expect(imported, output: .has("1 new"), errors: .has("the rows were read as the service writes them"))
      let list = try await InProcess.run(
        ["things list --offline --format ndjson --store \(type).db"].words, environment: environment, in: folder)
      #expect(list.output == #"{"id":"1","x":\#(read)}"# + "\n")
    }
  }

  @Test("an export whose text looks like markup, or whose values do not fit, is read as the program's own")
  func ownMarkup() async throws {
    for (type, value) in [("html", #""<p>a &amp; b</p>""#), ("date", #""soon""#), ("boolean", #""maybe""#)] {
      let environment = try addThings(type)
      let imported = try await InProcess.run(
        ["import things - --store \(type).db"].words, input: #"{"id":"1","x":\#(value)}"#, environment: environment, in: folder)
      expect(imported, output: .has("1 new"))
      #expect(!imported.errors.contains("as the service writes them"), "\(imported.errors)")
      let list = try await InProcess.run(
        ["things list --offline --format ndjson --store \(type).db"].words, environment: environment, in: folder)
      #expect(list.output == #"{"id":"1","x":\#(value)}"# + "\n")
    }
  }

  @Test(
    "a list or an object that does not fit its field comes back from csv as it was, and is told",
    arguments: [("address", "addresses"), ("time", "times"), ("integer", "whole numbers")])
  func misfitInTable(type: String, due: String) async throws {
    let environment = try addThings(type)
    func run(_ line: String, input: String = "") async throws -> Binary.Outcome {
      try await InProcess.run([line].words, input: input, environment: environment, in: folder)
    }
    let rows = #"{"id":"1","x":["/a","/b"]}"# + "\n" + #"{"id":"2","x":{"href":"/a"}}"# + "\n"
    try await expect(run("import things -", input: rows), 0, output: .has("2 new"))
    let csv = try await run("things list --offline --format csv").output
    let imported = try await run("import things - --store other.db", input: csv)
    expect(imported, output: .has("2 new"), errors: .has("2 values of x are not \(due)"))
    #expect(try await run("things list --offline --format ndjson --store other.db").output == rows)
  }

  @Test("a record that a person edited is the program's own, and a time in a field of days is counted as a misfit")
  func editedDay() async throws {
    let environment = try addThings("date")
    let row = #"{"id":"1","x":"2024-01-01T23:00:00Z","edited":["x"]}"#
    let imported = try await InProcess.run(["import things -"].words, input: row, environment: environment, in: folder)
    expect(
      imported, output: .has("1 new"),
      errors: .has(#"1 value of x is not a day (such as "2024-01-01T23:00:00Z"); it stays as it came"#))
    #expect(!imported.errors.contains("as the service writes them"), "\(imported.errors)")
  }

  @Test("a value that does not fit does not make import read the other rows of an export as the service writes them")
  func misfit() async throws {
    _ = try Binary.shell("mkdir -p config/aggregator/sources", in: folder)
    try Folder.write(Self.orders, to: "\(folder)/config/aggregator/sources/orders.json")
    let environment = environment.merging(["XDG_CONFIG_HOME": "\(folder)/config", "XDG_STATE_HOME": "\(folder)/state"]) { $1 }
    for (city, counts) in [("Oslo", "2 new"), ("Bergen", "1 updated")] {
      let input = #"{"id":"2","city":"\#(city)","total":"N/A"}"# + "\n" + #"{"id":"1","city":"Cairo","total":4.50}"#
      let outcome = try await InProcess.run(["import", "orders", "-"], input: input, environment: environment, in: folder)
      expect(outcome, output: .has(counts))
      #expect(!outcome.errors.contains("as the service writes them"), "\(outcome.errors)")
    }
    let list = try await InProcess.run(["orders list --offline --format ndjson"].words, environment: environment, in: folder)
    #expect(list.output.contains(#""city":"Bergen""#), "\(list)")
  }
}
