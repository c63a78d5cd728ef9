import AggregatorCore
import Recordings
import Services
import Testing

@testable import Authoring

/// What a service says of itself becomes drafts of its lists.
@Suite struct OpenAPITests {
  private func lists(_ text: String, from origin: String? = nil) throws -> OpenAPIDocument.Lists {
    try Description.document(text).lists(from: origin.flatMap { WebAddress($0) })
  }

  private func field(_ name: String, of draft: SourceDraft) throws -> FieldDraft {
    try #require(draft.fields.first { $0.name == name })
  }

  // MARK: - Three documents

  @Test("payments: the last row leads on, and has_more says whether")
  func payments() throws {
    let lists = try lists(Description.payments)
    let customers = try #require(lists.drafts.first)
    #expect(lists.drafts.map(\.name) == ["customers"])
    #expect(lists.notices == ["lists below a record are left out: /v1/customers/{customer}/sources"])
    #expect(customers.summary == "Returns a list of your customers")
    #expect("\(customers.request.address)" == "https://api.stripe.com/v1/customers?limit=50")
    #expect(customers.request.keys == [NamedKey(.header("Authorization", scheme: "Bearer"))])
    #expect(customers.rows == ValuePath("data") && customers.key == ["id"])
    #expect(customers.paging == .last(ValuePath("id"), Parameter(.query, "starting_after")))
    #expect(customers.more == MorePlace(path: ValuePath("has_more")))
    #expect(customers.size == Parameter(.query, "limit") && customers.pageSize == 50 && customers.doubt == nil)
    #expect(try field("created", of: customers).type == .unix)
    #expect(try field("addressCity", of: customers).path.text == "address.city")
    #expect(try field("balance", of: customers).about == "The current balance, if any")
    #expect(try field("livemode", of: customers).type == .boolean)
  }

