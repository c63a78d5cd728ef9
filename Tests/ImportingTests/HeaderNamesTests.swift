import Testing

@testable import AggregatorCore
@testable import Importing

@Suite("The names in a file's header")
struct HeaderNamesTests {
  private static let outline = [
    FieldOutline("id"), FieldOutline("realName"), Field<Row>("nat") { $0.id }.labelled("Nationality").outline,
    FieldOutline("age", computed: true),
    FieldOutline("name", leaves: ["first", "last"].map { Leaf(FieldPath([$0])) }), FieldOutline("phone"), FieldOutline("phones"),
    FieldOutline("codeName"), FieldOutline("code", leaves: [Leaf(FieldPath(["name"]))]),
  ]

  private func fields(_ header: String, _ mappings: [String: FieldPath] = [:]) throws -> HeaderNames.Reading {
    try HeaderNames(of: Self.outline, id: FieldPath(["id"]), mapping: mappings)
      .read(header.split(separator: ",").map(String.init))
  }

  @Test(
    "stand for fields whatever their case, spaces and signs are",
    arguments: [
      ("id,realName,name.first", ["id", "realName", "name.first"]), ("ID,Real Name,First Name", ["id", "realName", "name.first"]),
      ("_id,REAL-NAME,nameFirst", ["id", "realName", "name.first"]), ("Nationality", ["nat"]),
      // Computed fields are known, and no facts; what two fields would be called is neither.
      ("Age,Name,shoe", [nil, nil, nil]), ("Code Name", [nil]),
      // The field's own name wins.
      ("Real Name,realName", [nil, "realName"]),
    ])
  func near(header: String, fields: [String?]) throws {
    #expect(try self.fields(header).fields.map { $0?.path.text } == fields)
    #expect(try self.fields(header).guesses == [])
  }

  @Test(
    "an edit away from one field alone are guessed",
    arguments: [
      ("realNam", ["realNam as realName"]), ("Nationalty,frist name", ["Nationalty as nat", "frist name as name.first"]),
      // Two fields are as near, the field is there, nothing is left of a short name; the first of two names is taken.
      ("phonet", []), ("realName,realNam", []), ("idd", []), ("realNam,realNme", ["realNam as realName"]), ("raelNmae", []),
    ])
  func guessed(header: String, guesses: [String]) throws { #expect(try fields(header).guesses == guesses) }

  @Test("stand first of all for what a person says they are")
  func said() throws {
    let mapping: [String: FieldPath] = ["nick": "realName", "Mail": "id"]
    let reading = try fields("Nick,realName", mapping)
    #expect(reading.fields.map { $0?.path.text } == ["realName", nil])
    #expect(reading.unknown == ["realName"])
    #expect(reading.missing == ["Mail"])
  }
}
