import AggregatorCore
import Asking
import RecordFormats

// The answers of the tools.

extension ToolCall {
  func sources() throws -> ToolResult {
    if let source = try named() {
      let report = SourceReport(source, settings: world.settings, at: now)
      return try reports(
        [report], of: SourceReport.fullFields.filter { $0.name != "file" && $0.name != "permission" }, "source")
    }
    let reports = catalogue.sources.map { SourceReport($0, settings: world.settings, at: now) }
    let shown = ["name", "summary", "search", "needsKey", "keySet"]
    return try self.reports(reports, of: SourceReport.fields.filter { shown.contains($0.name) }, "sources")
  }

  func status() async throws -> ToolResult {
    let sources = try named().map { [$0] } ?? catalogue.sources
    let reports = try await catalogue.reports(on: sources, in: world).worstFirst
    var result = try self.reports(reports, of: SourceReport.statusFields(wording), "stored lists")
    let whole = reports.count { $0.state != .failing && $0.status?.verdict == .complete }
    result.beginning = "complete: \(whole) of \(plural(reports.count, "list"))"
    return result
  }

  private func reports(_ reports: [SourceReport], of fields: [Field<SourceReport>], _ subject: String) throws -> ToolResult {
    let columns = Columns(
      Selection(of: fields.map { $0.outline }, detail: true), of: fields.map { $0.outline }, at: now)
    let rows = ShownRecord.rows(reports, of: fields, at: now).map { columns.value(of: $0) }
    let offset = min(try number(.offset, usually: 0), rows.count)
    var result = ToolResult(subject: subject, rows: Array(rows.dropFirst(offset)), offset: offset, total: rows.count)
    result.rest = { kept in offset + kept < rows.count ? [.init("offset", String(offset + kept))] : nil }
    result.notices = omissions
    return result
  }

  /// The reasons why sources are missing from the catalogue.
  var omissions: [String] { catalogue.omissions.map { request.server.bare("\($0.reason.worded(wording))") } }

  func everywhere() async throws -> ToolResult {
    guard let first = catalogue.searchable.first else { throw SourceError(.notFound, "no source can be searched") }
    for name in ["fields", "where", "sort", "cursor", "offset", "as-of"] where words.given[name] != nil {
      throw AskError.needs(name, "source")
    }
    var ask = try ask(.search, of: first)
    // A search over all has a time of its own.
    ask.deadline = nil
    var (found, results): ([Found], [Int: SearchedSource]) = ([], [:])
    try await catalogue.search(ask.query.text ?? "", ask, in: world) { news in
      guard case .found(let some) = news else { return }
      found += some.found
      results.merge(some.all) { $1 }
    }
    let all = results.values.sorted { ($0.verdict.strength, $0.source) < ($1.verdict.strength, $1.source) }
    var result = ToolResult(subject: "all sources")
    result.rows = found.map { ["source": .text($0.source), "record": $0.value] }
    result.verdict = all.first?.verdict ?? .complete
    switch result.verdict {
    case .partial: result.reason = "\(all[0].source): \(all[0].error?.message ?? all[0].summary.reason ?? "")"
    case .bounded: result.reason = "the best ones; \"sources\" has the call for those of each"
    default: break
    }
    let copies = all.filter { $0.summary.origin?.kind == .bundled }.map(\.source)
    if !copies.isEmpty {
      let text = "bundled copies answered, and the services may have others: \(copies.joined(separator: ", "))"
      result.notices = [text]
      if result.verdict == .complete { (result.verdict, result.reason) = (.unverifiable, text) }
    }
    result.notices += omissions
    result.more = [Member(name: "sources", value: .list(all.map(summary(of:))))]
    return result
  }

  /// The answer of a source to a search over all, without its rows.
  private func summary(of result: SearchedSource) -> Value {
    let call: Value = [
      "tool": "search", "arguments": .object(arguments + [Member(name: "source", value: .text(result.source))]),
    ]
    return .object(leavingOutNil: [
      "source": .text(result.source), "rows": .int(result.found.count), "total": result.summary.total.map { .int($0) },
      "verdict": .text(result.verdict.kind),
      "reason": (result.error.map { "\($0.worded(wording))" } ?? result.summary.reason).map { .text(request.server.bare($0)) },
      "origin": result.summary.origin.map { .text($0.words(at: now)) },
      "call": result.found.isEmpty ? nil : call,
    ])
  }

