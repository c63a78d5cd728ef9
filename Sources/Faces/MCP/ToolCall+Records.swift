import AggregatorCore
import Asking
import RecordFormats

// The answers with records of one source.

extension ToolCall {
  func records(_ verb: Verb) async throws -> ToolResult {
    let source = try source()
    guard verb.isOffered(by: source) else {
      throw SourceError(.settings, "\(source.name) cannot be searched", remedy: .ask("list", "with where")).from(source.name)
    }
    let place = try place()
    let ask = try ask(verb, of: source, at: place)
    let past = ask.terms.asOf?.iso
    let question = [source.name, past ?? ""] + ["text", "where", "sort"].map { "\(words.given[$0] ?? [])" }
    if let place, !place.isOf(question) { return refusalOfCursor(source.name) }
    let (wanted, opened) = try await open(wanting(ask, from: place), from: place, of: source)
    let columns = try columns(of: opened, isFull: false)
    // Read before the rows: a sync that ends meanwhile is noticed by the next call.
    let report = try await source.report(in: world) { _ in opened }
    let part = try await read(wanted, from: place, of: opened)
    let (outcome, basis) = (part.outcome, ToolPlace.Basis(part.outcome, report))

    var result = self.result(of: outcome, report)
    (result.subject, result.total) = (source.name, outcome.summary.total)
    let moves = (place?.moves ?? 0) + (outcome.hasMoved ? 1 : 0)
    let identity = await opened.listIdentity
    let isLost = place?.isLost(after: part.id(before: 0), in: identity, on: basis, sorted: !ask.order.isEmpty) ?? false
    let isBrokenOff = outcome.summary.stop != nil && place?.follows(part.id(before: 0), in: identity) ?? true
    if !isLost || isBrokenOff {
      result.rows = part.records.dropFirst(part.before).map { columns.value(of: $0, marking: outcome.summary.edited) }
      result.offset = (ask.start?.rowsBefore ?? 0).adding(ask.offset)
    }
    if isLost || moves > Self.mostMoves { return lost(result, after: place, of: source, outcome, sorted: !ask.order.isEmpty) }
    result.hasRepeats = moves > 0
    try await prove(&result, by: part, from: place, on: basis, of: source, report)
    result.rest = { kept in
      guard let (start, offset) = part.next(after: kept, from: place?.start) else { return nil }
      let end = ToolPlace(
        after: part.id(before: kept), of: question, in: identity, on: basis.following(place?.basis), from: start,
        offset: offset, moves: moves)
      return end.parameters(asOf: past)
    }
    return result
  }

  /// Ends a chain of results whose list is another one now.
  private func lost(
    _ result: ToolResult, after place: ToolPlace?, of source: SourceDescriptor, _ outcome: Outcome, sorted isSorted: Bool
  ) -> ToolResult {
    // Another part of what is cached could be lost in the same way.
    let isAnew = if case .kept = place?.basis { !source.isEndless } else { false }
    let error = outcome.summary.stop ?? outcome.summary.origin?.reason
    let isLive = if case .live = place?.basis { true } else { false }
    return result.endingChain(
      beginAgain: rest(at: isAnew ? ["live"] : []),
      because: error.map { request.server.bare($0.message) } ?? (isLive && isSorted ? ToolPlace.sortedAnew : ToolPlace.changed))
  }

  /// The number of times that a list may move while it is read in parts. One that moves each time may be one that ignores its places.
  private static let mostMoves = 4

  // MARK: Reading

  /// A part of a list, as it was read.
  private struct Part: Sendable {
    let ask: Ask
    var records: [ShownRecord] = []
    /// The number of records before the place: 1, which tells whether the list is the same, or 0 at the beginning.
    var before = 0
    var outcome: Outcome
    /// The place of an answer where the list continues, and the number of rows to leave out after that; nil at its end.
    var follows: (start: ToolPlace.Start?, offset: Int)?

    /// The id of the record before the one at that index after the place.
    func id(before index: Int) -> String? { records.prefix(before + index).last?.id }

    /// The place after so many records, any of which may be the last one that has room. `start` is that of the part.
    func next(after kept: Int, from start: ToolPlace.Start?) -> (start: ToolPlace.Start?, offset: Int)? {
      guard before + kept < records.count else { return follows }
      return (start, ask.offset.adding(before + kept))
    }
  }

