import AggregatorCore
import Services
import Testing

@testable import Authoring

/// The addresses in an OpenAPI or Swagger document that answer with lists.
@Suite struct OpenAPITests {
  /// An array of objects, as a schema.
  private static let rows = #"{"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}"#

  private static func operation(_ schema: String = rows, _ more: String = "") -> String {
    #"{\#(more) "responses": {"200": {"description": "", "content": {"application/json": {"schema": \#(schema)}}}}}"#
  }

  /// A document with these paths; `root` has its other members.
  private func lists(
    _ paths: String, _ root: String = #""servers": [{"url": "https://boats.example/api/"}]"#, from origin: String? = nil
  ) throws -> [OpenAPIDocument.List] {
    let text = #"{"openapi": "3.0.0", "info": {"title": "Boats"}, \#(root), "paths": {\#(paths)}}"#
    return try OpenAPIDocument(JSON(Array(text.utf8)), called: "api.json").lists(from: origin.flatMap { WebAddress($0) })
  }

  private static let none: SourceError = SourceError(
    .malformed, "api.json describes no list that can be asked for by its address alone",
    remedy: "type the address of one of its lists")

  @Test(
    "an answer is a list if it is an array of objects, or contains one",
    arguments: [
      (rows, true), (#"{"properties": {"total": {"type": "integer"}, "boats": \#(rows)}}"#, true),
      (#"{"properties": {"response": {"properties": {"boats": \#(rows)}}}}"#, true),
      (##"{"$ref": "#/components/schemas/Boats~1all"}"##, true),
      (##"{"allOf": [{"type": "object"}, {"properties": {"data": {"$ref": "#/rows"}}}]}"##, true),
      (##"{"type": "array", "items": {"$ref": "#/components/schemas/Boat"}}"##, true),
      (##"{"type": "array", "items": {"allOf": [{"description": "x"}, {"$ref": "#/components/schemas/Boat"}]}}"##, true),
      (#"{"anyOf": [{"type": "null"}, \#(rows)]}"#, true), (#"{"type": ["array", "null"], "items": {"type": ["object", "null"]}}"#, true),
      // One record, texts, and a missing schema.
      (#"{"properties": {"id": {"type": "string"}, "crew": \#(rows)}}"#, false),
      (#"{"type": "array", "items": {"type": "string"}}"#, false),
      (#"{"type": "object", "additionalProperties": {"type": "integer"}}"#, false), ("null", false), (##"{"$ref": "#/nowhere"}"##, false),
    ])
  func answers(schema: String, isList: Bool) throws {
    let root =
      ##""servers": [{"url": "https://boats.example"}], "rows": \##(Self.rows), "components": {"schemas": {"Boat": {"properties": {"no": {}}}, "Boats/all": {"$ref": "#/rows"}}}"##
    let path = #""/boats": {"get": \#(Self.operation(schema))}"#
    if isList {
      #expect(try lists(path, root).map { "\($0.address)" } == ["https://boats.example/boats"])
    } else {
      #expect(throws: Self.none) { try lists(path, root) }
    }
  }

  @Test("only GET operations without a name in the path are offered, in the order of the document, with a one-line summary")
  func paths() throws {
    let found = try lists(
      """
      "/ports": {"get": \(Self.operation(Self.rows, #""summary": "All\nports \u001b[31mof call","#))}, "/boats/{id}/crew": {"get": \(Self.operation())},
      "/search": {"post": \(Self.operation())}, "ports": {"get": \(Self.operation())}, "/a?b=c": {"get": \(Self.operation())},
      "/a b": {"get": \(Self.operation())}, "/boats": {"$ref": "#/boats"}
      """,
      #""servers": [{"url": "https://boats.example/api/"}], "boats": {"get": \#(Self.operation())}"#)
    #expect(found.map { "\($0.address)" } == ["https://boats.example/api/ports", "https://boats.example/api/boats"])
    #expect(found.map(\.summary) == ["All ports of call", ""])
  }

  @Test("required headers are taken from the document as well, and a cookie is a key")
  func headers() throws {
    let parameters = #"""
      "parameters": [{"name": "X-Version", "in": "header", "required": true, "schema": {"enum": ["2024-01"]}},
      {"name": "X-Fleet", "in": "header", "required": true}, {"name": "Accept", "in": "header", "required": true},
      {"name": "X-Trace", "in": "header"}, {"name": "sid", "in": "cookie", "required": true}],
      """#
    let boats = try #require(try lists(#""/boats": {"get": \#(Self.operation(Self.rows, parameters))}"#).first)
    #expect(boats.headers.map { "\($0.name): \($0.value)" } == ["X-Version: 2024-01"])
    #expect(boats.needed == [Parameter(.header, "X-Fleet")] && boats.keys == [.header("Cookie", scheme: nil)])
  }

  @Test(
    "a required parameter gets the only value in the document, and is named if it has several or none",
    arguments: [
      (#""schema": {"default": 2}"#, "kind=2", []), (#""schema": {"enum": ["ferry"]}"#, "kind=ferry", []),
      (#""example": "a b""#, "kind=a%20b", []),
      (##""schema": {"$ref": "#/kind"}"##, "kind=tug", []), (#""default": true"#, "kind=true", []),
      (#""schema": {"enum": ["ferry", "tug"]}"#, nil, ["kind"]), (#""schema": {"default": ["a", "b"]}"#, nil, ["kind"]),
    ] as [(String, String?, [String])])
  func required(says: String, query: String?, needed: [String]) throws {
    let parameters =
      #""parameters": [{"name": "kind", "in": "query", "required": true, \#(says)}, {"name": "page", "in": "query", "schema": {"default": 1}}],"#
    let path =
      #""parameters": [{"name": "kind", "in": "query", "required": true, "example": "no"}], "get": \#(Self.operation(Self.rows, parameters))"#
    let found = try lists(
      #""/boats": {\#(path)}, "/ports": {"get": \#(Self.operation())}"#,
      #""servers": [{"url": "https://boats.example"}], "kind": {"example": "tug"}"#)
    let boats = try #require(found.first { $0.address.path == "/boats" })
    #expect(boats.address.query == query && boats.needed.map(\.name) == needed)
    // Lists that can be asked for at once come first.
    #expect(found.last?.address.path == (needed.isEmpty ? "/ports" : "/boats"))
  }

  @Test(
    "the first safe server counts, with the defaults of its variables, relative to the document's address",
    arguments: [
      (
        #""servers": [{"url": "http://boats.example"}, {"url": "https://{r}.example/v1/", "variables": {"r": {"default": "eu"}}}]"#,
        "https://eu.example/v1"
      ),
      (#""servers": [{"url": "https://{r}.example"}, {"url": "/v2"}]"#, "https://docs.example/v2"),
      (#""servers": [{"url": "v3"}]"#, "https://docs.example/a/v3"),
      (#""x": 1"#, "https://docs.example"), (#""servers": []"#, "https://docs.example"),
      (#""servers": [{"url": "http://nas.local/"}]"#, "http://nas.local"),
      (#""swagger": "2.0", "host": "boats.example", "basePath": "/v4", "schemes": ["http", "https"]"#, "https://boats.example/v4"),
      (#""swagger": "2.0", "basePath": "/v5""#, "https://docs.example/v5"),
      (#""swagger": "2.0", "host": "boats.example:8443""#, "https://boats.example:8443"),
    ])
  func servers(root: String, base: String) throws {
    let path = #""/boats": {"get": \#(Self.operation())}"#
    #expect(try lists(path, root, from: "https://docs.example/a/openapi.json").map { "\($0.address)" } == ["\(base)/boats"])
  }

  @Test("a document in a file that names no host says what to type; a server of one operation wins over that of all")
  func homeless() throws {
    let (operation, own) = (Self.operation(), Self.operation(Self.rows, #""servers": [{"url": "https://ports.example"}],"#))
    let error = SourceError(
      .malformed, "api.json does not say on which host its lists are",
      remedy: "type the address of one with its host, as in https://HOST/api/v3/boats")
    #expect(throws: error) { try lists(#""/boats": {"get": \#(operation)}"#, #""servers": [{"url": "/api/v3/"}]"#) }
    let found = try lists(#""/boats": {"get": \#(operation)}, "/ports": {"get": \#(own)}"#, #""x": 1"#)
    #expect(found.map { "\($0.address)" } == ["https://ports.example/ports"])
  }

  @Test("Swagger 2 has schema, values and keys at other places")
  func swagger() throws {
    let text = """
      {"swagger": "2.0", "host": "boats.example", "securityDefinitions": {"a": {"type": "basic"}}, "security": [{"a": []}], "definitions": {"Boats": \(Self.rows)},
       "paths": {"/boats": {"get": {"parameters": [{"name": "kind", "in": "query", "required": true, "type": "string", "default": "tug"}],
        "responses": {"200": {"schema": {"$ref": "#/definitions/Boats"}}}}}}}
      """
    let list = try #require(OpenAPIDocument(JSON(Array(text.utf8)), called: "api.json").lists().first)
    #expect("\(list.address)" == "https://boats.example/boats?kind=tug" && list.keys == [.basic(user: "USER")])
  }

  @Test(
    "a key is sent where the document says, and nowhere else",
    arguments: [
      (#"{"type": "http", "scheme": "Bearer"}"#, .header("Authorization", scheme: "Bearer")),
      (#"{"type": "http", "scheme": "basic"}"#, .basic(user: "USER")),
      (#"{"type": "apiKey", "in": "query", "name": "k"}"#, .query("k")),
      (#"{"type": "apiKey", "in": "header", "name": "X-Key"}"#, .header("X-Key", scheme: nil)),
      (#"{"type": "apiKey", "in": "cookie", "name": "sid"}"#, nil), (#"{"type": "mutualTLS"}"#, nil),
    ] as [(String, ManifestKey.Carrier?)])
  func keys(scheme: String, carrier: ManifestKey.Carrier?) throws {
    let root =
      #""servers": [{"url": "https://boats.example"}], "components": {"securitySchemes": {"a": \#(scheme)}}, "security": [{"a": []}]"#
    let open = Self.operation(Self.rows, #""security": [],"#)
    let needed = Self.operation(Self.rows, #""security": [], "parameters": [{"name": "api_key", "in": "query", "required": true}],"#)
    let found = try lists(#""/a": {"get": \#(Self.operation())}, "/b": {"get": \#(open)}, "/c": {"get": \#(needed)}"#, root)
    #expect(found.map(\.keys) == [[carrier].compactMap(\.self), [], [.query("api_key")]])
    #expect(found.map(\.needed) == [[], [], []])
  }

  // MARK: - Hostile documents

  @Test(
    "odd parts of a document are left out, without a crash and without an endless loop",
    arguments: [
      #""paths": null"#, #""paths": []"#, ##""paths": {"/a": {"$ref": "#/paths/~1a"}}"##, #""paths": {"/a": {"get": {"responses": null}}}"#,
      ##""paths": {"/a": {"get": {"responses": {"200": {"$ref": "#/x"}}}}}, "x": {"$ref": "#/x"}"##,
      ##""paths": {"/a": {"get": \##(operation(##"{"$ref": "#/s"}"##))}}, "s": {"allOf": [{"$ref": "#/s"}, {"$ref": "#/s"}], "properties": {"a": {"$ref": "#/s"}, "b": {"$ref": "#/s"}}}"##,
      ##""paths": {"/a": {"get": \##(operation(##"{"type": "array", "items": {"$ref": "#/s"}}"##))}}, "s": {"type": "array", "items": {"$ref": "#/s"}}"##,
      ##""paths": {"/a": {"get": \##(operation(##"{"$ref": "#/paths/-1/99999999999999999999"}"##))}}"##,
    ])
  func hostile(paths: String) throws {
    let text = #"{"openapi": "3.0.0", "servers": [{"url": "https://x.example/"}], \#(paths)}"#
    #expect(throws: Self.none) { try OpenAPIDocument(JSON(Array(text.utf8)), called: "api.json").lists() }
  }

  @Test("references to other files are told if no list is found")
  func others() throws {
    #expect { try lists(#""/boats": {"get": \#(Self.operation(#"{"type": "array", "items": {"$ref": "crew.json#/Crew"}}"#))}"#) } throws: {
      "\($0)".contains("; it refers to other files, which are not read; ")
    }
  }

  @Test("of ten thousand paths only as many lists are offered as a person can read, however large their schemas are")
  func many() throws {
    let choices = (0..<200).map { _ in ##"{"$ref": "#/s"}"## }.joined(separator: ",")
    let wide = (0..<3000).map { ##""f\##($0)": {"$ref": "#/s"}"## }.joined(separator: ",")
    let schema = #"{"anyOf": [\#(choices)], "oneOf": [\#(choices)], "allOf": [\#(choices)], "properties": {\#(wide)}}"#
    let paths = (0..<10_000).map { ##""/list\##($0)": {"$ref": "#/o"}, "/rows\##($0)": {"get": \##(Self.operation())}"## }
    let found = try lists(
      paths.joined(separator: ","),
      #""servers": [{"url": "https://x.example/"}], "s": \#(schema), "o": {"get": \#(Self.operation(##"{"$ref": "#/s"}"##))}"#)
    #expect(found.count == 500 && found[0].address.path == "/rows0")
  }
}
