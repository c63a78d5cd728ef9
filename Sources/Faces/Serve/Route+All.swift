import AggregatorCore
import Asking

extension Route {
  typealias P = Ask.Parameter

  /// The parameters of an answer's origin. What changes the store, as `same-account` does, is left to what is sent with POST.
  static let terms: [P] = [.offline, .live, .maxAge, .refresh, .require, .timeout]
  static let chosen: [P] = [.text, .where, .deleted, .asOf]
  static let ofChanges: [P] = Verb.changes.parameters.filter { $0 != .sameAccount }
  private static let rowForms: [Form] = [.json, .ndjson, .csv]

  /// Every address that a service has, the literal ones first.
  static func all(of service: Service) -> [Route] {
    let routes = general + (service.engine == nil ? [] : [sql]) + ofSource + pages + pagesOfSource
    return login + [messages] + (service.isReadOnly ? routes.filter { $0.method == "GET" } : routes)
  }

  // MARK: Addresses about everything

  private static let general: [Route] = [
    Route("GET", [], as: [.json, .html], .text, "the addresses to begin with; for a browser, the state of every source") {
      call in
      if call.form == .html { return try await call.overview().reply(from: call.service) }
      let links = [
        "openapi": "/openapi.json", "sources": "/api/sources", "status": "/api/status", "search": "/api/search?text=",
        "mcp": "/\(messagesName)",
      ]
      let members = links.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .text($0.value)) }
      return Reply(200, Form.json.type, .bytes(.ofJSON(.object(members))))
    },
    Route("GET", [.word("openapi.json")], .text, "this description") { call in
      Reply(200, Form.json.type, .bytes(.ofJSON(OpenAPI.document(of: call.interface, call.catalogue))))
    },
    Route("GET", [.word("healthz")], .text, "answers while the server runs") { _ in
      Reply(200, plain, .bytes(Array("ok\n".utf8)))
    },
    Route("GET", [.word("readyz")], .text, "answers well while the store can be read") { call in
      do { _ = try await call.world.store?.snapshot() } catch let error as SourceError {
        throw Problem(503, "storage", error.message, headers: [("Retry-After", "5")])
      }
      // Sources that are left out keep no other from answering.
      return Reply(200, plain, .bytes(Array((["ready"] + call.omissions).map { Printable.clean($0) + "\n" }.joined().utf8)))
    },
    Route("GET", [.word("metrics")], as: [.metrics], .text, "figures for OpenMetrics") { call in
      // A store that cannot be read is one of the figures.
      let reports = try? await call.catalogue.reports(on: call.catalogue.sources, in: call.world)
      let text = Metrics(
        reports, leavingOut: call.catalogue.omissions.count, call.interface.traffic.figures, version: call.service.version
      ).text
      return Reply(200, Form.metrics.type, .bytes(Array(text.utf8)))
    },
    Route("GET", [.word("problems")], .text, "what each problem is") { _ in Reply(200, plain, .bytes(Problem.allMeanings)) },
    Route("GET", [.word("problems"), .name("problem")], .text, "what a problem is") { call in
      guard let meaning = Problem.meaning(of: call.name) else { throw Problem(404, "not-found", "no such problem") }
      return Reply(200, plain, .bytes(Array("\(call.name)\n\n\(meaning)\n".utf8)))
    },
    Route("GET", [.word("api"), .word("sources")], .sources, "the sources, and what each can do") { call in
      let reports = call.catalogue.sources.map { SourceReport($0, settings: call.world.settings, at: call.now) }
      // The server's folders are no concern of its clients.
      return try call.list(reports, of: SourceReport.fields.filter { $0.name != "file" }, saying: call.omissions)
    },
    Route(
      "GET", [.word("api"), .word("status")], .reports, "what is stored of each source, and what is missing; the worst first"
    ) {
      call in
      let reports = try await call.catalogue.reports(on: call.catalogue.sources, in: call.world).worstFirst
      return try call.list(reports, of: SourceReport.statusFields(Remedy.inAddresses), saying: call.omissions)
    },
    Route(
      "GET", [.word("api"), .word("search")], taking: [.text, .limit] + terms, as: [.json, .ndjson, .events], .searched,
      "search every source at once"
    ) { try await $0.searched() },
    Route(
      "GET", [.word("api"), .word("changes")], taking: ofChanges, as: rowForms + [.atom], .changes,
      "what syncs found new, changed or gone, the latest first"
    ) { call in try await call.changes(of: call.catalogue.sources.filter { Verb.changes.isOffered(by: $0) }) },
    Route("GET", [.word("api"), .word("jobs")], .jobs, "the syncs and audits that run or ran, the latest first") { call in
      try call.list(call.interface.jobs.all.map { $0.worded(Remedy.inAddresses) }, of: Job.fields)
    },
    Route(
      "GET", [.word("api"), .word("jobs"), .name("job")], as: [.json, .events], .job, "how far a job is, or each step of it"
    ) {
      try await $0.job()
    },
    Route("POST", [.word("api"), .word("jobs"), .name("job"), .word("cancel")], .nothing, "cancel a job; what came is stored") {
      call in
      call.interface.jobs.cancel(try call.namedJob.id)
      return Reply(204)
    },
  ]

  private static let sql = Route(
    "GET", [.word("api"), .word("sql")], taking: [.statement, .asOf, .require, .timeout], as: rowForms, .statement,
    "the answer to one statement of SQL over what is stored"
  ) { try await $0.sql() }

  private static let plain = "text/plain; charset=utf-8"

  // MARK: Addresses about one source

  private static func of(_ words: Segment...) -> [Segment] { [.word("api"), .source] + words }

  private static let ofSource: [Route] = [
    Route(
      "GET", of(), asking: .list, taking: chosen + [.cursor, .limit, .pages, .offset, .sort] + terms, as: rowForms, .answer,
      "a page of the records, or of those that a text finds"
    ) { call in try await call.records(call.ask(try call.verbOfRows)) },
    Route(
      "GET", of(.word("walk")), asking: .list, taking: chosen + [.limit, .sort] + terms, as: [.ndjson, .csv, .json, .events],
      .answer,
      "every record, with a verdict; what is incomplete breaks off unless its form tells that"
    ) { call in
      let more = ["all": ["true"]]
      return try await call.records(
        call.ask(try call.verbOfRows, with: more, most: nil, within: call.service.walkTime), isWalk: true)
    },
    Route(
      "GET", of(.word("count")), asking: .list, taking: chosen + [.by, .sum, .limit] + terms, .count,
      "the number of records, or of each value"
    ) { try await $0.count() },
    Route(
      "GET", of(.word("facets")), asking: .list, taking: chosen + terms, .facets,
      "the values of fields that have few, with counts"
    ) {
      try await $0.facets()
    },
    Route("GET", of(.word("status")), .report, "what is stored of the source, and what is missing") { call in
      let report = try await call.source.report(in: call.world)
      return try call.one(report, of: SourceReport.statusFields(Remedy.inAddresses))
    },
    Route(
      "GET", of(.word("changes")), asking: .changes, taking: ofChanges, as: rowForms + [.atom], .changes,
      "what syncs found new, changed or gone, the latest first"
    ) { call in try await call.changes(of: [call.source]) },
    Route("GET", of(.verb(.pick)), asking: .pick, taking: [.seed] + terms, .record, "a record that chance picks") {
      try await $0.picked()
    },
    Route("GET", of(.word("records"), .id), asking: .show, taking: [.asOf] + terms, .record, "one record in full") {
      try await $0.show()
    },
    Route(
      "GET", of(.word("records"), .id, .word("history")), asking: .history, taking: [.timeout], as: rowForms, .history,
      "every value that a record had"
    ) { try await $0.history() },
    Route(
      "GET", of(.word("records"), .id, .word("images"), .name("image")), asking: .image, taking: terms, as: [.picture],
      .picture,
      "a picture of a record; the first is 0"
    ) { try await $0.image() },
    Route("DELETE", of(.word("records"), .id), asking: .delete, .nothing, "delete a record for good") { call in
      _ = try await call.open(call.ask(.delete, with: ["id": [call.id]])).delete(call.id)
      return Reply(204)
    },
    Route(
      "POST", of(.word("records"), .id, .word("restore")), asking: .restore, .nothing, "undo a deletion, and take back edits"
    ) { call in
      _ = try await call.open(call.ask(.restore, with: ["id": [call.id]])).restore(call.id)
      return Reply(204)
    },
    Route("POST", of(.word("sync")), asking: .sync, taking: Verb.sync.parameters, .job, "begin to store every record") {
      try $0.begin(.sync)
    },
    Route(
      "POST", of(.word("audit")), asking: .audit, taking: Verb.audit.parameters, .job,
      "begin to compare a part with the service"
    ) {
      try $0.begin(.audit)
    },
  ]
}
