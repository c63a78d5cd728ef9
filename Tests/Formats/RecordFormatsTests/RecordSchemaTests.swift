import AggregatorCore
import Asking
import Platform
import SourceTesting
import Testing

@testable import RecordFormats

/// Schemas of records, and the JSON that is printed of them.
@Suite struct RecordSchemaTests {
  private let check = SchemaCheck()

  @Test("every bundled record fits the schema of its source, in lists and in full", arguments: Bundled.sources)
  func bundled(source: SourceDescriptor) async throws {
    let (opened, records, summary) = try await Bundled.records(of: source)
    #expect(records.count > 20)
    let schema = JSONSchema.record(of: source.fields, in: .list)
    let envelope = Envelope(source: source.name, text: nil, limit: nil)
    let answer = try PrintedJSON.of(records, Columns(of: opened, detail: false), in: .envelope(envelope), summary)
    #expect(check.faults(in: answer, by: .answer(of: source.name, items: schema)).isEmpty)
    let full = try PrintedJSON.of(records, Columns(of: opened, detail: true), in: .array)
    #expect(check.faults(in: full, by: .list(of: .record(of: source.fields))).isEmpty)
    let item = try #require(full.list?.first)
    let isDetailed = source.fields.contains(where: \.isDetail)
    #expect(check.faults(in: item, by: schema).isEmpty != isDetailed, "a full record has more members")
  }

  @Test("a record with chosen fields fits the schema for that, also if a part of it is missing", arguments: Bundled.sources)
  func chosen(source: SourceDescriptor) async throws {
    let (_, records, _) = try await Bundled.records(of: source)
    for leaves in source.fields.leaves.map({ [$0] }) + [source.fields.leaves] {
      let columns = Columns(Selection(chosen: leaves), of: source.fields, at: Bundled.world.clock.now)
      let list = try PrintedJSON.of(records, columns, in: .array)
      #expect(check.faults(in: list, by: .list(of: .record(of: source.fields, in: .chosen))).isEmpty)
    }
  }

  @Test("the schemas of the four sources are those of the golden files", arguments: Bundled.sources)
  func golden(source: SourceDescriptor) throws {
    let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden"
    let path = "\(folder)/\(source.name).json"
    let text = JSONSchema.record(of: source.fields).value.inLines()
    if getenv("AGGREGATOR_REWRITE") != nil {
      try SystemFiles().replace(path, with: Array(text.utf8))
    } else {
      let golden = try SystemFiles().read(path, upTo: 1 << 20).bytes
      #expect(text == String(decoding: golden, as: UTF8.self), "AGGREGATOR_REWRITE=1 writes it anew")
    }
  }

  // MARK: - Types

  private struct Crate: Part {
    enum Size: String, FieldValue, CaseIterable { case small, large }
    enum Word: String, FieldValue { case one }
    struct Label: Part {
      var text = ""
      static let fields: [Field<Label>] = [
        Field("text", \.text), Field("age", computed: { _, _ in 3 }), Field("sign") { $0.text }.inTextOnly,
      ]
    }

    var size = Size.small
    var word: Word?
    var depth = 0.5
    var price = Money()
    var day = CalendarDay(Moment(secondsSinceEpoch: 0))
    var seen = Moment(secondsSinceEpoch: 0)
    var labels: [Label] = [Label()]
    var tags: Set<String> = ["a"]
    var marks: [Int?]? = [1, nil]
    var rest = Value.list([1, "a"])
    static let fields: [Field<Crate>] = [
      Field("size", \.size), Field("word", \.word), Field("depth", \.depth), Field("price", \.price), Field("day", \.day),
      Field("seen", \.seen), Field("labels", \.labels), Field("tags", \.tags), Field("marks", \.marks), Field("rest", \.rest),
      Field("half") { $0.depth / 0 }, Field("bare") { _ in 1 }.inTextOnly,
    ]
  }

  @Test("a type of values is described down to the parts in its lists")
  func types() throws {
    let schema = JSONSchema.row(of: Crate.fields).value["properties"]
    #expect(schema?["size"] == ["type": "string", "enum": ["small", "large"]])
    #expect(schema?["word"] == ["type": ["string", "null"]])
    #expect(schema?["depth"] == ["type": ["number", "null"]])
    #expect(schema?["price"]?["required"] == ["amount", "currency"])
    #expect(schema?["day"]?["format"] == "date" && schema?["seen"]?["format"] == "date-time")
    let label = schema?["labels"]?["items"]
    #expect(label?["required"] == ["text", "age", "sign"] && label?["properties"]?["age"] == ["type": "null"])
    #expect(schema?["marks"] == ["type": ["array", "null"], "items": ["type": ["integer", "null"]]])
    #expect(schema?["rest"] == [:] && schema?["bare"] == nil)
    var empty = Crate()
    (empty.word, empty.marks, empty.labels) = (.one, nil, [])
    for row in try PrintedJSON.of([Crate(), empty], Crate.fields, at: Moment(secondsSinceEpoch: 0)) {
      #expect(check.faults(in: row, by: .row(of: Crate.fields)).isEmpty)
    }
  }

  @Test("labels, explanations and roles are told")
  func words() {
    let fields = Bundled.sources[3].fields + Bundled.sources[0].fields
    let schema = JSONSchema.record(of: fields).value["properties"]
    #expect(schema?["nat"]?["title"] == "Nationality" && schema?["nat"]?["x-role"] == "badge")
    #expect(schema?["region"]?["description"]?.text?.hasPrefix("AF Africa") == true)
    #expect(schema?["birthday"]?["description"] == "usually a day or a time in ISO 8601")
  }

