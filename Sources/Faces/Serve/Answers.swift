import AggregatorCore
import Asking
import Pictures
import RecordFormats

// The answers of the routes, but for those with records (Records.swift).

extension Call {
  /// The verb that an address of records stands for.
  var verbOfRows: Verb {
    get throws(AskError) {
      if gives(.text), gives(.deleted) { throw .conflict(Ask.Parameter.text.name, Ask.Parameter.deleted.name) }
      return gives(.text) ? .search : .list
    }
  }

  /// The reasons why sources are missing from the catalogue.
  var omissions: [String] { catalogue.omissions.map { interface.bare("\($0.reason.worded(Remedy.inAddresses))") } }

  /// Replies with rows as one array. `notices` are headers, since an array has no place for them.
  func list<Row: Sendable>(_ rows: [Row], of fields: [Field<Row>], saying notices: [String] = []) throws -> Reply {
    Reply(200, form.type, .bytes(bare(.list(try values(rows, of: fields)))), headers: headers(saying: notices))
  }

  /// Replies with one row as an object.
  func one<Row: Sendable>(_ row: Row, of fields: [Field<Row>], _ status: Int = 200) throws -> Reply {
    Reply(status, form.type, .bytes(bare(try values([row], of: fields)[0])))
  }

  /// The JSON of a report, whose errors may name folders of the server.
  private func bare(_ value: Value) -> [UInt8] {
    Array(interface.bare(String(decoding: [UInt8].ofJSON(value), as: UTF8.self)).utf8)
  }

  private func values<Row: Sendable>(_ rows: [Row], of fields: [Field<Row>]) throws -> [Value] {
    let columns = try columns(of: fields.map { $0.outline })
    return ShownRecord.rows(rows, of: fields, at: now).map { columns.value(of: $0) }
  }

  func count() async throws -> Reply {
    let ask = try ask(try verbOfRows, with: ["count": ["true"]], most: gives(.by) ? Self.mostRecords : nil)
    let slot = try interface.traffic.walk(of: service, isStream: false)
    defer { slot.end() }
    var count = try await open(ask).count(ask, CountWishes(reading: words, of: source))
    count.outcome.summary = count.outcome.summary.worded(Remedy.inAddresses)
    try check(count.outcome)
    let notices = notices(of: count.outcome)
    guard case .object(let counted) = try values([count], of: count.fields)[0] else {
      throw Problem(500, "unforeseen", "no count")
    }
    let told = Member(name: "notices", value: .list(notices.map { .text($0) }))
    var reply = Reply(200, form.type, .bytes(.ofJSON(.object(counted + [told]))), headers: headers(saying: notices))
    reply.headers.append(("Aggregator-Verdict", (count.summary.verdict ?? .unverifiable).header))
    if let origin = count.summary.origin { reply.headers.append(("Aggregator-Origin", origin.header)) }
    return reply
  }

  func picked() async throws -> Reply {
    let ask = try ask(.pick)
    let source = try open(ask)
    let found = try await picked(ask, of: source)
    try check(found.outcome)
    return try record(found, of: source)
  }

  /// A record that chance picks, or the seed of the call.
  func picked(_ ask: Ask, of source: OpenedSource) async throws -> RecordAnswer {
    let dice = try words.dice
    return try await source.pick(ask, by: dice)
  }

  func facets() async throws -> Reply {
    let ask = try ask(try verbOfRows, with: ["all": ["true"]], most: nil)
    let slot = try interface.traffic.walk(of: service, isStream: false)
    defer { slot.end() }
    let found = try await open(ask).facets(ask, within: service.facetTime)
    try check(found.outcome)
    var reply = try rows(
      found.facets, of: Facet.fields, saying: notices(of: found.outcome),
      verdict: found.summary.verdict?.worded(Remedy.inAddresses),
      [
        Member(name: "source", value: .text(found.source)), Member(name: "count", value: .int(found.count)),
        Member(name: "from", value: .text(found.basis.rawValue)),
        Member(name: "origin", value: (found.summary.origin?.worded(Remedy.inAddresses).value).fieldValue),
      ] + Envelope.counts(found.summary.worded(Remedy.inAddresses)))
    if let origin = found.summary.origin?.worded(Remedy.inAddresses) {
      reply.headers.append(("Aggregator-Origin", origin.header))
    }
    return reply
  }

  func show() async throws -> Reply {
    let ask = try ask(.show, with: ["id": [id]])
    let source = try open(ask)
    let found = try await source.show(id, ask)
    try check(found.outcome)
    // A name leads to the record that has it, so that each record has one address.
    guard found.record.id == id || !found.record.hasAddress else {
      let query = request.target.drop { $0 != "?" }
      let path = "/api/\(source.name)/records/\(PercentEncoding.query(found.record.id))\(query)"
      return Reply(
        303, headers: [("Location", path)] + headers(saying: notices(of: found.outcome)))
    }
    return try record(found, of: source)
  }