  /// The ask for a part of a list. It begins with the row before the place, which tells whether the list is the same.
  private func wanting(_ ask: Ask, from place: ToolPlace?) -> Ask {
    copy(of: ask) { wanted in
      let before = place?.before ?? 0
      (wanted.offset, wanted.limit) = (ask.offset - before, (ask.limit ?? Tool.mostRows) + before)
      // A live answer is cached like others, so that its parts can be proved to be all.
      if ask.terms.reach == .live { (wanted.terms.reach, wanted.terms.isInsistent) = (.anywhere, true) }
    }
  }

  /// Opens a source on terms by which stored lists answer first, unless the call says where to look. A place is looked for in what its rows
  /// came from. The ask has these terms.
  private func open(
    _ ask: Ask, from place: ToolPlace? = nil, of source: SourceDescriptor
  ) async throws -> (ask: Ask, source: OpenedSource) {
    var ask = ask
    if ask.start == nil {
      switch place?.basis {
      case .live, .kept: (ask.terms.reach, ask.terms.isInsistent, ask.terms.maxAge) = (.anywhere, false, World.Terms.freshAge)
      case .bundled, .stored, nil:
        let isTold = try Ask.Parameter.live.isSaid(in: words) || words.given[Ask.Parameter.asOf.name] != nil
        if !isTold { return try await source.openForLooking(ask, in: world) }
      }
    }
    return (ask, try source.open(ask, in: world))
  }

  /// Reads a part of a list, from what the rows before the place came from.
  private func read(_ ask: Ask, from place: ToolPlace?, of source: OpenedSource) async throws -> Part {
    var part = try await read(ask, of: source)
    let origin = part.outcome.summary.origin
    if ask.terms.isInsistent, place == nil || ask.start != nil, origin?.kind != .live {
      throw origin?.reason ?? SourceError(.unavailable, "the service did not answer")
    }
    if case .live(let name) = place?.basis, let kept = part.outcome.keptWalk, origin?.kind == .cache, kept != name {
      // Another answer is cached than the one that the rows came from.
      let anew = copy(of: ask) { $0.terms.maxAge = .zero }
      part = try await read(anew, of: source.descriptor.open(anew, in: world))
    }
    part.before = place?.before ?? 0
    return part
  }

  private func read(_ ask: Ask, of source: OpenedSource) async throws -> Part {
    var answer = source.records(for: ask)
    var records: [ShownRecord] = []
    while let page = try await answer.nextRecords() { records += page }
    var part = Part(ask: ask, records: records, outcome: answer.outcome)
    if let rest = part.outcome.rest(of: ask) {
      func value(_ name: String) -> String? { rest.first { $0.name == name }?.value }
      let thread = part.outcome.place?.cursor.threadText ?? ""
      part.follows = (
        value("cursor").map { ToolPlace.Start(answer: $0, thread: thread) }, value("offset").flatMap { Int($0) } ?? 0
      )
    } else if part.outcome.endsAtLimit(of: ask), let limit = ask.limit, limit > 1 {
      // Everything that was announced has come. The place after it tells whether the list ends there.
      let next = try await read(copy(of: ask) { ($0.offset, $0.limit) = (ask.offset.adding(limit), 1) }, of: source)
      part.outcome.verdictToEnd = next.outcome.verdictToEnd
      let start = ask.start.map { ToolPlace.Start(answer: AnswerPlace($0, in: ask).text, thread: $0.cursor.threadText ?? "") }
      part.follows = next.records.isEmpty ? nil : (start, next.ask.offset)
    }
    return part
  }

  // MARK: Verdicts

