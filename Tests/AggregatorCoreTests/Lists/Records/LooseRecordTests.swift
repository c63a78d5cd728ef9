import Testing

@testable import AggregatorCore

@Suite("A record whose fields are known only at run time")
struct LooseRecordTests {
  static let fields = [
    LooseField("id", .integer), LooseField("name", role: .title, searchable: true), LooseField("size", .number),
    LooseField("isOpen", .bool), LooseField("tags", .list(of: .text), searchable: true), LooseField("rest", .any),
    LooseField("place", .part([LooseField("city"), LooseField("at", .part([LooseField("x", .number)]))]), searchable: true),
  ]

  private func read(_ row: String) throws -> LooseRecord { try Schema(Self.fields, id: "id").read(JSON(Array(row.utf8))) }

  @Test(
    "a loose record reads its own fields from a row, each of its kind",
    arguments: [
      (
        #"{"id":7,"name":"Ä","size":2,"isOpen":true,"tags":["x"],"rest":[1,{}],"place":{"city":"Y","at":{"x":1}},"more":1}"#,
        #"{"id":7,"name":"Ä","size":2.0,"isOpen":true,"tags":["x"],"rest":[1,{}],"place":{"city":"Y","at":{"x":1.0}}}"#
      ),
      (#"{"id":"7"}"#, #"{"id":7,"name":null,"size":null,"isOpen":null,"tags":[],"rest":null,"place":null}"#),
      (
        #"{"place":{"at":{}},"rest":"","name":"","size":"1.5","id":1}"#,
        #"{"id":1,"name":null,"size":1.5,"isOpen":null,"tags":[],"rest":"","place":null}"#
      ),
      (#"{"id":1,"name":1.50}"#, #"{"id":1,"name":"1.50","size":null,"isOpen":null,"tags":[],"rest":null,"place":null}"#),
    ])
  func reading(row: String, expected: String) throws {
    let schema = try Schema(Self.fields, id: "id")
    let record = try read(row)
    var writer = JSONWriter()
    writer.write(schema.value(of: record))
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    #expect(try schema.read(JSON(writer.bytes)) == record)
  }

  @Test(
    "a field of days takes a day alone, and another value stays as it came and is a misfit",
    arguments: [("2024-02-29", true), ("2024-02-29T10:00:00Z", false), ("2024-01-01T23:00:00-05:00", false), ("2024-02-30", false)])
  func day(value: String, fits: Bool) throws {
    let schema = try Schema([LooseField("id"), LooseField("day", .day)], id: "id")
    let read = try schema.readWithMisfits(JSON(Array(#"{"id":"1","day":"\#(value)"}"#.utf8)))
    #expect(read.item.value["day"] == .text(value))
    #expect(read.misfits.map(\.field) == (fits ? [] : ["day"]))
  }

  @Test("a loose record has a digest of what is stored, by which two records with one id are told apart")
  func digest() throws {
    let schema = try Schema(Self.fields, id: "id")
    func digest(_ row: String) throws -> UInt64 { schema.contentDigest(of: try read(row)) }
    let first = try digest(#"{"id":7,"name":"Ada","size":2,"rest":{"a":1}}"#)
    #expect(try digest(#"{"size":2.0,"rest":{"a":1},"name":"Ada","id":"7","unknown":true}"#) == first)
    for other in [#""name":"Bea","size":2,"rest":{"a":1}"#, #""name":"Ada","size":2,"rest":{"a":2}"#, #""name":"Ada","rest":{"a":1}"#] {
      #expect(try digest("{\"id\":7,\(other)}") != first)
    }
    #expect(Row.schema.contentDigest(of: Row("7", "Ada")) != Row.schema.contentDigest(of: Row("7", "Bea")))
  }

  @Test(
    "a loose record that cannot be read is an error that says why",
    arguments: [
      (#"{"name":"x"}"#, "a record without an id"), (#"{"id":{"x":1}}"#, "a record without an id"),
      ("[]", "expected an object, found an empty array"),
    ])
  func faults(row: String, reason: String) {
    #expect { try read(row) } throws: { ($0 as? SourceError)?.kind == .malformed && "\($0)".hasSuffix(reason) }
  }

  @Test("a number that may have a fraction is found by no search, in a loose record as in its JSON")
  func measurements() throws {
    let fields = [
      LooseField("id"), LooseField("name", role: .title, searchable: true), LooseField("price", .decimal, searchable: true),
      LooseField("size", .number, searchable: true), LooseField("count", .integer, searchable: true),
    ]
    let schema = try Schema(fields, id: "id")
    let record = try schema.read(JSON(Array(#"{"id":"a","name":"Lamp","price":5,"size":6,"count":7}"#.utf8)))
    for (text, isFound) in [("5", false), ("6", false), ("7", true), ("lamp", true)] {
      let matcher = Matcher(text, in: schema)
      var sight = matcher.sight
      let rank = try schema.body(of: record).withUnsafeBufferPointer { body in
        try Array("a".utf8).withUnsafeBufferPointer { try sight.rank(body: body, id: $0) }
      }
      #expect(matcher.matches(record) == isFound && (rank != nil) == isFound, "\(text)")
    }
  }

  @Test("a loose record has the leaves of its fields, each with its properties")
  func leaves() throws {
    let leaves = try Schema(Self.fields, id: "id").outline.leaves
    #expect(leaves.map(\.path.text) == ["id", "name", "size", "isOpen", "tags", "rest", "place.city", "place.at.x"])
    #expect(leaves.filter(\.isText).map(\.path.text) == ["name", "place.city"])
    // No field of the part is searchable.
    #expect(leaves.filter(\.isSearchable).map(\.path.text) == ["name", "tags"])
  }

  @Test(
    "a loose record needs names that can be shown and stored, and a field that can be its id",
    arguments: [
      ([LooseField("")], "a field has no name"), ([LooseField("a"), LooseField("a")], "two fields are called \"a\""),
      ([LooseField("a"), LooseField("A")], "the fields \"a\" and \"A\" differ in case alone, which SQL does not see"),
      ([LooseField("a\u{0}")], "control character"), ([LooseField("a\u{1B}[31m")], "control character"),
      ([LooseField("a"), LooseField("p", .part([LooseField("")]))], "a field has no name"), ([LooseField("b")], "can be the id"),
      ([LooseField("a", .number)], "can be the id"), ([LooseField("a", .list(of: .text))], "can be the id"), ([], "can be the id"),
      ([LooseField("a")] + (0..<1000).map { LooseField("f\($0)") }, "at most 1000"),
    ])
  func refusals(fields: [LooseField], reason: String) {
    #expect { try Schema(fields, id: "a") } throws: { ($0 as? SourceError)?.kind == .settings && "\($0)".contains(reason) }
  }

  @Test("a loose record may have its id in a part")
  func innerID() throws {
    let schema = try Schema([LooseField("key", .part([LooseField("a.b")]))], id: #"key.a\.b"#)
    #expect(try schema.read(JSON(Array(#"{"key":{"a.b":"x"}}"#.utf8))).id == "x")
  }

  @Test("a loose record is searched in the fields that say so, even with a name with a dot")
  func search() throws {
    let schema = try Schema([LooseField("id"), LooseField("address.city", searchable: true), LooseField("note")], id: "id")
    let record = try schema.read(JSON(Array(#"{"id":"1","address.city":"Århus","note":"Oslo"}"#.utf8)))
    #expect(Matcher("arhus", in: schema).matches(record))
    #expect(!Matcher("oslo", in: schema).matches(record))
  }

  @Test("a loose record made by hand is read by its names, in any order")
  func byHand() throws {
    let schema = try Schema([LooseField("id"), LooseField("name")], id: "id")
    let record = LooseRecord(id: "1", value: .object([Member(name: "name", value: .text("A")), Member(name: "id", value: .text("1"))]))
    #expect(schema.fields.map { $0.value(record) } == [.text("1"), .text("A")])
  }
}
