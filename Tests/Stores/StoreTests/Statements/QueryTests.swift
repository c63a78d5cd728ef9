import AggregatorCore
import Store
import StoreTables
import Synchronization
import Testing

/// The wishes that a table got.
private final class Wishes: Sendable {
  let all = Mutex<[QueryTable.Wish]>([])
}

extension QueryTable {
  /// A table of these objects; the fields have no type unless it is given.
  fileprivate static func of(
    _ name: String, _ columns: [(String, Leaf.Kind)], id: String? = "id", noting wishes: Wishes = Wishes(), _ rows: [String]
  ) -> QueryTable {
    let fields = columns.map { Column($0.0, at: .path(FieldPath([$0.0])), $0.1) }
    let note = Column("fetched_at", at: .note(0), .time)
    let time = Value.text("2026-11-01T04:15:00.000Z")
    return QueryTable(name, of: [name], fields + [note], id: id, count: rows.count) { wish in
      wishes.all.withLock { $0.append(wish) }
      if case .id(let id) = wish.selection {
        let found = rows.indices.filter { rows[$0].hasPrefix(#"{"id":\#(id),"#) || rows[$0] == #"{"id":\#(id)}"# }
        return Rows(found.map { Row(Array(rows[$0].utf8), notes: [time], number: Int64($0)) }, next: nil)
      }
      let end = min(rows.count, Int(wish.after) + wish.count)
      let found = (Int(wish.after)..<end).map { Row(Array(rows[$0].utf8), notes: [time], number: Int64($0)) }
      return Rows(found, next: end < rows.count ? Int64(end) : nil)
    }
  }
}

private let people: [(String, Leaf.Kind)] = [("id", .integer), ("name", .text), ("city", .text), ("tags", .any), ("plus", .bool)]

private func rows(_ statement: String, over tables: [QueryTable]) async throws -> [[Value]] {
  let query = try await SQLiteQueries().prepare(statement, over: tables)
  var rows: [[Value]] = []
  while let more = try await query.next() { rows += more }
  return rows
}

private func mistake(_ statement: String, over tables: [QueryTable]) async -> QueryMistake? {
  do {
    _ = try await rows(statement, over: tables)
    return nil
  } catch {
    return error as? QueryMistake
  }
}

@Suite struct QueryTests {
  private let ann = QueryTable.of(
    "people", people,
    [
      #"{"id":1,"name":"Ann","city":"Oslo","tags":["a","b"],"plus":true}"#, #"{"id":2,"name":"Bea","city":"Rome"}"#,
      #"{"id":3,"name":"Cid","city":"Oslo","plus":false}"#,
    ])
  private let orders = QueryTable.of(
    "orders", [("id", .integer), ("person", .integer), ("total", .number), ("post", .text)],
    [
      #"{"id":10,"person":1,"total":5,"post":"08001"}"#, #"{"id":11,"person":3,"total":2.5,"post":"0"}"#,
      #"{"id":12,"person":2,"total":4}"#, #"{"id":13,"person":9,"total":1}"#,
    ])

  @Test("a join, a group and an order are SQL's own")
  func join() async throws {
    let found = try await rows(
      "SELECT p.city, sum(o.total) FROM orders o JOIN people p ON p.id = o.person GROUP BY 1 ORDER BY 2 DESC", over: [ann, orders])
    #expect(found == [[.text("Oslo"), .double(7.5)], [.text("Rome"), .int(4)]])
  }

  @Test("values have the types of their fields, and a list is JSON")
  func types() async throws {
    let found = try await rows("SELECT *, typeof(plus), json_array_length(tags) FROM people WHERE id = 1", over: [ann])
    #expect(
      found == [
        [
          .int(1), .text("Ann"), .text("Oslo"), .text(#"["a","b"]"#), .int(1), .text("2026-11-01T04:15:00.000Z"), .text("integer"),
          .int(2),
        ]
      ])
    // A field of texts compares as texts, whatever is written beside it.
    #expect(try await rows("SELECT id FROM orders WHERE post = '08001'", over: [orders]) == [[.int(10)]])
    #expect(try await rows("SELECT id FROM orders WHERE id = '11'", over: [orders]) == [[.int(11)]])
    #expect(try await rows("SELECT post FROM orders WHERE post = 0", over: [orders]) == [[.text("0")]])
  }

  @Test("median and percentile ignore null and lie between two values")
  func percentiles() async throws {
    let found = try await rows(
      "SELECT median(total), percentile(total, 0), percentile(total, 100), median(post IS NULL), median(NULL) FROM orders",
      over: [orders])
    #expect(found == [[.double(3.25), .double(1), .double(5), .double(0.5), .null]])
    #expect(await mistake("SELECT median(name) FROM people", over: [ann])?.message.contains("take numbers") == true)
    #expect(await mistake("SELECT percentile(id, 101) FROM people", over: [ann])?.message.contains("from 0 to 100") == true)
  }

  @Test(
    "a statement that would do more than read is refused",
    arguments: [
      "INSERT INTO people VALUES(1)", "UPDATE people SET name = 'x'", "DELETE FROM people", "WITH x AS (SELECT 1) DELETE FROM people",
      "CREATE TABLE x(y)", "CREATE TEMP TABLE x AS SELECT 1", "CREATE VIEW x AS SELECT 1", "DROP VIEW people",
      "ALTER TABLE people RENAME TO x",
      "PRAGMA user_version = 5", "PRAGMA table_info(people)", "SELECT * FROM pragma_database_list", "ATTACH ':memory:' AS x", "BEGIN",
      "COMMIT",
      "SAVEPOINT x", "VACUUM", "VACUUM INTO '/tmp/x'", "ANALYZE", "REINDEX", "SELECT load_extension('x')",
      "CREATE TRIGGER x AFTER INSERT ON people BEGIN SELECT 1; END",
    ])
  func refused(statement: String) async {
    #expect(await mistake(statement, over: [ann]) != nil)
  }

  @Test("a refusal names what is refused")
  func refusals() async {
    for word in ["CREATE TABLE x(y)", "DELETE FROM people", "UPDATE people SET name = 'x'", "VACUUM", "PRAGMA table_info(people)"] {
      let name = String(word.prefix { $0.isLetter })
      #expect(await mistake(word, over: [ann])?.message == "sql only reads; \(name) is refused")
    }
  }

  @Test("a row that is found in two ways comes once, and each of two rows comes")
  func alternatives() async throws {
    let due: [[Value]] = [[.int(1)], [.int(2)]]
    #expect(try await rows("SELECT id FROM people WHERE id = 1 OR (id = 2 AND city > '')", over: [ann]) == due)
    #expect(try await rows("SELECT id FROM people WHERE id IN (1, 2) OR id IN (2, 1)", over: [ann]) == due)
    #expect(try await rows("SELECT count(*) FROM people WHERE id = 1 OR id = 2 AND city > '' OR id = 1", over: [ann]) == [[.int(2)]])
  }

  @Test("a condition that compares ids otherwise than by their bytes reads every row")
  func otherComparisons() async throws {
    let codes = QueryTable.of("codes", [("id", .text), ("n", .integer)], [#"{"id":"DE","n":1}"#])
    #expect(try await rows("SELECT n FROM codes WHERE id = 'de' COLLATE NOCASE", over: [codes]) == [[.int(1)]])
    #expect(try await rows("SELECT n FROM codes WHERE id COLLATE NOCASE IN ('de', 'fr')", over: [codes]) == [[.int(1)]])
    for text in ["'01'", "' 1'", "'1.0'", "1.0"] {
      #expect(try await rows("SELECT name FROM people WHERE id = \(text)", over: [ann]) == [[.text("Ann")]], "\(text)")
    }
  }

  @Test("what SQL offers beyond reading is refused")
  func oddities() async {
    #expect(await mistake("SELECT fts3_tokenizer('simple')", over: [ann]) != nil)
    #expect(await mistake("SELECT count(*) FROM people\0 WHERE id = 1", over: [ann])?.message.contains("NUL") == true)
  }

  @Test("the rows of a list in a row are a table")
  func elements() async throws {
    let found = try await rows("SELECT p.name, t.value FROM people p, json_each(p.tags) t ORDER BY 2 DESC", over: [ann])
    #expect(found == [[.text("Ann"), .text("b")], [.text("Ann"), .text("a")]])
    #expect(await mistake("SELECT percentile(name, 5) FROM people", over: [ann])?.isOfValues == true)
  }

  @Test("a text holds one statement, and comments around it")
  func oneStatement() async throws {
    #expect(try await rows(" -- first\n SELECT 1; -- last\n ; ", over: []) == [[.int(1)]])
    #expect(await mistake("SELECT 1; SELECT 2", over: [])?.message.contains("one statement") == true)
    #expect(await mistake("SELECT 1; DELETE FROM people", over: [ann]) != nil)
    for empty in ["", " ", ";", "-- nothing"] { #expect(await mistake(empty, over: [])?.message.contains("empty") == true) }
    #expect(await mistake("SELECT ?", over: [])?.message.contains("no parameters") == true)
    // In other programs a name in double quotes that does not exist is a text.
    #expect(await mistake(#"SELECT "nmae" FROM people"#, over: [ann])?.nearest == "name")
  }

  @Test("a mistake has its place and the nearest name")
  func places() async throws {
    let column = await mistake("SELECT id, citty FROM people", over: [ann])
    #expect(column?.offset == 11 && column?.nearest == "city" && column?.message == "unknown column \"citty\"")
    let table = await mistake("SELECT 1 FROM poeple", over: [ann])
    #expect(table?.nearest == "people" && table?.message == "unknown table \"poeple\"")
    #expect(await mistake("SELECT meidan(id) FROM people", over: [ann])?.nearest == "median")
    #expect(await mistake("SELEC 1", over: [])?.offset == 0)
  }

  @Test("names with quotes and reserved words are names")
  func names() async throws {
    let odd = QueryTable.of(
      #"o"d'd"#, [(#"a"b"#, .text), ("it's", .text), ("select", .text), ("SELECT", .text)], id: nil,
      [#"{"a\"b":"1","it's":"2","select":"3","SELECT":"4"}"#])
    let found = try await rows(#"SELECT "a""b", "it's", "select", "SELECT:1" FROM "o""d'd""#, over: [odd])
    #expect(found == [[.text("1"), .text("2"), .text("3"), .text("4")]])
  }

  @Test("columns that only a join names are there")
  func namedJoins() async throws {
    let pets = QueryTable.of("pets", [("id", .integer), ("pet", .text)], [#"{"id":3,"pet":"Rex"}"#, #"{"id":1,"pet":"Tom"}"#])
    let due: [[Value]] = [[.text("Ann"), .text("Tom")], [.text("Cid"), .text("Rex")]]
    #expect(try await rows("SELECT name, pet FROM people JOIN pets USING(id) ORDER BY name", over: [ann, pets]) == due)
    #expect(
      try await rows("SELECT name, pet FROM people NATURAL JOIN (SELECT id, pet FROM pets) ORDER BY name", over: [ann, pets]) == due)
  }

  @Test("only what a statement needs is asked for")
  func wishes() async throws {
    let wishes = Wishes()
    let many = QueryTable.of("many", [("id", .integer), ("name", .text)], noting: wishes, (0..<5_000).map { #"{"id":\#($0)}"# })
    func asked(_ statement: String) async throws -> [QueryTable.Wish] {
      wishes.all.withLock { $0 = [] }
      _ = try await rows(statement, over: [many])
      return wishes.all.withLock(\.self)
    }
    #expect(try await asked("SELECT name FROM many WHERE id = 77").map(\.selection) == [.id("77")])
    #expect(try await asked("SELECT name FROM many WHERE id = '77'").map(\.selection) == [.id("77")])
    #expect(try await asked("SELECT name FROM many WHERE id IN (7, 8)").map(\.selection).count == 2)
    #expect(try await asked("SELECT name FROM many LIMIT 3").count <= 2)
    #expect(try await asked("SELECT max(id) FROM many").allSatisfy { !$0.wantsNotes })
    #expect(try await asked("SELECT max(fetched_at) FROM many").allSatisfy { $0.wantsNotes })
  }

  @Test("rows that are no objects are counted, and a number that SQL rounds is told")
  func losses() async throws {
    let table = QueryTable.of(
      "t", [("id", .any)], id: nil, [#"{"id":1}"#, "[1]", "{", #"{"id":12345678901234567890123}"#, #"{"id":4.10}"#])
    let query = try await SQLiteQueries().prepare("SELECT count(*), max(id) FROM t", over: [table])
    #expect(try await query.next() == [[.int(3), .double(1.2345678901234568e22)]])
    #expect(query.skipped == 2)
    #expect(query.rounded == "12345678901234567890123")
  }

  private let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "

  @Test("an endless statement ends when its task is cancelled, with rows or without")
  func endlessly() async throws {
    let query = try await SQLiteQueries().prepare(endless + "SELECT x FROM c", over: [])
    #expect(try await query.next()?.first == [.int(1)])
    let silent = Task { try await rows(endless + "SELECT count(*) FROM c", over: []) }
    silent.cancel()
    await #expect(throws: CancellationError.self) { try await silent.value }
    let rest = Task { while try await query.next() != nil {} }
    rest.cancel()
    await #expect(throws: CancellationError.self) { try await rest.value }
  }

  @Test("a statement that waits for a table ends when its task is cancelled")
  func waiting() async throws {
    let (begun, tell) = AsyncStream.makeStream(of: Void.self)
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    defer { end.finish() }
    let table = QueryTable("slow", of: [], [.init("id", at: .path(FieldPath(["id"])), .any)], count: 1) { _ in
      tell.yield()
      // Nothing comes: only a cancellation ends this.
      for await _ in never {}
      try Task.checkCancellation()
      return .init([], next: nil)
    }
    let waiting = Task { try await rows("SELECT * FROM slow", over: [table]) }
    for await _ in begun { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test("a value that is too long is an error, and so is the error of a table")
  func bounds() async throws {
    #expect(await mistake("SELECT zeroblob(1000000000)", over: [])?.message.contains("too") == true)
    #expect(
      await mistake(endless + "SELECT group_concat(hex(zeroblob(1000000))) FROM (SELECT x FROM c LIMIT 50)", over: [])?.message.contains(
        "too") == true)
    #expect(await mistake("SELECT '\(String(repeating: "x", count: 1_100_000))'", over: []) != nil)
    let broken = QueryTable("broken", of: [], [.init("id", at: .path(FieldPath(["id"])), .any)], count: 1) { _ in
      throw SourceError(.storage, "the disk is gone")
    }
    await #expect(throws: SourceError(.storage, "the disk is gone")) { try await rows("SELECT * FROM broken", over: [broken]) }
    // A table that no statement reads costs nothing.
    #expect(try await rows("SELECT 1", over: [broken]) == [[.int(1)]])
  }

  @Test("the columns of a result have different names, and a search wants a text")
  func columns() async throws {
    let query = try await SQLiteQueries().prepare("SELECT a.id, b.id, 1 AS ID FROM people a, people b", over: [ann])
    #expect(query.columns == ["id", "id:1", "ID:2"])
    #expect(query.tables == ["people"])
    let search = QueryTable("people_search", of: [], [.init("id", at: .path(FieldPath(["id"])), .any)], takesText: true, count: 9) { wish in
      .init(wish.selection == .text("ann") ? [.init(Array(#"{"id":1}"#.utf8), number: 1)] : [], next: nil)
    }
    #expect(try await rows("SELECT id FROM people_search('ann')", over: [search]) == [[.int(1)]])
    #expect(try await rows("SELECT p.name FROM people_search('ann') s JOIN people p USING(id)", over: [search, ann]) == [[.text("Ann")]])
    #expect(await mistake("SELECT id FROM people_search", over: [search])?.message.contains("needs a text") == true)
  }
}
