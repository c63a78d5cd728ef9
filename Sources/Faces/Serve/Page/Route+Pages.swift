import AggregatorCore
import Asking
import RecordFormats

extension Route {
  private static func page(
    _ path: [Segment], asking verb: Verb? = nil, taking parameters: [P] = [], beside extras: [FaceParameter] = [],
    _ summary: String, _ find: @escaping @Sendable (Call) async throws -> HTMLPage
  ) -> Route {
    Route("GET", path, asking: verb, taking: parameters, as: [.html], beside: extras, .page, summary) { call in
      try await find(call).reply(from: call.service)
    }
  }

  // MARK: Pages about everything

  static let pages: [Route] = [
    page([.word("-"), .word("search")], taking: [.text, .limit] + terms, "search every source") { try await $0.searchPage() },
    page([.word("-"), .word("changes")], taking: ofChanges, "what syncs found, by day") { call in
      try await call.changesPage(of: call.catalogue.sources.filter { Verb.changes.isOffered(by: $0) })
    },
    page([.word("-"), .word("jobs")], "syncs and audits") { $0.jobsPage() },
    page([.word("-"), .word("jobs"), .name("job")], "how far a job is") { try $0.jobPage() },
    Route("POST", [.word("-"), .word("jobs"), .name("job"), .word("cancel")], as: [.html], .page, "cancel a job") { call in
      let job = try call.namedJob
      call.interface.jobs.cancel(job.id)
      return Reply(leadingTo: .job(job.id))
    },
    Route(
      "GET", [.word("-"), .word("picture")], taking: [.offline], as: [.picture], beside: [.address, .signature], .file,
      "a picture of a record on a page"
    ) { try await $0.pictureOnPage() },
    Route(
      "GET", [.word("-"), .word("files"), .name("digest"), .name("file")], as: [.html], .file, "a file that pages load"
    ) { call in
      guard let reply = PageAsset.reply(at: String(call.request.target.prefix { $0 != "?" })) else {
        throw Problem(404, "not-found", "no such file")
      }
      return reply
    },
  ]

  // MARK: Pages about one source

  private static let record: [Segment] = [.source, .word("records"), .id]
  private static let list: [P] = chosen + [.cursor, .limit, .offset, .sort] + terms
  private static let ofList: [FaceParameter] = [.view, .facets, .undo, .field, .comparison, .value]

  static let pagesOfSource: [Route] =
    [[.source], [.word("-"), .word("sources"), .source]].map { path in
      Route("GET", path, asking: .list, taking: list, as: [.html], beside: ofList, .page, "the records") { call in
        // A condition that was put together in a form becomes one in the address.
        if let condition = call.newCondition { return Reply(leadingTo: condition) }
        do { return try await call.listPage().page.reply(from: call.service) } catch {
          guard let (rest, mistake) = call.mistake(of: error) else { throw error }
          return try await rest.listPage(insteadOf: mistake).page.reply(from: call.service)
        }
      }
    } + [
      Route("GET", record, asking: .show, taking: [.asOf] + terms, as: [.html], .page, "one record in full") { call in
        let (ask, source) = try await call.openRecord()
        let found: RecordAnswer
        do { found = try await source.show(call.id, ask) } catch let error as SourceError {
          guard let page = await call.gonePage(call.id, of: source) else { throw error }
          return page.reply(from: call.service)
        }
        guard found.record.id == call.id || !found.record.hasAddress else {
          // An address is that of one record, also after the service has dropped it. A weaker match is not that record.
          if let page = await call.gonePage(call.id, of: source) { return page.reply(from: call.service) }
          if let doubt = found.notices.first(where: { $0.name == "not-named" }) {
            let nearest = Remedy.ask(Remedy.Call("show", found.record.id), "")
            throw copy(of: Problem(404, "not-found", doubt.text(of: source.name, at: call.now), source: source.name)) {
              $0.cause = nearest
            }
          }
          return Reply(leadingTo: .record(found.record.id, of: source.name).with(query: call.here.query))
        }
        return try await call.recordPage(found, of: source).reply(from: call.service)
      },
      page([.source, .verb(.pick)], asking: .pick, taking: [.seed] + terms, "a record that chance picks") { call in
        let (ask, source) = try await call.openForLooking(call.ask(.pick))
        let again = Markup.link("Another one", to: call.here.without("seed"))
        return try await call.recordPage(call.picked(ask, of: source), of: source, again: again)
      },
      page([.source, .word("changes")], asking: .changes, taking: ofChanges, "what syncs found, by day") { call in
        try await call.changesPage(of: [call.source])
      },
      Route("POST", [.source, .verb(.sync)], asking: .sync, taking: Verb.sync.parameters, as: [.html], .page, "begin a sync") {
        try $0.beginOnPage(.sync)
      },
      Route(
        "POST", [.source, .verb(.audit)], asking: .audit, taking: Verb.audit.parameters, as: [.html], .page, "begin an audit"
      ) {
        try $0.beginOnPage(.audit)
      },
      Route("POST", [.source, .word("more")], asking: .delete, as: [.html], beside: [.back], .page, "fetch more") { call in
        let ask = try call.ask(.list, with: ["limit": ["1"]])
        try await call.open(ask).fetchOne(deadline: ask.deadline)
        return try call.returning()
      },
      Route("POST", record + [.word("delete")], asking: .delete, as: [.html], beside: [.back], .page, "delete a record") {
        call in
        _ = try await call.open(call.ask(.delete, with: ["id": [call.id]])).delete(call.id)
        return try call.returning(undoing: call.id)
      },
      Route("POST", record + [.word("restore")], asking: .restore, as: [.html], beside: [.back], .page, "undo a deletion") {
        call in
        _ = try await call.open(call.ask(.restore, with: ["id": [call.id]])).restore(call.id, keepingEdits: true)
        return try call.returning()
      },
    ]
}
