import AggregatorCore
import Ports
import SourceTesting
import Testing

/// Services that no recording explains, and the facts that their authors tell the kit.
@Suite("An author's facts about a service") struct ToldModelTests {
  private func report(
    _ profile: Profile, _ fixture: Fixture, _ model: ServiceModel?, skipping skips: [Skip] = [],
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) async -> ConformanceReport {
    let ports = PortsFixture(name: profile.name, profile: profile, page: page, fixture: fixture)
    return await Conformance(of: ports.descriptor, fixture: fixture, model: model, skipping: skips).report()
  }

  // MARK: - Pages at two addresses

  @Test("pages whose first one has an address of its own belong to one list")
  func twoAddresses() async throws {
    let fixture = PortsFixtures.record {
      $0.answer("ports/list", posting: #"{"limit":4}"#, rows: 0..<4, #"{"entries":ROWS,"cursor":"p3","has_more":true}"#)
      $0.answer("ports/list/continue", posting: #"{"cursor":"p3"}"#, rows: 4..<7, #"{"entries":ROWS,"cursor":"p6","has_more":false}"#)
    }
    let told = try ServiceModel(of: fixture, at: ["ports/list", "ports/list/continue"])
    #expect(told.list.paging.way.value == .token("cursor", Parameter(.body, "cursor")))
    #expect(told.list.recorded.rows.count == 7)
    for model in [told, nil] {
      let report = await report(Profile("folder", paging: .tokens(size: 4)), fixture, model) { source, request in
        let token = try request.place(in: source).token
        let body: [Member] = [token.map { Member(name: "cursor", value: .text($0)) } ?? Member(name: "limit", value: .int(4))]
        let answer = try await source.client.json("ports/list\(token == nil ? "" : "/continue")", posting: .object(body))
        let next = try answer.bool("has_more") ? answer.string("cursor") : nil
        return try Page(of: source, rows: answer.array("entries"), next: .token(ifAny: next))
      }
      #expect(report.isPassed == (model != nil), "\(report)")
      if model == nil { #expect(report.description.contains("say that the list has pages there: ServiceModel(of: fixture, at: …)")) }
    }
  }

  @Test("a part of the path that changes from page to page is the number by which the list counts")
  func pathNumbers() async throws {
    let fixture = PortsFixtures.record {
      $0.answer("ports/page/1", rows: 0..<4, #"{"ports":ROWS,"total":7}"#)
      $0.answer("ports/page/2", rows: 4..<7, #"{"ports":ROWS,"total":7}"#)
    }
    let told = try ServiceModel(of: fixture, at: ["ports/page/{page}"])
    #expect(told.list.paging.way.value == .page(Parameter(.path, "page"), first: 1))
    for model in [told, nil] {
      let report = await report(Profile("paths", paging: .numbered(size: 4, end: .total)), fixture, model) { source, request in
        let answer = try await source.client.json("ports/page/\(request.place(in: source).number)")
        return try Page(of: source, rows: answer.array("ports"), total: answer.int("total"))
      }
      #expect(report.isPassed == (model != nil), "\(report)")
    }
  }

  // MARK: - Rows under their keys

  @Test("an object whose members are the rows is a list")
  func keyed() async throws {
    func ports(_ range: Range<Int>) -> String { range.map { #""p\#($0)":{"name":"Port \#($0)"}"# }.joined(separator: ",") }
    let fixture = PortsFixtures.record {
      $0.answer("ports?offset=0&limit=4", rows: 0..<0, #"{"data":{"ports":{\#(ports(0..<4))}},"total":7}"#)
      $0.answer("ports?offset=4&limit=4", rows: 0..<0, #"{"data":{"ports":{\#(ports(4..<7))}},"total":7}"#)
    }
    let untold = await Conformance(of: PortsFixtures.offset.descriptor, fixture: fixture).report()
    #expect(untold.unfit?.contains("has a list of objects") == true)
    #expect(untold.description.hasSuffix("how to tell for what the kit cannot guess, see Docs/guides/verify-a-source.md"))
    let model = try ServiceModel(of: fixture, rows: "data.ports")
    let report = await report(Profile("keyed", paging: .offset(size: 4, end: .total)), fixture, model) { source, request in
      let answer = try await source.document(source.asking(source.client, request))
      let rows = try answer.object("data").object("ports").asObject().members.map { key, row in
        try JSON(Value.object([Member(name: "id", value: .text(key))] + (row.value.members ?? [])).bytes)
      }
      var page = try Page(of: source, rows: rows, total: answer.int("total"))
      // The rows are documents of their own now.
      page.hear(answer)
      return page
    }
    #expect(report.isPassed, "\(report)")
  }

  @Test("a total without a telling name is at the place that the author names")
  func total() async throws {
    let envelope = #"{"found":{"rows":ROWS,"n":{"exactly":7}}}"#
    let fixture = PortsFixtures.record {
      $0.answer("ports?offset=0&limit=4", rows: 0..<4, envelope)
      $0.answer("ports?offset=4&limit=4", rows: 4..<7, envelope)
    }
    for isTold in [true, false] {
      var model = try ServiceModel(of: fixture)
      if isTold { model.list.paging.total = Guess(.body("found.n.exactly")) }
      let profile = Profile("total", paging: .offset(size: 4, end: .total))
      let report = await report(profile, fixture, model) { source, request in
        let found = try await source.document(source.asking(source.client, request)).object("found")
        return try Page(of: source, rows: found.array("rows"), total: found.object("n").int("exactly"))
      }
      #expect(report.isPassed == isTold, "\(report)")
      #expect(report.description.contains(", no total; where it is another, say so: Conformance(…, model: …)") != isTold)
    }
  }

  // MARK: - A query language

  @Test("a text in a query language is found by the author's rule", arguments: ["ports", "find"])
  func queryLanguage(path: String) async throws {
    let fixture = PortsFixtures.record {
      $0.answer("ports?offset=0&limit=4", rows: 0..<4, #"{"ports":ROWS,"total":7}"#)
      $0.answer("ports?offset=4&limit=4", rows: 4..<7, #"{"ports":ROWS,"total":7}"#)
      $0.answer("\(path)?offset=0&limit=4&filter=name%20~%20'brest'", rows: 1..<2, #"{"ports":ROWS,"total":1}"#)
    }
    var told = try ServiceModel(of: fixture)
    told.setSearch(by: Parameter(.query, "filter")) { $0.split(separator: "'").dropFirst().joined() }
    let profile = Profile("language", paging: .offset(size: 4, end: .total), search: .native)
    let page: @Sendable (PortsSource, PageRequest) async throws -> Page<Port> = { source, request in
      var get = try source.asking(source.client, request)
      if let text = request.query.text {
        get.address = source.client.request(.get, path).address
        get.query.append(.init("filter", .plain("name ~ '\(text)'")))
      }
      let answer = try await source.document(get)
      return try Page(of: source, rows: answer.array("ports"), total: answer.int("total"))
    }
    let report = await report(profile, fixture, told, page: page)
    #expect(report.isPassed, "\(report)")

    let untold = await self.report(profile, fixture, nil, page: page)
    #expect(untold.complaints.count == 1)
    #expect(untold.complaints.first?.contains("or say how with setSearch(by:) of the model") == true, "\(untold)")
    let paging = "GET https://ports.example/api/ports, rows at ports, offset by query \"offset\" (strong: "
    #expect(untold.description.contains(paging))

    let skipped = await self.report(
      profile, fixture, nil,
      skipping: [.law(.search, because: "the service finds ports by what they are known for")],
      page: page)
    #expect(skipped.isPassed, "\(skipped)")
    #expect(skipped.omissions == ["language: search finds, under calm: skipped: the service finds ports by what they are known for"])
  }

  // MARK: - GraphQL

  @Test("two questions posted to one address are distinguished")
  func operations() async throws {
    var service = RecordedService()
    for (after, rows, end) in [("null", 0..<3, #""c3""#), (#""c3""#, 3..<5, "null")] {
      try service.post(
        "/graphql", sending: #"{"query":"query Ports($after: String) { ports { id } }","variables":{"after":\#(after),"first":3}}"#,
        #"{"data":{"ports":{"nodes":\#(ports(rows)),"pageInfo":{"endCursor":\#(end),"hasNextPage":\#(end != "null")}}}}"#)
    }
    let one = #"{"query":"query Port($id: ID!) { port(id: $id) { berths { id } } }","variables":{"id":3}}"#
    try service.post("/graphql", sending: one, #"{"data":{"port":{"berths":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}}}"#)
    let model = try ServiceModel(of: service.fixture)
    #expect(model.list.recorded.rows.count == 5)
    #expect(model.list.paging.way.value == .token("data.ports.pageInfo.endCursor", Parameter(.body, "variables.after")))
    #expect(model.list.endpoint.description == "POST https://api.example/graphql (query Ports)")

    var request = HTTPRequest(.post, model.list.endpoint.address)
    request.body = Array(one.utf8)
    let answer = try await ModelServer(model, fixture: service.fixture).send(request).json()
    #expect(try answer.object("data").object("port").array("berths").count == 2)
  }
}
