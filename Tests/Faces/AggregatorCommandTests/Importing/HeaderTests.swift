import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Asking

@Suite("A row of a table")
struct HeaderRowTests {
  /// A record with a value of each kind.
  struct Thing: Record {
    struct Size: Part {
      var width: Int?
      var unit: String?

      static let fields: [Field<Size>] = [Field("width", \.width), Field("unit", \.unit)]
    }

    var id = ""
    var size: Size?
    var tags: [String] = []

    static let fields: [Field<Thing>] = [
      Field("id", \.id), Field("size", \.size), Field("tags", \.tags),
    ]
  }

  private static let header = HeaderNames(of: Thing.schema.outline, id: Thing.schema.idPath)

  private func json(_ header: String, _ row: String) throws -> String {
    let lines = try ReadRows(table: "\(header)\n\(row)\n".utf8).values
    var header = try Self.header.read(lines[0])
    return String(decoding: try header.row(lines[1]).raw, as: UTF8.self)
  }

  @Test(
    "a row of a table becomes the record's own JSON, with its columns in any order",
    arguments: [
      ("id,size.width,size.unit,tags", "a,1,cm,\"[\"\"x\"\",\"\"y\"\"]\"", #"{"id":"a","size":{"unit":"cm","width":1},"tags":["x","y"]}"#),
      ("tags,size.unit,id,size.width", "[],cm,a,1", #"{"id":"a","size":{"unit":"cm","width":1},"tags":[]}"#),
      ("id", "a", #"{"id":"a"}"#),
      ("id,size.width,size.unit", "a,,", #"{"id":"a"}"#),
      ("id,size.width,size.unit", "a,,cm", #"{"id":"a","size":{"unit":"cm"}}"#),
      ("id,size.unit", "0470,1", #"{"id":"0470","size":{"unit":"1"}}"#),
      ("id,size.width", "a,wide", #"{"id":"a","size":{"width":"wide"}}"#),
      ("id,other,size.depth,,", "a,x,2,3,4", #"{"id":"a"}"#),
      ("id,size.unit", "\"a \"\"b\"\",\nc\",é", #"{"id":"a \"b\",\nc","size":{"unit":"é"}}"#),
    ])
  func read(header: String, row: String, expected: String) throws { #expect(try json(header, row) == expected) }

  @Test(
    "a list, an object or a text in quotes is JSON below a field of addresses or times, and any other text there is a text",
    arguments: [LooseField.Kind.address, .time, .day],
    [
      ("[\"/a\"]", "[\"/a\"]"), ("{\"href\":\"/a\"}", "{\"href\":\"/a\"}"), ("\"[1]\"", "\"[1]\""), ("7", "\"7\""),
      ("null", "\"null\""), ("[::1]", "\"[::1]\""), (" [1]", "\" [1]\""), ("\"", "\"\\\"\""),
    ])
  func kinds(kind: LooseField.Kind, cell: (text: String, json: String)) throws {
    func row(of field: LooseField) throws -> JSON {
      let schema = try Schema([LooseField("id"), field], id: "id")
      var header = try HeaderNames(of: schema.outline, id: schema.idPath).read(["id", "x"])
      return try header.row(["1", cell.text])
    }
    #expect(try String(decoding: row(of: LooseField("x", kind)).raw, as: UTF8.self) == "{\"id\":\"1\",\"x\":\(cell.json)}")
    // A field of texts has only texts.
    #expect(try row(of: LooseField("x")).string("x") == cell.text)
  }

  @Test("a row of a table with too many or too few values is an error", arguments: ["a,1", "a,1,2,3"])
  func width(row: String) throws {
    #expect { try json("id,size.width,x", row) } throws: { ($0 as? SourceError)?.message.hasSuffix(" values instead of 3") == true }
  }

  @Test(
    "a header that names a field twice is an error",
    arguments: [("id,x,id", "id is named twice"), ("Size Unit,id,size-unit", "size.unit is named twice (Size Unit, size-unit)")])
  func header(header: String, message: String) throws {
    #expect { try json(header, "1,2,3") } throws: { ($0 as? SourceError)?.message == message }
  }
}

@Suite("The names in a file's header")
struct HeaderNamesTests {
  private static let outline = [
    FieldOutline("id"), FieldOutline("realName"), Field<Row>("nat") { $0.id }.labelled("Nationality").outline,
    FieldOutline("age", computed: true),
    FieldOutline("name", leaves: ["first", "last"].map { Leaf(FieldPath([$0])) }), FieldOutline("phone"), FieldOutline("phones"),
    FieldOutline("codeName"), FieldOutline("code", leaves: [Leaf(FieldPath(["name"]))]),
  ]

  private func fields(_ header: String, _ mappings: [String: FieldPath] = [:]) throws -> Header {
    try HeaderNames(of: Self.outline, id: FieldPath(["id"]), mapping: mappings)
      .read(header.split(separator: ",").map(String.init))
  }

  @Test(
    "names in a header stand for fields in any case and with any spaces and signs",
    arguments: [
      ("id,realName,name.first", ["id", "realName", "name.first"]), ("ID,Real Name,First Name", ["id", "realName", "name.first"]),
      ("_id,REAL-NAME,nameFirst", ["id", "realName", "name.first"]), ("Nationality", ["nat"]),
      // Computed fields are known but not read; a name that two fields may have is not read either.
      ("Age,Name,shoe", [nil, nil, nil]), ("Code Name", [nil]),
      // The field's own name wins.
      ("Real Name,realName", [nil, "realName"]),
    ])
  func near(header: String, fields: [String?]) throws {
    #expect(try self.fields(header).fields.map { $0?.path.text } == fields)
    #expect(try self.fields(header).guesses == [])
  }

  @Test(
    "names in a header that are one edit away from a single field are guessed",
    arguments: [
      ("realNam", ["realNam as realName"]), ("Nationalty,frist name", ["Nationalty as nat", "frist name as name.first"]),
      // No guess if two fields are equally near, if the field is there, or for a short name. Of two names the first is taken.
      ("phonet", []), ("realName,realNam", []), ("idd", []), ("realNam,realNme", ["realNam as realName"]), ("raelNmae", []),
    ])
  func guessed(header: String, guesses: [String]) throws { #expect(try fields(header).guesses == guesses) }

  @Test("names in a header stand first of all for the fields that a person gives them")
  func said() throws {
    let mapping: [String: FieldPath] = ["nick": "realName", "Mail": "id"]
    let reading = try fields("Nick,realName", mapping)
    #expect(reading.fields.map { $0?.path.text } == ["realName", nil])
    #expect(reading.unknown == ["realName"])
    #expect(reading.missing == ["Mail"])
  }
}