  func changes() async throws -> ToolResult {
    let sources = try named().map { [$0] } ?? catalogue.sources.filter { Verb.changes.isOffered(by: $0) }
    let now = now
    let found = try await ChangesOfSeveral(of: sources, in: world) { source in
      // This tool has no readers, because an answer would move their places.
      _ = try Ask.Parameter.since.moment(in: words, at: now)
      return (try ask(.changes, of: source, without: ["limit", "offset"]), try ChangesWishes(reading: words, at: now))
    }
    let (offset, limit) = (
      try number(.offset, usually: 0), try number(.mostChanges, usually: 20, atMost: Tool.mostRows)
    )
    let columns = Columns(
      Selection(of: FoundChange.fieldsOfSeveral.map { $0.outline }, detail: true),
      of: FoundChange.fieldsOfSeveral.map { $0.outline }, at: now)
    let shown = Array(found.changes.dropFirst(offset).prefix(limit))
    var result = ToolResult(subject: "changes", offset: offset, total: found.changes.count)
    result.rows = ShownRecord.rows(shown, of: FoundChange.fieldsOfSeveral, at: now).map { columns.value(of: $0) }
    // What is found meanwhile does not move the place.
    let until: [Remedy.Parameter] = words.given["until"] == nil ? [.init("until", (now + .nanoseconds(1)).iso)] : []
    result.rest = { kept in
      offset + kept < found.changes.count ? until + [.init("offset", String(offset + kept))] : nil
    }
    let verdict = found.verdict.worded(wording)
    (result.verdict, result.reason) = (verdict, verdict.reason.map(request.server.bare))
    result.notices =
      found.notices + found.errors.map { request.server.bare("\($0.worded(wording))") }
      + (words.given["source"] == nil ? omissions : [])
      + found.unknown.map { text, remedy in
        ([text] + [remedy.flatMap { wording($0, nil) }].compactMap(\.self)).joined(separator: "; ")
      }
    return result
  }

  func sql() async throws -> ToolResult {
    guard let engine = request.server.engine, let text = words.given[Ask.Parameter.statement.name]?.last else {
      throw AskError.missing(Ask.Parameter.statement.name)
    }
    var statement = Statement(text)
    statement.asOf = try Ask.Parameter.asOf.meanings(in: words) { text throws(SourceError) in [try Moment(past: text, at: now)]
    }
    .last
    statement.deadline = deadline
    let (place, limit) = (try place(), try number(.limit, usually: 20, atMost: Tool.mostRows))
    let (past, offset) = (statement.asOf?.iso, place?.offset ?? 0)
    let question = [text, past ?? ""]
    if let place, !place.isOf(question) { return refusalOfCursor() }
    var answer = try await catalogue.answer(to: statement, in: world, by: engine)
    // Read before the rows: a sync that ends meanwhile is noticed by the next call.
    var reports: [SourceReport] = []
    for list in answer.lists {
      if let source = catalogue[list.source] { reports.append(try await source.report(in: world)) }
    }
    let (rows, passed, before) = try await Self.rows(of: &answer, from: offset, atMost: limit + 1)
    let (basis, hasMore) = (ToolPlace.Basis(reports), rows.count > limit)
    var result = ToolResult(offset: offset, total: hasMore || answer.isLate ? nil : passed)
    result.origin = answer.summary.origin
    if let place, place.isLost(after: before?.json, on: basis) {
      let why = "the lists, or the order of the rows, changed between two calls"
      return result.endingChain(beginAgain: rest(at: []), because: why)
    }
    result.rows = Array(rows.prefix(limit))
    (result.verdict, result.reason) = Self.verdict(of: answer, to: text, on: reports)
    result.rest = { [shown = result.rows, hasMore, before] kept in
      guard kept < shown.count || hasMore else { return nil }
      let last = kept > 0 ? shown[kept - 1] : before
      return ToolPlace(after: last?.json, of: question, on: basis, offset: offset + kept).parameters(asOf: past)
    }
    result.notices = answer.outcome.texts(of: "", at: now, wording)
    for (list, report) in zip(answer.lists, reports) where list.verdict != .complete {
      result.missing += parts(missingIn: report)
    }
    return result
  }