  func history() async throws -> Reply {
    let ask = try ask(.history, with: ["id": [id]])
    let history = try await open(ask).history(of: id, ask)
    return try rows(
      history.changes, of: FoundChange.fields, saying: history.isCut ? [ChangesAnswer.cut] : [], isPart: history.isCut,
      [
        Member(name: "source", value: .text(history.source)), Member(name: "id", value: .text(history.id)),
        Member(name: "knownSince", value: (history.knownSince?.iso).fieldValue),
        Member(name: "isCut", value: .bool(history.isCut)),
      ])
  }

  func image() async throws -> Reply {
    let ask = try ask(.image, with: ["id": [id]])
    let found = try await open(ask).show(id, ask)
    guard let index = Int(name), found.record.pictures.indices.contains(index) else {
      throw Problem(
        404, "not-found", "the record has \(plural(found.record.pictures.count, "picture"))", source: try source.name)
    }
    // Only pictures on the usual terms are shared with other requests.
    let isUsual = ask.terms == World.Terms()
    let pictures = isUsual ? interface.pictures : PictureCache(in: world.on(ask.terms), folder: service.pictures)
    let address = found.record.pictures[index]
    let picture = try await world.clock.limit(until: ask.deadline) { try await pictures.picture(at: address) }
    return Reply(picture)
  }

  func sql() async throws -> Reply {
    guard let engine = service.engine else { throw Problem(404, "not-found", "no such address") }
    guard let text = text(.statement), !text.trimmingSpaces.isEmpty else { throw AskError.missing("statement") }
    var statement = Statement(text)
    statement.asOf = try meanings(.asOf) { text throws(SourceError) in [try Moment(past: text, at: now)] }.last
    statement.requirements = try meanings(.require) { text throws(SourceError) in try Requirement.all(in: text) }
    statement.deadline = now + min(try time ?? service.answerTime, service.answerTime)
    let slot = try interface.traffic.walk(of: service, isStream: false)
    return try await Writing.reply(form.type, ending: { slot.end() }) { [statement] writing in
      var answer = try await catalogue.answer(to: statement, in: world, by: engine)
      let fields = answer.columns.indices.map { index in
        Field<ResultRow>(FieldOutline(answer.columns[index], leaves: .text)) { $0.values[index] }
      }
      var columns = Columns(
        Selection(of: fields.map { $0.outline }, detail: true), of: fields.map { $0.outline }, isDeclaredOrder: true, at: now)
      for field in fields { columns.headings[FieldPath([field.name]).text] = field.name }
      columns.areTyped = false
      var renderer = renderer(columns, into: writing.outlet, in: Envelope(statement: statement.text, reading: answer.lists))
      if let origin = answer.summary.origin { writing.head([("Aggregator-Origin", origin.header)]) }
      try renderer.begin(answer.summary.origin)
      while let rows = try await answer.nextRows() {
        try renderer.print(ShownRecord.rows(rows.map { ResultRow(values: $0) }, of: fields, at: now))
        try await writing.flush()
      }
      return try conclude(&renderer, answer.outcome, into: writing)
    }
  }

  /// The ask for a search over all sources.
  var askOfAll: Ask {
    get throws {
      guard let first = catalogue.searchable.first else { throw Problem(404, "not-found", "no source can be searched") }
      var ask = try ask(.search, of: first)
      // Without a time of its own a search has the two seconds that searches have.
      if !gives(.timeout) { ask.deadline = nil }
      return ask
    }
  }

  func searched() async throws -> Reply {
    let ask = try askOfAll
    let (text, sources) = (ask.query.text ?? "", catalogue.searchable)
    return try await Writing.reply(form.type, isStream: form == .events, pingingBy: form == .events ? world.clock : nil) {
      [ask] writing in
      var renderer = SearchedSourcesRenderer(
        rows: nil, inLines: form != .json, text: text, limit: ask.limit, at: now, into: writing.outlet)
      var unmet: [String] = []
      if form != .events { try renderer.begin() }
      try await catalogue.search(text, ask, in: world) { news in
        guard case .found(var found) = news else { return }
        for (index, result) in found.all { found.all[index]?.outcome.summary = result.summary.worded(Remedy.inAddresses) }
        unmet += found.unmet
        if form != .events { try renderer.print(found) } else { renderer.note(found) }
        for (index, result) in found.all.sorted(by: { $0.key < $1.key }) where form == .events {
          try EventStream.send("source", renderer.document(of: result), id: sources[index].name, into: writing.outlet)
        }
        try await writing.flush()
      }
      try check(unmet)
      if form != .events { try renderer.end() }
      let verdict = renderer.verdict ?? .unverifiable
      if form == .events {
        try EventStream.send("verdict", .object([Member(name: "kind", value: .text(verdict.kind))]), into: writing.outlet)
      }
      for notice in omissions where form == .events { try EventStream.send("notice", .text(notice), into: writing.outlet) }
      var end = Writing.Conclusion(headers: [("Aggregator-Verdict", verdict.header)] + headers(saying: omissions))
      if case .partial = verdict { end.isBroken = form == .ndjson && !takesPart }
      return end
    }
  }

