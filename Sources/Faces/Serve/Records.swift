import AggregatorCore
import Asking
import RecordFormats

// Answers with records of one source: a page, or a whole walk.

extension Call {
  /// Replies with the records of an ask. A walk is sent as it comes, and its client leaves by closing the connection.
  func records(_ ask: Ask, isWalk: Bool = false) async throws -> Reply {
    var ask = ask
    if isWalk, form == .events, let last = request["last-event-id"] { ask.start = try AnswerPlace(last, in: ask).start }
    let source = try open(ask)
    let columns = try columns(of: source.fields, id: source.idPath)
    try checkMayEnd(source, ask)
    let isStream = isWalk && form == .events
    let slot = isWalk ? try interface.traffic.walk(of: service, isStream: isStream) : nil
    let envelope = Envelope(source: source.name, text: ask.query.text, limit: ask.limit)
    return try await Writing.reply(
      form.type, isStream: isWalk, pingingBy: isStream ? world.clock : nil, ending: { slot?.end() }
    ) { [ask] writing in
      var renderer = renderer(columns, into: writing.outlet, in: envelope)
      var (answer, hasBegun) = (source.records(for: ask), false)
      var list: String?
      while let records = try await answer.nextRecords() {
        if !hasBegun, let origin = answer.summary.origin?.worded(Remedy.inAddresses) {
          writing.head([("Aggregator-Origin", origin.header)] + (isWalk ? download() : []))
          try renderer.begin(origin)
          hasBegun = true
          // Whose list it is may be known only since the service was asked.
          list = await source.listIdentity
        }
        renderer.mark(answer.summary.edited)
        try renderer.print(records)
        if isStream, !records.isEmpty, let cursor = answer.cursor {
          try writing.outlet.write("id: \(AnswerPlace(Ask.Start(cursor), in: ask, of: list).text)\n\n")
        }
        try await writing.flush()
      }
      var outcome = answer.outcome
      outcome.summary = outcome.summary.worded(Remedy.inAddresses)
      if !hasBegun { try renderer.begin(outcome.summary.origin) }
      if isWalk { interface.traffic.note(outcome.summary.verdict) }
      let next = isWalk ? nil : outcome.rest(of: ask, in: list).map { address(with: $0) }
      return try conclude(&renderer, outcome, next: next, of: isWalk ? nil : ask, into: writing)
    }
  }

  private func checkMayEnd(_ source: OpenedSource, _ ask: Ask) throws {
    guard source.descriptor.isEndless, ask.requirements.contains(.complete) else { return }
    // It would be found only after the first records were sent.
    throw Problem(409, "unmet", "a list without an end is never complete", source: source.name)
  }

  /// Writes the end of an answer: what is missing, and where it continues.
  func conclude(
    _ renderer: inout any Renderer, _ outcome: Outcome, next: String? = nil, of ask: Ask? = nil, into writing: Writing
  ) throws -> Writing.Conclusion {
    let summary = outcome.summary
    var told = notices(of: outcome)
    if next == nil, let ask, outcome.endsAtLimit(of: ask) { told.append(Outcome.doubtAtLimit) }
    if form == .events {
      for notice in told { try EventStream.send("notice", .text(notice), into: writing.outlet) }
      let origin = Member(name: "origin", value: (summary.origin?.value).fieldValue)
      try EventStream.send("verdict", .object([origin] + Envelope.counts(summary)), into: writing.outlet)
    }
    renderer.add([
      Member(name: "notices", value: .list(told.map { .text($0) })), Member(name: "next", value: next.fieldValue),
    ])
    try renderer.end(summary)
    var end = Writing.Conclusion()
    let verdict = summary.verdict ?? .unverifiable
    end.headers.append(("Aggregator-Verdict", verdict.header))
    end.headers += headers(saying: told)
    if let next { end.headers.append(("Link", "<\(next)>; rel=\"next\", <\(address(with: []))>; rel=\"first\"")) }
    // What has no place for its verdict must not look whole.
    if form == .csv || form == .ndjson { end.headers += download() }
    if case .partial = verdict { end.isBroken = !(form == .json || form == .events) && !takesPart }
    // Without what is required an answer is a problem; if it has begun to be sent, the rest is missing.
    if !outcome.unmet.isEmpty { try check(outcome) }
    return end
  }