  /// The rows of a statement after so many of them, the number of rows that were read, and the row before those.
  private static func rows(
    of answer: inout StatementAnswer, from offset: Int, atMost most: Int
  ) async throws -> (rows: [Value], passed: Int, before: Value?) {
    var (rows, passed, before): ([Value], Int, Value?) = ([], 0, nil)
    while let some = try await answer.nextRows() {
      for values in some {
        let row = Value.object(zip(answer.columns, values).map { Member(name: $0, value: $1) })
        passed += 1
        if passed == offset { before = row }
        if passed > offset { rows.append(row) }
        if rows.count == most { return (rows, passed, before) }
      }
    }
    return (rows, passed, before)
  }

  /// The verdict of the answer to a statement, which is that of the weakest list that it reads, and the reason.
  private static func verdict(
    of answer: StatementAnswer, to text: String, on reports: [SourceReport]
  ) -> (Verdict?, String?) {
    let verdict = answer.summary.verdict ?? answer.lists.map(\.verdict).min { $0.strength < $1.strength } ?? .complete
    let asked = Fold.fold(text)
    let unknown = reports.flatMap { $0.status?.unknown ?? [] }.first { asked.contains(Fold.fold($0)) }
    switch verdict {
    case .partial:
      return (verdict, answer.isLate ? "the time was up" : "a list that it reads is not whole")
    case .unverifiable: return (verdict, "nothing proves that the lists that it reads are whole")
    case .bounded, .complete: break
    }
    guard verdict == .complete, let unknown else { return (verdict, nil) }
    return (.unverifiable, "\(unknown) has no values yet; a full sync fetches them")
  }

  func sync() async throws -> ToolResult {
    let source = try source()
    guard let jobs = request.server.jobs else { throw AskError.missing("source") }
    var ask = try ask(.sync, of: source)
    ask.deadline = nil
    let work = Jobs.Work.sync(try SyncWishes(reading: words), waits: try Ask.Parameter.wait.isSaid(in: words))
    let (job, isNew) = try jobs.start(work, of: source, ask, in: world)
    let teller = request.teller
    defer { teller?.end() }
    let last = await withTaskCancellationHandler {
      var last = job
      for await job in jobs.changes(of: job.id) {
        last = job
        teller?.note(job.progress)
      }
      return last
    } onCancel: {
      // The client that began it may still want it.
      if isNew { jobs.cancel(job.id) }
    }
    try Task.checkCancellation()
    if let error = last.error { throw error }
    if last.state == .cancelled {
      throw SourceError(.interrupted, "the sync was cancelled; what came is stored", remedy: .ask("sync", "to go on")).from(
        source.name)
    }
    let report = try await source.report(in: world)
    var result = ToolResult(subject: source.name, rows: [last.outcome ?? .null])
    (result.verdict, result.reason) = (report.status?.verdict ?? .unverifiable, report.status?.verdict?.reason)
    // The same sync once more would have the same end.
    let again = rest(at: [])
    result.missing = parts(missingIn: report).map { part in
      copy(of: part) { if $0["call"] == again { ($0["call"], $0["remedy"]) = (nil, nil) } }
    }
    result.beginning = "stored of \(source.name): \(plural(report.stored ?? 0, "row"))"
    return result
  }
}

extension StatementAnswer {
  /// True when the end of the time ended it.
  fileprivate var isLate: Bool { summary.verdict == .partial(.deadline) }
}

extension SearchedSource {
  /// The verdict of its search; one that failed lacks everything.
  fileprivate var verdict: Verdict { summary.verdict ?? .unverifiable }
}