  @Test("repositories: a Link header goes before numbered pages, and a search without a text is left out")
  func repositories() throws {
    let lists = try lists(Description.repositories)
    #expect(lists.drafts.map(\.name) == ["repos", "gists"])
    #expect(
      lists.notices == [
        "lists below a record are left out: /repos/{owner}/{repo}/issues",
        "lists that need another value are left out: q of /search/repositories",
      ])
    let (repos, gists) = (lists.drafts[0], lists.drafts[1])
    #expect(repos.paging == .linkHeader && gists.paging == .page(Parameter(.query, "page"), first: 1))
    #expect("\(repos.request.address)" == "https://api.github.com/user/repos?per_page=30")
    #expect("\(gists.request.address)" == "https://api.github.com/gists?per_page=30&page=1")
    #expect(repos.rows == ValuePath() && repos.key == ["id"] && repos.request.keys.isEmpty)
    #expect(try field("id", of: repos).type == .integer)
    #expect(try field("owner_avatar_url", of: repos).role == .picture)
    #expect(try field("html_url", of: repos).type == .address)
    #expect(try field("pushed_at", of: repos).type == .time)
    #expect(try field("topics", of: repos).type == .texts)
    #expect(try field("score", of: repos).type == .number)
  }

  @Test("pets: a service beside its description, a default that is sent, a list that is posted for")
  func pets() throws {
    let lists = try lists(Description.pets, from: "https://petstore3.swagger.io/api/v3/openapi.json")
    #expect(lists.drafts.map(\.name) == ["find-by-status", "orders"])
    #expect(lists.notices == ["lists that need another value are left out: tags of /pet/findByTags"])
    let (pets, orders) = (lists.drafts[0], lists.drafts[1])
    #expect("\(pets.request.address)" == "https://petstore3.swagger.io/api/v3/pet/findByStatus?status=available")
    #expect(pets.request.keys == [NamedKey(.header("Authorization", scheme: "Bearer"))])
    #expect(pets.paging == .whole && pets.doubt == "the description names no way to a further page")
    #expect(try field("tagsName", of: pets).path.text == "tags[*].name")
    #expect(try field("tags", of: pets).type == .json)
    #expect(orders.request.method == .post && orders.request.body == ["version": 2, "page": ["offset": 0, "limit": 100]])
    #expect(orders.request.headers == [.init("Accept", "application/vnd.pets+json")])
    #expect(orders.request.keys == [NamedKey(.header("api_key", scheme: nil))])
    #expect(orders.paging == .offset(Parameter(.body, "page.offset")) && orders.size == Parameter(.body, "page.limit"))
    #expect(orders.total == .body(ValuePath(["meta", "total"])) && orders.pageSize == 100)
    #expect(try field("shipDate", of: orders).type == .date)
    #expect(throws: SourceError(.malformed, "api.json does not say where the service is", remedy: Self.howToSay)) {
      try self.lists(Description.pets)
    }
  }

  private static let howToSay: Remedy = #"write its address into "servers": [{"url": "https://…"}]"#

  @Test("each draft becomes a manifest that is read, and its list is asked for as described")
  func manifests() throws {
    for text in [Description.payments, Description.repositories, Description.pets] {
      for draft in try lists(text, from: "https://petstore.example/").drafts {
        let settings = DraftSettings(draft.name, draft.request.keys)
        let manifest = SourceDraft.manifest(of: [draft], below: .base(of: [draft.request.address]), settings: settings)
        #expect(try Manifest(manifest.bytes, file: "x.json").sources.map(\.name) == [draft.name])
      }
    }
  }

  // MARK: - Single things

  /// A description with one list of boats: `answer` beside its rows, `parameters` and what else its operation says.
  private func boats(
    _ parameters: String = "", _ answer: String = "", operation: String = "", root: String = "",
    servers: String = #"[{"url": "https://boats.example/api"}]"#
  ) throws -> SourceDraft {
    let rows =
      #""boats": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}}}"#
    let schema = #"{"type": "object", "properties": {\#(rows)\#(answer.isEmpty ? "" : ", \(answer)")}}"#
    let text = """
      {"openapi": "3.0.0", "servers": \(servers), \(root) "paths": {"/boats": {"get": {\(operation) "parameters": [\(parameters)],
       "responses": {"200": {"content": {"application/json": {"schema": \(schema)}}}}}}}}
      """
    return try #require(try lists(text).drafts.first)
  }

  private func parameter(_ name: String, _ type: String = "integer", _ more: String = "") -> String {
    #"{"name": "\#(name)", "in": "query", "schema": {"type": "\#(type)"\#(more)}}"#
  }

  @Test("names of parameters and members tell how a list is paged")
  func paging() throws {
    #expect(try boats(parameter("offset") + "," + parameter("limit")).paging == .offset(Parameter(.query, "offset")))
    #expect(try boats(parameter("page", "integer", #", "minimum": 0"#)).paging == .page(Parameter(.query, "page"), first: 0))
    #expect(
      try boats(parameter("page", "integer", #", "minimum": 0, "default": 1"#)).paging == .page(Parameter(.query, "page"), first: 1))
    #expect(
      try boats(parameter("cursor", "string"), #""meta": {"type": "object", "properties": {"next_cursor": {"type": "string"}}}"#).paging
        == .token(ValuePath(["meta", "next_cursor"]), Parameter(.query, "cursor")))
    #expect(
      try boats("", #""links": {"type": "object", "properties": {"next": {"type": ["string", "null"]}}}"#).paging
        == .link(ValuePath(["links", "next"])))
    #expect(try boats("", #""next": {"type": "string", "format": "uri"}"#).paging == .link(ValuePath("next")))
    // Without a total nothing says that one answer is everything.
    #expect(try boats(parameter("marker", "string")).doubt != nil)
    #expect(try boats("", #""total": {"type": "integer"}"#).doubt == nil)
    #expect(try boats(parameter("limit", "integer", #", "maximum": 5000"#) + "," + parameter("page")).pageSize == 100)
    #expect(try boats(parameter("limit", "integer", #", "maximum": 30"#) + "," + parameter("page")).pageSize == 30)
    #expect(try boats(parameter("limit", "integer", #", "default": 25"#) + "," + parameter("page")).pageSize == 25)
  }

  @Test("one record with lists in it is no list")
  func records() throws {
    #expect(throws: SourceError(.malformed, "api.json describes no list that can be asked for by itself")) {
      _ = try boats("", #""id": {"type": "string"}"#)
    }
  }

  @Test("a text is searched for where a parameter is called so")
  func search() throws {
    #expect(try boats(parameter("name", "string") + "," + parameter("q", "string")).search?.parameter == Parameter(.query, "q"))
    #expect(try boats(parameter("name", "string")).search == nil)
  }

  @Test(
    "keys are known by their schemes, and by the names of what has to be sent",
    arguments: [
      (#"{"type": "http", "scheme": "Bearer"}"#, ManifestKey.Carrier.header("Authorization", scheme: "Bearer")),
      (#"{"type": "http", "scheme": "basic"}"#, .basic(user: "")), (#"{"type": "apiKey", "in": "query", "name": "k"}"#, .query("k")),
      (#"{"type": "apiKey", "in": "header", "name": "X-Key"}"#, .header("X-Key", scheme: nil)),
      (#"{"type": "openIdConnect"}"#, .header("Authorization", scheme: "Bearer")), (#"{"type": "mutualTLS"}"#, nil),
    ])
  func keys(scheme: String, carrier: ManifestKey.Carrier?) throws {
    let root = #""components": {"securitySchemes": {"a": \#(scheme)}}, "security": [{"a": []}],"#
    #expect(try boats(root: root).request.keys.map(\.carrier) == [carrier].compactMap(\.self))
    #expect(try boats(operation: #""security": [],"#, root: root).request.keys.isEmpty)
    let needed = #"{"name": "api_key", "in": "query", "required": true, "schema": {"type": "string"}}"#
    #expect(try boats(needed).request.keys == [NamedKey(.query("api_key"))])
  }

  @Test("the first safe server counts, with the defaults of its variables")
  func servers() throws {
    let servers = """
      [{"url": "http://boats.example"}, {"url": "https://{region}.boats.example/{v}/", "variables": {"region": {"default": "eu"}, "v": {"default": "v1"}}}]
      """
    #expect("\(try boats(servers: servers).request.address)" == "https://eu.boats.example/v1/boats")
    #expect(throws: SourceError(.settings, "an address on another machine begins with https://")) {
      try boats(servers: #"[{"url": "http://boats.example"}]"#)
    }
  }

  // MARK: - Hostile documents

  @Test(
    "what is odd is left out, without a trap and without an end that never comes",
    arguments: [
      ##""paths": null"##, ##""paths": []"##, ##""paths": {"/a": {"$ref": "#/paths/~1a"}}"##,
      ##""paths": {"/a": {"get": {"responses": null}}}"##,
      ##""paths": {"a?b#c": {"get": {"responses": {"200": {"$ref": "#/x"}}}}}, "x": {"$ref": "#/x"}"##,
      ##""paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/s"}}}}}}}}, "s": {"allOf": [{"$ref": "#/s"}, {"$ref": "#/s"}]}"##,
      ##""paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/s"}}}}}}}}}, "s": {"type": "array", "items": {"$ref": "#/s"}}"##,
      ##""paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/paths/-1/99999999999999999999"}}}}}}}}"##,
      ##""paths": {"/a b": {"get": {"parameters": [{"$ref": "#"}, 5, {"name": 1}], "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}}}}}}}}"##,
    ])
  func hostile(paths: String) {
    let text = #"{"openapi": "3.0.0", "servers": [{"url": "https://x.example/"}], \#(paths)}"#
    let error = #expect(throws: SourceError.self) { try lists(text) }
    #expect(error?.message.hasPrefix("api.json describes no list that can be asked for by itself") == true)
  }

  @Test("a row in circles has the fields that are near, and references to other files are told")
  func circles() throws {
    let schema =
      ##"{"type": "object", "properties": {"id": {"type": "string"}, "parent": {"$ref": "#/s"}, "crew": {"$ref": "crew.json#/Crew"}}}"##
    let text = """
      {"openapi": "3.0.0", "servers": [{"url": "https://x.example/"}], "s": \(schema), "paths": {"/boats": {"get": {
       "responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/s"}}}}}}}}}}
      """
    let found = try lists(text)
    #expect(found.drafts[0].fields.map(\.name).starts(with: ["id", "parentId"]))
    #expect(found.notices == ["references to other files are not read: crew.json#/Crew"])
  }

  @Test("ten thousand paths with names of any kind give lists with names of their own, and no more than anybody reads")
  func many() throws {
    let operation = """
      {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/s"}}}}}}}
      """
    let odd = [
      "/../../etc/passwd", "/a/b%2Fc", "/über/größe", "/1", "/\\u0000\\u001b[31m", "/boats/search", "/v1/boats", "/v2/boats", "/v2/boats/",
    ]
    let paths = (odd + (0..<10_000).map { "/list\($0)/boats" }).map { "\"\($0)\": \(operation)" }.joined(separator: ",")
    let text = """
      {"openapi": "3.0.0", "servers": [{"url": "https://x.example/"}], "paths": {\(paths)},
       "s": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}}
      """
    let found = try lists(text)
    #expect(found.drafts.count == 500 && Set(found.drafts.map(\.name)).count == 500)
    let isPlain = found.drafts.map(\.name).allSatisfy { name in
      name.first?.isLetter == true && name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
    }
    #expect(isPlain)
    #expect(found.drafts.prefix(7).map(\.name) == ["b-c", "grosse", "x", "boats", "v1-boats", "v2-boats", "boats-2"])
    #expect(found.notices == ["only the first 500 lists are offered"])
  }

  @Test("deep and wide schemas are read as far as a person reads")
  func deep() throws {
    let deep = (0..<200).reduce(#"{"type": "string"}"#) { inner, _ in
      #"{"type": "object", "properties": {"a": \#(inner), "id": {"type": "string"}}}"#
    }
    let wide = (0..<3000).map { #""f\#($0)": {"type": "string"}"# }.joined(separator: ",")
    let choices = (0..<200).map { _ in ##"{"$ref": "#/s"}"## }.joined(separator: ",")
    for (schema, count) in [
      (deep, 4), (#"{"type": "object", "properties": {\#(wide)}}"#, 60),
      (#"{"allOf": [\#(choices)], "properties": {"id": {"type": "string"}}}"#, 1),
    ] {
      let text = """
        {"openapi": "3.0.0", "servers": [{"url": "https://x.example/"}], "s": {"anyOf": [\(choices)], "oneOf": [\(choices)], "allOf": [\(choices)]},
         "paths": {"/boats": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": \(schema)}}}}}}}}}
        """
      let fields = try #require(lists(text).drafts.first).fields
      #expect(fields.count == count, "\(fields.map(\.path.text))")
    }
  }
}