  /// Gives the last part of a list the verdict of the whole.
  private func prove(
    _ result: inout ToolResult, by part: Part, from place: ToolPlace?, on basis: ToolPlace.Basis, of source: SourceDescriptor,
    _ report: SourceReport
  ) async throws {
    if part.follows == nil, let verdict = part.outcome.verdictToEnd {
      (result.verdict, result.reason) = (verdict, verdict.reason)
    }
    guard result.verdict == .complete else { return }
    if place != nil, case .live(let name) = basis {
      // A token leads on from where the service stands by now, which nothing shows.
      let isBlind = part.ask.start.map { !$0.cursor.place.isCounted } ?? false
      let kept = isBlind ? nil : try? await keptSummary(of: name, part.ask, in: source)
      let doubt = "the service was asked for one part after the other, and nothing proves that they fit together; sync does"
      (result.verdict, result.reason) = (kept?.verdict ?? .unverifiable, kept == nil ? doubt : kept?.reason)
      result.hasRepeats = result.hasRepeats || kept?.duplicates ?? 0 > 0
    }
    let asked = (part.ask.conditions.map(\.path) + part.ask.order.map(\.path)).compactMap(\.names.first)
    let unknown = asked.first { report.status?.unknown.contains($0) ?? false }
    if let unknown, result.origin?.kind == .cache {
      (result.verdict, result.reason) = (.unverifiable, "\(unknown) has no values yet; a full sync fetches them")
    }
  }

  /// Reads everything that was cached of a walk, and returns its summary; nil if not all of it was. In parts, a row that comes twice does
  /// not show, and here it does.
  private func keptSummary(of walk: String, _ ask: Ask, in source: SourceDescriptor) async throws -> Summary? {
    let whole = copy(of: ask) { whole in
      (whole.start, whole.offset, whole.limit) = (nil, 0, Self.mostProved)
      (whole.terms.reach, whole.terms.maxAge, whole.terms.isInsistent) = (.offline, .zero, false)
    }
    var answer = try source.open(whole, in: world).records(for: whole)
    while try await answer.nextRecords() != nil {}
    let (summary, isSame) = (answer.outcome.summary, !walk.isEmpty && answer.outcome.keptWalk == walk)
    return isSame && summary.verdict != .bounded && summary.verdict != .partial(.notStored) ? summary : nil
  }

  /// The greatest number of rows that are read again to prove that parts of a list are all of it.
  private static let mostProved = 5_000

  /// The result of an answer, without its rows.
  private func result(of outcome: Outcome, _ report: SourceReport) -> ToolResult {
    var outcome = copy(of: outcome) { $0.summary = $0.summary.worded(wording) }
    // The rest is told by the call that gives it.
    outcome.notices.removeAll { ["limited", "offset-leaves-none"].contains($0.name) }
    let summary = outcome.summary
    var result = ToolResult()
    (result.verdict, result.reason, result.origin) = (summary.verdict ?? .unverifiable, summary.reason, summary.origin)
    result.notices = outcome.texts(of: report.source.name, at: now, wording)
    // Of a list that was never stored, nothing is missing from the store.
    if summary.origin?.kind != .live { result.missing = parts(missingIn: report, but: .neverAsked) }
    return result
  }

  /// The parts that a stored list lacks, each with the call that mends it.
  func parts(missingIn report: SourceReport, but other: MissingPart.Kind? = nil) -> [Value] {
    report.missing.filter { $0.kind != other }.map { part in
      .object(leavingOutNil: [
        "source": .text(report.source.name), "kind": .text(part.kind.rawValue), "count": part.count.map { .int($0) },
        "since": (part.since?.iso).map { .text($0) }, "reason": .text(request.server.bare(part.reason)),
        "remedy": part.remedy.flatMap { wording($0, report.source.name) }.map { .text($0) },
        "call": part.remedy.flatMap { call(for: $0, about: report.source.name) },
      ])
    }
  }

  func show() async throws -> ToolResult {
    let source = try source()
    let (ask, opened) = try await open(ask(.show, of: source), of: source)
    guard let ids = words.given["id"], let id = ids.first, ids.count == 1 else { throw AskError.repeated("id") }
    let columns = try columns(of: opened, isFull: true)
    let found = try await opened.show(id, ask)
    var result = self.result(of: found.outcome, try await source.report(in: world) { _ in opened })
    result.rows = [columns.value(of: found.record, marking: found.summary.edited)]
    (result.verdict, result.reason) = (nil, nil)
    // What other records lack says nothing about this one, but fields without values do.
    result.missing = result.missing.filter { $0["kind"] == .text(MissingPart.Kind.outdated.rawValue) }
    result.beginning = "1 record of \(source.name)"
    return result
  }
}
