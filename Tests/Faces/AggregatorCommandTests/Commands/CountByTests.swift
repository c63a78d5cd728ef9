import AggregatorCore
import SourceTesting
import Testing

/// `--count --by FIELD`, of `list` and of `search`.
@Suite("--count --by") struct CountByTests {
  private func count(_ line: String, _ orders: FakeOrders) async throws -> JSON {
    try JSON(Array(expect(await orders.run("orders \(line) --format json"), 0).output.utf8))
  }

  @Test(
    "a count by a field prints values and counts in every format",
    arguments: [
      ("", "open\t2\npaid\t1\n\t1\n"), ("--header", "value\tcount\nopen\t2\npaid\t1\n\t1\n"), ("-n 1", "open\t2\n"),
      ("--all -n 2", "open\t2\npaid\t1\n"), ("--format csv", "value,count\nopen,2\npaid,1\n,1\n"),
      ("--format ndjson", "{\"value\":\"open\",\"count\":2}\n{\"value\":\"paid\",\"count\":1}\n{\"value\":null,\"count\":1}\n"),
      ("--format table", "VALUE  COUNT\nopen   2\npaid   1\n       1\n"), ("--where status!=null", "open\t2\npaid\t1\n"),
      ("--where id=nowhere", ""),
    ])
  func formats(line: String, output: String) async throws {
    let orders = try await FakeOrders(FakeOrders.rows + [#"{"id":"4","status":"open"}"#])
    try await expect(orders.run("orders list --count --by status -q \(line)"), 0, output: .exactly(output))
  }

  @Test(
    "a sum stands beside the count in every format",
    arguments: [
      ("--sum price", "3\nsum 1019.8\n"),
      (
        "--sum price --format csv",
        "source,query,count,sum,from,verdict.kind,verdict.reason,origin.kind,origin.age,origin.reason\norders,,3,1019.8,counted,complete,,live,,\n"
      ),
      ("--by status --sum price", "open\t1\t19.9\npaid\t1\t-0.1\n\t1\t1000\n"),
      ("--by status --sum price -n 1 --format ndjson", "{\"value\":\"open\",\"count\":1,\"sum\":19.9}\n"),
      ("--by status --sum price --format table --where id=1", "VALUE  COUNT  SUM\nopen   1      19.9\n"),
      ("--sum total", "3\nsum 9007199254740994\n"), ("--sum price --where id=nowhere", "0\nsum 0\n"),
      (
        "--sum price --format json",
        #"{"source":"orders","query":null,"count":3,"sum":1019.8,"from":"counted","verdict":{"kind":"complete","reason":null},"origin":{"kind":"live","age":null,"reason":null}}"#
          + "\n"
      ),
    ])
  func sums(line: String, output: String) async throws {
    try await expect(FakeOrders().run("orders list --count -q \(line)"), 0, output: .exactly(output))
  }

  @Test("values that cannot be added are told in one notice, and a sum needs a count and a field")
  func sumOfTexts() async throws {
    let orders = try await FakeOrders()
    try await expect(
      orders.run("orders list --count --sum note"), 0, output: .has("sum 470"),
      errors: .has("the sum leaves out 2 values of note that are not numbers, such as \" Say"))
    try await expect(orders.run("orders list --sum price"), 64, errors: .has("--sum needs --count"))
    try await expect(orders.run("orders list --count --sum prise"), 64, errors: .has("did you mean \"price\"?"))
    try await expect(orders.run("orders list --count --sum price -n 1"), 64, errors: .has("--count and --limit"))
  }

  @Test("JSON has the count, the number of values and the verdict beside the rows")
  func json() async throws {
    let orders = try await FakeOrders(FakeOrders.rows + [#"{"id":"4","status":"open"}"#])
    try await expect(
      orders.run("orders list --count --by status -n 1 --format json -q"), 0,
      output: .exactly(
        #"{"source":"orders","query":null,"count":4,"from":"counted","verdict":{"kind":"complete","reason":null},"origin":{"kind":"live","age":null,"reason":null},"by":"status","values":3,"counts":[{"value":"open","count":2}]}"#
          + "\n"))
    let search = try await count("search open --count --by id", orders)
    #expect(try search.string("query") == "open" && search.int("count") == 2 && search["counts"].map { try $0.asArray().count } == 2)
    try await expect(
      orders.run("orders list --count --by status --format yaml -q"), 0, output: .has("by: status", "values: 3", "value: open"))
  }

  @Test("values that do not fit, parts, lists and numbers count as they came")
  func values() async throws {
    let orders = try await FakeOrders([
      #"{"id":"1","total":1,"tags":["a","b","a"],"rest":{"a":{"b":1}}}"#, #"{"id":"2","total":1.0,"tags":[],"rest":{"a":{"b":1}}}"#,
      #"{"id":"3","total":"many","tags":["a"],"rest":5}"#,
    ])
    func rows(_ field: String) async throws -> [String] {
      try await expect(orders.run("orders list --count --by \(field) --format ndjson -q"), 0).lines
    }
    #expect(try await rows("total") == [#"{"value":1.0,"count":2}"#, #"{"value":"many","count":1}"#])
    #expect(try await rows("tags") == [#"{"value":"a","count":2}"#, #"{"value":"b","count":1}"#, #"{"value":null,"count":1}"#])
    #expect(try await rows("rest") == [#"{"value":{"a":{"b":1}},"count":2}"#, #"{"value":5,"count":1}"#])
    try await expect(orders.run("orders list --count --by total"), 0, errors: .has("is not a number (such as \"many\")"))
    try await expect(orders.run("orders list --count --by total --require same-shape"), 3, errors: .has("--require"))
    // A part by its path, and a part with several values.
    try await expect(
      InProcess.run("users list --offline --count --by address.country --all -n 1 -q"), 0, output: .has("\t"))
    try await expect(
      InProcess.run("users list --offline --count --by name"), 64, errors: .has("--by: \"name\" has several values; choose one of name."))
  }

  @Test("a count by a field has the origin, the notices and the requirements of a count")
  func outcome() async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("orders list --count --by status --offline"), 0, errors: .has("orders: cached "))
    try await expect(orders.run("orders list --count --by status --offline --require live"), 3, errors: .has("--require"))
    try await expect(
      orders.run("orders list --count --by status --offline --where status=opne -q"), 0, output: "")
    try await expect(
      orders.run("orders list --count --by status --offline --where status=opne"), 0, errors: .has("status is one of open, paid"))
    try await expect(orders.run("orders list --count --by status --live --require complete,found -n 1"), 0, output: "open\t1\n")
    try await expect(
      InProcess.run("heroes list --offline --count --by powers -q --format tsv -n 1"), 0, output: .has("\t"))
  }

  @Test("a file of counts says what was counted, where it came from and whether these are all")
  func files() async throws {
    let orders = try await FakeOrders(FakeOrders.rows + [#"{"id":"4","status":"open"}"#])
    try await expect(
      orders.run("orders list --count --by status -n 2 --format md"), 0,
      output: .has("2 of 3 values; complete; live; counted among 4 records; asked: orders list --limit 2 --count --by status;"))
    try await expect(orders.run("orders sync"), 0)
    try await expect(
      orders.run("orders list --count --by status --offline --format html"), 0,
      output: .has("<p class=\"state complete\">3 values, <strong>complete</strong></p>", "<dt>Origin</dt><dd>cached "))
    orders.become(#"{"id":"1","status":"paid"}"#)
    try await expect(orders.run("orders sync"), 0)
    try await expect(orders.run("orders changes -n 1 --format md"), 0, output: .has("1 change; showing the first 1 of 11 changes"))
  }

  @Test(
    "what a count by a field cannot take is refused",
    arguments: [
      ("list --by status", "--by needs --count"), ("list --count --by stauts", "--by: unknown field \"stauts\"; did you mean \"status\"?"),
      ("list --count --by status --by id", "--by was given twice"), ("list --count --by status --sort id", "--count and --sort"),
      ("list --count --by status --fields id", "--count and --fields"), ("list --count --by status --pages 1", "--count and --pages"),
      ("list --count -n 1", "--count and --limit"), ("list --count --header", "--count and --header"),
      ("show 1 --by status", "does not take --by"),
      ("list --count --by status --all --pages 1", "--count and --pages"), ("list --count --by", "--by needs a value; type --by FIELD"),
    ])
  func refused(line: String, error: String) async throws {
    let orders = try await FakeOrders()
    try await expect(orders.run("orders \(line)"), 64, output: "", errors: .has(error))
  }
}
