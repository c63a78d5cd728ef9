import AggregatorCore
import Asking
import SourceTesting
import Testing

/// `changes` of some kinds, before a time, and with conditions.
@Suite("choosing changes") struct ChangesChoiceTests {
  /// Orders of which one was paid, one has another total, one is gone and one is new since the first sync.
  private func changedOrders() async throws -> FakeOrders {
    let orders = try await FakeOrders([
      #"{"id":"1","status":"open","total":5}"#, #"{"id":"2","status":"open","total":7,"note":"a"}"#,
      #"{"id":"3","status":"open","total":9}"#,
    ])
    try await expect(orders.run("orders sync"), 0)
    orders.become(
      #"{"id":"1","status":"paid","total":5}"#, #"{"id":"2","status":"open","total":8,"note":"null"}"#,
      #"{"id":"4","status":"new","total":1}"#)
    try await expect(orders.run("orders sync"), 0)
    return orders
  }

  /// Options, a condition, and the changes that they choose, with commas between them.
  private static let examples: [(String, String, String)] = [
    ("--new", "", "new 4"), ("--gone", "", "gone 3"), ("--changed", "", "changed 1 status,changed 2 note,changed 2 total"),
    ("--new --gone", "", "gone 3,new 4"), ("", "field=status", "changed 1 status"), ("", "before=open", "changed 1 status"),
    ("", "after in paid,8", "changed 1 status,changed 2 total"), ("", "id=2", "changed 2 note,changed 2 total"),
    ("", "change!=changed", "gone 3,new 4"), ("--changed", "id in 2,3", "changed 2 note,changed 2 total"),
    ("", "title~pai", "changed 1 status"), ("", "before!=null", "changed 1 status,changed 2 note,changed 2 total"),
    ("", "at<2020", ""), ("--gone", "id=4", ""), ("", "source!=orders", ""), ("--since yesterday --new", "at>=today", "new 4"),
    ("", "source=orders", "changed 1 status,changed 2 note,changed 2 total,gone 3,new 4"),
  ]

  @Test("kinds and conditions choose changes, of one source and of all", arguments: examples)
  func choices(line: String, condition: String, rows: String) async throws {
    let orders = try await changedOrders()
    for verb in ["orders changes", "changes orders"] {
      let outcome = try await orders.run(
        "\(verb) \(line) --fields change,id,field --format tsv -q", where: condition.isEmpty ? [] : [condition])
      expect(outcome, 0)
      #expect(outcome.lines.map { $0.split(separator: "\t").joined(separator: " ") }.sorted().joined(separator: ",") == rows)
    }
  }

  @Test("until leaves out what changed at that time or later, so that two times in a row share nothing and lose nothing")
  func until() async throws {
    let orders = try await changedOrders()
    orders.become(#"{"id":"1","status":"sent","total":5}"#)
    try await expect(orders.run("orders sync --accept-gone"), 0)
    let times = try await Set(orders.run("orders changes --fields at --format tsv -q").lines).sorted()
    #expect(times.count == 2)
    func count(_ line: String) async throws -> Int { try await orders.run("orders changes \(line) --format ndjson -q").lines.count }
    let all = try await count("")
    #expect(try await count("--until \(times[0])") == 0)
    #expect(try await count("--until \(times[1])") == 5)
    #expect(try await count("--since \(times[0]) --until \(times[1])") + count("--since \(times[1])") == all)
    #expect(try await count("--until yesterday") == 0)
    #expect(try await count("--since yesterday") == all)
    try await expect(orders.run("orders changes --until \(times[1]) --limit 2"), 0, errors: .has("showing the first 2 of 5 changes"))
  }

  @Test("each choice of a reader has a place of its own, so that a change that one leaves out is news for another")
  func readers() async throws {
    let orders = try await changedOrders()
    func rows(_ line: String, where conditions: String...) async throws -> Int {
      try await orders.run("orders changes --since last:mail --format ndjson -q \(line)", where: conditions).lines.count
    }
    #expect(try await rows("--gone") == 1)
    #expect(try await rows("--gone") == 0)
    #expect(try await rows("", where: "field=status") == 1)
    #expect(try await rows("", where: "field=status") == 0)
    #expect(try await rows("--changed", where: "field=status") == 1)
    #expect(try await rows("", where: "field=total", "id=2") == 1)
    // The order of conditions does not matter.
    #expect(try await rows("", where: "id=2", "field=total") == 0)
    #expect(try await rows("") == 5)
    #expect(try await rows("") == 0)
    // A limit leaves the place where it was.
    #expect(try await rows("--new --gone --limit 1") == 1)
    #expect(try await rows("--gone --new") == 2)
    #expect(try await rows("--gone --new") == 0)
    try await expect(orders.run("orders forget --yes"), 0)
    try await expect(orders.run("orders sync"), 0)
    orders.become(#"{"id":"1","status":"paid","total":5}"#)
    try await expect(orders.run("orders sync --accept-gone"), 0)
    #expect(try await rows("--gone") == 2)
  }

  @Test("a report, counts and folds are those of the chosen changes, and the command for the rest has the choice too")
  func report() async throws {
    let orders = try await changedOrders()
    let report = try await orders.run("orders changes --format report --changed --new")
    #expect(report.lines.first == "orders: 1 new, 2 updated" && report.errors.isEmpty)
    try await expect(orders.run("orders changes --format report", where: ["field=nothing"]), 0, output: "", errors: "")
    let ended = try await orders.run("orders changes --format report --gone --until 2100-01-01")
    #expect(ended.lines.first == "orders: 1 gone until 2100-01-01 00:00 UTC")
    orders.become(rows: (0..<60).map { #"{"id":"\#($0)","status":"open","total":\#($0)}"# })
    try await expect(orders.run("orders sync"), 0)
    let line = "orders changes --since 1d --new --until 2100-01-01 --format report"
    let long = try await orders.run(line, where: ["id!=7", "title in open, x"])
    let words = long.output.split { " \n".contains($0) }.joined(separator: " ")
    let more = try #require(words.firstMatch(of: /more: aggregator (.*)$/)).1
    #expect(more.contains("--new --until 2100-01-01T00:00:00.000Z --where ") && more.contains("'title in open, x'"), "\(more)")
    orders.become(rows: (0..<60).map { #"{"id":"\#($0)","status":"void","total":\#($0)}"# })
    try await expect(orders.run("orders sync"), 0)
    let folded = try await orders.run("orders changes --format table -q", where: ["after=void", "id in 1,2,3,4,5,6,7,8,9,10,11,12"])
    #expect(folded.lines == ["status: 12 × open → void"], "\(folded.output)")
  }

  @Test("where no change is chosen, the answer says why")
  func nothing() async throws {
    let orders = try await changedOrders()
    let cases: [(String, String?, String)] = [
      ("--gone", "id=7", "orders: no change meets id=7; id is one of 3\n"), ("--until 2020", nil, "orders: no such change\n"),
      ("", "field=statsu", "orders: no change meets field=statsu; field is one of note, status, total\n"),
      ("", "field=status,total", "orders: no change meets field=status,total; did you mean field in status,total?\n"),
      ("--since 2100", "field=status", "orders: no such change\n"),
    ]
    for (line, condition, told) in cases {
      let outcome = try await orders.run("orders changes \(line)", where: condition.map { [$0] } ?? [])
      #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.errors == "aggregator: \(told)", "\(outcome.errors)")
    }
    try await expect(orders.run("orders changes --require found --gone", where: ["id=7"]), 3, errors: .has("nothing was found (--require)"))
    try await expect(
      orders.run("orders changes", where: ["after=null", "change=changed"]), 0, errors: .has("after is the text \"null\" in 1 change"))
  }

  @Test(
    "a choice that would lose changes, or that cannot be read, is refused",
    arguments: [
      ("--since last:mail --until today", nil, "--since: last goes up to now, so that neither an end nor a condition on at"),
      ("--since last", "at<today", "--since: last goes up to now"),
      ("--since today --until yesterday", nil, "--until must be a time after since"),
      ("--until last", nil, "--until: \"last\" is not a time"), ("--until today --until 1d", nil, "--until was given twice"),
      ("", "stats=x", "--where: unknown field \"stats\""), ("", "total=5", "--where: unknown field \"total\""),
      ("", "id>x", "--where: id has no order"), ("", "after>five", "--where: \"five\" is not a number"),
    ])
  func refused(line: String, condition: String?, error: String) async throws {
    let orders = try await FakeOrders()
    let outcome = try await orders.run("orders changes \(line)", where: condition.map { [$0] } ?? [])
    expect(outcome, 64, output: "", errors: .has(error))
  }

  @Test("a comparison of numbers that meets a text says how to choose the field, and the reader's place stays")
  func mixture() async throws {
    let orders = try await changedOrders()
    let line = "orders changes --since last:mail --format ndjson"
    try await expect(
      orders.run(line, where: ["after>7"]), errors: .has("after>7 compares numbers, and \"", "add --where field=FIELD to choose the field"))
    #expect(try await orders.run(line, where: ["after>7", "field=total"]).lines.count == 1)
    #expect(try await orders.run(line, where: ["field=total", "after>7"]).lines.count == 0)
  }
}