  /// Reads the changes of these sources on the terms of the call. `more` are words that the address itself says.
  func foundChanges(
    of sources: [SourceDescriptor], with more: [String: [String]] = [:]
  ) async throws -> ChangesOfSeveral {
    let found = try await ChangesOfSeveral(of: sources, in: world) { source in
      let words = given(with: more)
      if let since = words.given["since"]?.last, case .last? = try? ChangesSince(since, at: now) {
        throw Problem.malformed("since=last is not offered, since a GET changes nothing; give the time of the last answer")
      }
      _ = try Ask.Parameter.since.moment(in: words, at: now)
      return (try ask(.changes, of: source, with: more, most: nil), try ChangesWishes(reading: words, at: now))
    }
    try check(found.unmet)
    return found
  }

  func changes(of sources: [SourceDescriptor]) async throws -> Reply {
    let found = try await foundChanges(of: sources)
    var notices =
      found.notices + found.errors.map { "\($0.worded(Remedy.inAddresses))" }
      + found.unknown.map { text, remedy in
        "\(text)\(remedy.flatMap { Remedy.inAddresses($0, nil) }.map { "; \($0)" } ?? "")"
      }
    let shown = found.limit.map { Array(found.changes.prefix($0)) } ?? found.changes
    if (try? source) == nil { notices += omissions }
    if shown.count < found.changes.count {
      notices.append("showing the first \(shown.count) of \(found.changes.count) changes")
    }
    let verdict = found.verdict.worded(Remedy.inAddresses)
    if form == .atom {
      let title = sources.count == 1 ? "\(sources[0].name): changes" : "changes"
      let feed = AtomFeed(of: shown, called: title, saying: notices, at: request, now)
      return Reply(
        200, form.type, .bytes(feed.bytes), headers: [("Aggregator-Verdict", verdict.header)] + headers(saying: notices))
    }
    // The changes of a source that could not be read are asked for again.
    let until = found.errors.isEmpty ? now - Self.margin : found.since
    return try rows(
      shown, of: FoundChange.fieldsOfSeveral, saying: notices, verdict: verdict, isPart: found.isPart,
      [
        Member(name: "until", value: .text(until.iso)), Member(name: "total", value: .int(found.changes.count)),
        Envelope.verdict(verdict, because: verdict.reason),
      ])
  }

  /// A change may have been noted this long before it could be read. Who asks since then gets some changes twice, and misses none.
  private static let margin = Duration.seconds(120)

  /// Begins a sync or an audit, or finds the one that runs.
  func started(_ verb: Verb) throws -> Job {
    let ask = try ask(verb, within: .seconds(86_400))
    let work: Jobs.Work =
      try verb == .audit
      ? .audit(AuditWishes(reading: words))
      : .sync(SyncWishes(reading: words), waits: Ask.Parameter.wait.isSaid(in: words))
    return try interface.jobs.start(work, of: source, ask, in: world).job
  }

  /// The job whose number the path names.
  var namedJob: Job {
    get throws {
      guard let number = Int(name), let job = interface.jobs.job(number) else { throw Problem(404, "not-found", "no such job") }
      return job
    }
  }

  /// Replies with a job that begins, or runs already.
  func begin(_ verb: Verb) throws -> Reply {
    let job = try started(verb)
    var reply = try one(job.worded(Remedy.inAddresses), of: Job.fields, 202)
    reply.headers.append(("Location", "/api/jobs/\(job.id)"))
    return reply
  }

  func job() async throws -> Reply {
    let job = try namedJob
    guard form == .events else { return try one(job.worded(Remedy.inAddresses), of: Job.fields) }
    let slot = try interface.traffic.stream(of: service)
    return try await Writing.reply(form.type, isStream: true, pingingBy: world.clock, ending: { slot.end() }) { writing in
      for await job in interface.jobs.changes(of: job.id) {
        let value = try values([job.worded(Remedy.inAddresses)], of: Job.fields)[0]
        try EventStream.send("job", value, id: job.state.rawValue, into: writing.outlet)
        try await writing.flush()
      }
      return Writing.Conclusion()
    }
  }

  /// Throws if an answer does not meet what is required of it.
  func check(_ outcome: Outcome) throws { try check(outcome.unmet.map(\.description)) }

  func check(_ unmet: [String]) throws {
    if !unmet.isEmpty { throw Problem(409, "unmet", unmet.joined(separator: "; "), source: try? source.name) }
  }
}

extension SearchedSources {
  /// The requirements that sources do not meet, each with its source.
  var unmet: [String] { all.values.flatMap { result in result.unmet.map { "\(result.source): \($0)" } }.sorted() }
}

extension Reply {
  /// A picture, which a browser may keep for a day.
  init(_ picture: Picture) {
    self.init(
      200, "image/\(picture.format.rawValue)", .bytes(picture.bytes), headers: [("Cache-Control", "private, max-age=86400")])
  }
}

private struct ResultRow: Sendable {
  let values: [Value]
}

extension ShownRecord {
  /// True when the id can be the end of an address. Clients take `.` and `..` for steps in its path, however they are written.
  var hasAddress: Bool { id != "." && id != ".." }
}