  /// The notices and the requirements that are not met, in words.
  func notices(of outcome: Outcome) -> [String] {
    outcome.texts(of: (try? source.name) ?? "", at: now, Remedy.inAddresses) + told
  }

  /// The first of these texts as headers.
  func headers(saying texts: [String]) -> [Request.Header] {
    texts.prefix(8).map { ("Aggregator-Notice", FieldText.quoted($0)) }
  }

  /// The header by which a browser saves csv in a file.
  private func download() -> [Request.Header] {
    guard form == .csv, let name = try? source.name else { return [] }
    // Nothing in the rows tells that some are missing.
    let mark = takesPart ? "-may-be-incomplete" : ""
    return [("Content-Disposition", "attachment; filename=\"\(name)\(mark).csv\"")]
  }

  /// Replies with one record.
  func record(_ found: RecordAnswer, of source: OpenedSource) throws -> Reply {
    let columns = try columns(of: source.fields, id: source.idPath, isFull: true)
    var reply = Reply(200, form.type, .bytes(.ofJSON(columns.value(of: found.record, marking: found.summary.edited))))
    var outcome = found.outcome
    outcome.summary = outcome.summary.worded(Remedy.inAddresses)
    if let origin = outcome.summary.origin { reply.headers.append(("Aggregator-Origin", origin.header)) }
    if let link = found.record.link { reply.headers.append(("Link", "<\(link.shown)>; rel=\"alternate\"")) }
    reply.headers += headers(saying: notices(of: outcome))
    return reply
  }

  /// Replies with rows that are not records of a source, and with `more` beside them in JSON.
  func rows<Row: Sendable>(
    _ rows: [Row], of fields: [Field<Row>], saying notices: [String] = [], verdict: Verdict? = nil, isPart: Bool = false,
    _ more: [Member] = []
  ) throws -> Reply {
    let headers = (verdict.map { [("Aggregator-Verdict", $0.header)] } ?? []) + headers(saying: notices)
    let columns = try columns(of: fields.map { $0.outline })
    let outlet = Outlet()
    let shown = ShownRecord.rows(rows, of: fields, at: now)
    if form == .json {
      let items = Value.list(shown.map { columns.value(of: $0) })
      let said = Member(name: "notices", value: .list(notices.map { .text($0) }))
      return Reply(
        200, form.type, .bytes(.ofJSON(.object(more + [Member(name: "items", value: items), said]))), headers: headers)
    }
    var renderer = renderer(columns, into: outlet, in: Envelope(source: "", text: nil, limit: nil))
    try renderer.begin(nil)
    try renderer.print(shown)
    try renderer.end(nil)
    let isBroken = isPart && !takesPart
    outlet.end(isBroken ? .broken : .whole)
    return Reply(200, form.type, outlet.takeWhole().map { .bytes($0) } ?? .stream(outlet), headers: headers)
  }
}

// MARK: - Headers

/// Texts in headers, as RFC 9651 has them.
enum FieldText {
  /// Longer texts are cut: the JSON of an answer has them whole, and a server's head is small.
  private static let most = 300

  static func quoted(_ whole: String) -> String {
    let text =
      whole.unicodeScalars.count > most ? String(String.UnicodeScalarView(whole.unicodeScalars.prefix(most))) + "…" : whole
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain { return "\"\(text.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\""))\"" }
    let bytes = text.utf8.map { byte in
      (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\"")
        ? String(UnicodeScalar(byte)) : byte.escape
    }
    return "%\"\(bytes.joined())\""
  }
}

extension Origin {
  var header: String {
    kind.rawValue + (maker.map { ";maker=\(FieldText.quoted(Printable.clean($0)))" } ?? "")
      + (age.map { ";age=\(Int($0.inSeconds))" } ?? "")
      + (reason.map { ";reason=\(FieldText.quoted(Printable.clean("\($0)")))" } ?? "")
  }
}

extension Verdict {
  var header: String {
    kind + (reason.map { ";reason=\(FieldText.quoted(Printable.clean($0)))" } ?? "")
  }
}