  // MARK: - Records of any fields

  private static let kinds: [(String, LooseField.Kind)] = [
    ("text", .text), ("integer", .integer), ("number", .number), ("bool", .bool), ("time", .time), ("address", .address),
    ("decimal", .decimal), ("any", .any), ("list", .list(of: .text)), ("parts", .list(of: .part([LooseField("x")]))),
    ("part", .part([LooseField("a.b", .integer), LooseField("c", .part([LooseField("d", .time)]))])),
    ("empty", .part([])),
  ]
  private static let names = [
    "a.b", "a", #"say "hi""#, "__proto__", "constructor", "🪨", "e\u{301}", "two words", "required", "$ref", "a,b", #"\"#, "'; DROP",
    "toString",
  ]
  private static let values = [
    "null", "true", "7", "-0.5", "1e400", "12345678901234567890", #""""#, #""x""#, #""7""#, #""2024-02-29""#, "[]", "[1,null,[]]",
    "{}", #"{"a.b":1,"c":{"d":7}}"#, #"{"a.b":[],"c":9}"#, #"[{"x":1},{"y":{}},3]"#, #"{"__proto__":{"a":1}}"#,
  ]

  @Test("a record with values that fit no field fits the schema all the same", arguments: names)
  func misfits(name: String) throws {
    let fields =
      [LooseField("id")] + Self.kinds.enumerated().map { LooseField("\(name)\($0)", $1.1) } + [LooseField(name, .list(of: .integer))]
    let schema = try Schema(fields, id: "id")
    let records = try Self.values.map { value in
      let members = fields.dropFirst().map { "\(Self.quoted($0.outline.name)):\(value)" }
      return try schema.read(JSON(Array("{\"id\":\(Self.quoted(value)),\(members.joined(separator: ","))}".utf8)))
    }
    let outline = schema.outline
    for extent in JSONSchema.Extent.allCases {
      let selection = extent == .chosen ? Selection(chosen: outline.leaves) : Selection(of: outline, detail: extent == .full)
      let columns = Columns(selection, of: outline, at: Moment(secondsSinceEpoch: 0))
      let printed = try PrintedJSON.of(schema.shown(records), columns, in: .array)
      // A value that does not fit may have members that no schema knows.
      let faults = SchemaCheck(isClosed: false).faults(in: printed, by: .list(of: .record(of: outline, in: extent)))
      #expect(faults.isEmpty, "\(extent)")
      let names = printed.list?.first?.members?.map(\.name) ?? []
      #expect(JSONSchema.record(of: outline, in: extent).names.isSuperset(of: names))
    }
  }

  private static func quoted(_ text: String) -> String { String(decoding: Value.text(text).bytes, as: UTF8.self) }

  @Test("what a field should hold is said in words, since its values may be of any type")
  func expected() throws {
    let fields = Self.kinds.map { LooseField($0.0, $0.1) }.map(\.outline)
    let schema = JSONSchema.record(of: fields).value["properties"]
    #expect(schema?["text"] == ["description": "usually a text"] && schema?["any"] == [:])
    #expect(schema?["list"] == ["description": "usually a list of texts"])
    let day: Value = ["properties": ["d": ["description": "usually a day or a time in ISO 8601"]], "required": ["d"]]
    #expect(schema?["part"]?["properties"]?["c"] == day && schema?["part"]?["required"] == ["a.b", "c"])
    #expect(schema?["empty"] == nil)
  }

  @Test("a record with edits has one member more, unless a field has its name")
  func edited() throws {
    for hasField in [false, true] {
      let fields = [LooseField("id"), LooseField("size", .integer)] + (hasField ? [LooseField("edited", .bool)] : [])
      let schema = try Schema(fields, id: "id")
      let record = try schema.read(JSON(Array(#"{"id":"a","size":1,"edited":true}"#.utf8)))
      let columns = Columns(Selection(of: schema.outline, detail: false), of: schema.outline, at: Moment(secondsSinceEpoch: 0))
      let printed = try PrintedJSON.of(schema.shown([record]), columns, in: .none, marking: ["a": ["size"]])
      #expect(printed["edited"] == (hasField ? .bool(true) : ["size"]))
      #expect(check.faults(in: printed, by: .record(of: schema.outline, in: .list)).isEmpty)
    }
  }

  // MARK: - The check itself

  private static let wrong: [(schema: JSONSchema, value: String)] = [
    (.text, "1"), (.integer, "1.5"), (.text.orNull, "[]"), (.integer(from: 1, to: 3), "0"), (.integer(from: 1, to: 3), "4"),
    (.list(of: .text), "[null]"), (.text(among: ["a"]), #""b""#), (.text(among: ["a"]).orNull, #""b""#), (.any(of: [.text, .null]), "1"),
    (.object([.init("a", .text)]), "{}"), (.object([.init("a", .text, isRequired: false)]), #"{"b":1}"#),
    (.object([], others: .integer), #"{"a":"x"}"#), (.text(in: "date-time"), #""2024-02-29""#), (.text(in: "date"), #""soon""#),
    (JSONSchema(["type": "string", "pattern": "^a$"]), #""b""#), (JSONSchema(["oneOf": []]), "1"), (.object([]).orNull, "[]"),
  ]

  @Test("a value that does not fit is a fault", arguments: wrong)
  func faults(schema: JSONSchema, value: String) throws {
    #expect(try !check.faults(in: JSON(Array(value.utf8)).value, by: schema).isEmpty)
  }
}

extension JSONSchema {
  /// The names of the members that it knows.
  fileprivate var names: Set<String> { Set(value["properties"]?.members?.map(\.name) ?? []) }
}
