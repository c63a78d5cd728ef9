import AggregatorCore
import Asking
import RecordFormats

// The answers with records of one source.

extension ToolCall {
  /// Returns an ask that stored lists answer first, unless the call says where to look. A place is looked for in what its rows came from.
  private func looking(at source: SourceDescriptor, _ ask: Ask, from place: Place? = nil) async throws -> Ask {
    if ask.cursor != nil { return ask }
    switch place?.basis {
    case .live, .kept:
      return copy(of: ask) {
        ($0.terms.reach, $0.terms.isInsistent, $0.terms.maxAge) = (.anywhere, false, World.Terms.freshAge)
      }
    case .bundled, .stored, nil:
      let isTold = [Ask.Parameter.live, .asOf].contains { words.given[$0.name] != nil }
      return isTold ? ask : try await ask.forLooking(at: source, in: world)
    }
  }

  func records(_ verb: Verb) async throws -> ToolResult {
    let source = try source()
    guard verb.isOffered(by: source) else {
      throw SourceError(.settings, "\(source.name) cannot be searched", remedy: .ask("list", "with where")).from(source.name)
    }
    let place = try place()
    var ask = try ask(verb, of: source, at: place)
    // The row before the place tells whether the list is the same.
    let before = (place?.offset ?? 0) > 0 ? 1 : 0
    (ask.offset, ask.limit) = (ask.offset - before, (ask.limit ?? Tool.mostRows) + before)
    // A live answer is cached like others, so that its parts can be proved to be all.
    let isLive = ask.terms.reach == .live
    if isLive { (ask.terms.reach, ask.terms.isInsistent) = (.anywhere, true) }
    ask = try await looking(at: source, ask, from: place)
    let opened = try source.open(ask, in: world)
    let columns = try columns(of: opened, isFull: false)
    var (records, outcome, follows) = try await read(ask, of: opened)
    if isLive, place == nil || ask.cursor != nil, outcome.summary.origin?.kind != .live {
      throw outcome.summary.origin?.reason ?? SourceError(.unavailable, "the service did not answer")
    }
    let report = try await source.report(in: world)
    var basis = Place.Basis(outcome, report)
    if case .live = place?.basis, case .kept = basis, place?.basis.goesOn(in: basis, sorted: false) == false {
      // Another answer is cached than the one that the rows came from.
      ask.terms.maxAge = .zero
      (records, outcome, follows) = try await read(ask, of: source.open(ask, in: world))
      basis = Place.Basis(outcome, report)
    }
    var result = self.result(of: outcome, report)
    (result.subject, result.total) = (source.name, outcome.summary.total)
    let moves = (place?.moves ?? 0) + (outcome.hasMoved ? 1 : 0)
    let past = ask.terms.asOf?.iso
    let question = [await opened.listIdentity, past ?? ""] + ["text", "where", "sort"].map { "\(words.given[$0] ?? [])" }
    let isLost = place?.isLost(
      after: before > 0 ? records.first?.id : nil, of: question, on: basis, sorted: !ask.order.isEmpty)
    if moves > Self.mostMoves || isLost ?? false {
      // Another part of what is cached could be lost in the same way.
      let isAnew = if case .kept = place?.basis { !source.isEndless } else { false }
      result.begin(again: rest(at: isAnew ? ["live"] : []), because: "the list changed between two calls")
      return result
    }
    result.rows = records.dropFirst(before).map { columns.value(of: $0, marking: outcome.summary.edited) }
    result.offset = ask.behind.adding(ask.offset + before)
    if follows == nil, let verdict = outcome.verdictToEnd { (result.verdict, result.reason) = (verdict, verdict.reason) }
    if result.verdict == .complete, place != nil, case .live(let name) = basis {
      // In parts, a row that comes twice does not show. It does in what was cached of all of them.
      // A token leads on from where the service stands by now, which nothing shows.
      let isBlind = ask.cursor.map { !$0.place.isCounted } ?? false
      let kept = isBlind ? nil : try? await keptSummary(of: name, ask, in: source)
      result.verdict = kept?.verdict ?? .unverifiable
      result.reason =
        kept == nil
        ? "the service was asked for one part after the other, and nothing proves that they fit together; sync does"
        : kept?.reason
      result.hasRepeats = kept?.duplicates ?? 0 > 0
    }
    let unknown = ask.fieldsAsked.filter { report.status?.unknown.contains($0) ?? false }
    if let field = unknown.first, result.origin?.kind == .cache, result.verdict == .complete {
      (result.verdict, result.reason) = (.unverifiable, "\(field) has no values yet; a full sync fetches them")
    }
    // What was cached of a walk is a part of that walk.
    if case .live(let name) = place?.basis, basis == .kept(name) { basis = .live(name) }
    result.hasRepeats = result.hasRepeats || moves > 0
    result.rest = { [ask, records, follows, basis] kept in
      let given = kept + before
      // Any row may be the last one that has room.
      let isCut = given < records.count
      guard isCut || follows != nil else { return nil }
      let place = Place(
        after: given > 0 ? records[given - 1].id : nil, of: question, on: basis,
        answer: isCut ? place?.answer : follows?.answer,
        offset: isCut ? ask.offset.adding(given) : follows?.offset ?? 0, moves: moves)
      // A time such as 1d is another one by the next call.
      return [.init("cursor", place.text)] + [past.map { .init("as-of", $0) }].compactMap(\.self)
    }
    return result
  }

  /// Reads everything that was cached of a walk, and returns its summary; nil if not all of it was.
  private func keptSummary(of walk: String, _ ask: Ask, in source: SourceDescriptor) async throws -> Summary? {
    let whole = copy(of: ask) { whole in
      (whole.cursor, whole.behind, whole.offset, whole.limit) = (nil, 0, 0, Self.mostProved)
      (whole.terms.reach, whole.terms.maxAge, whole.terms.isInsistent) = (.offline, .zero, false)
    }
    var answer = try source.open(whole, in: world).records(for: whole)
    while try await answer.nextRecords() != nil {}
    let outcome = answer.outcome
    return !walk.isEmpty && outcome.keptWalk == walk && outcome.summary.verdict != .bounded ? outcome.summary : nil
  }

  /// The greatest number of rows that are read again to prove that parts of a list are all of it.
  private static let mostProved = 5_000

  /// The number of times that a list may move while it is read in parts. One that moves each time may be one that ignores its places.
  private static let mostMoves = 4

  /// Reads the records of an ask. Also returns where the list continues; nil at its end.
  private func read(
    _ ask: Ask, of source: OpenedSource
  ) async throws -> (records: [ShownRecord], outcome: Outcome, follows: (answer: String?, offset: Int)?) {
    var answer = source.records(for: ask)
    var records: [ShownRecord] = []
    while let page = try await answer.nextRecords() { records += page }
    var outcome = answer.outcome
    if let rest = outcome.rest(of: ask) {
      func value(_ name: String) -> String? { rest.first { $0.name == name }?.value }
      return (records, outcome, (value("cursor"), value("offset").flatMap { Int($0) } ?? 0))
    }
    guard outcome.endsAtLimit(of: ask), ask.limit ?? 0 > 1 else { return (records, outcome, nil) }
    // Everything that was announced has come. The place after it tells whether the list ends there.
    let next = copy(of: ask) { ($0.offset, $0.limit) = (ask.offset.adding(ask.limit ?? 0), 1) }
    let (more, end, _) = try await read(next, of: source)
    if !more.isEmpty { return (records, outcome, (ask.cursor.map { AnswerPlace($0, in: ask).text }, next.offset)) }
    outcome.verdictToEnd = end.verdictToEnd
    return (records, outcome, nil)
  }

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
    let ask = try await looking(at: source, ask(.show, of: source))
    let opened = try source.open(ask, in: world)
    guard let ids = words.given["id"], let id = ids.first, ids.count == 1 else { throw AskError.repeated("id") }
    let columns = try columns(of: opened, isFull: true)
    let found = try await opened.show(id, ask)
    var result = self.result(of: found.outcome, try await source.report(in: world))
    result.rows = [columns.value(of: found.record, marking: found.summary.edited)]
    (result.verdict, result.reason) = (nil, nil)
    // What other records lack says nothing about this one, but fields without values do.
    result.missing = result.missing.filter { $0["kind"] == .text(MissingPart.Kind.outdated.rawValue) }
    result.beginning = "1 record of \(source.name)"
    return result
  }
}

extension Ask {
  /// The names of the fields that conditions and orders look at.
  fileprivate var fieldsAsked: [String] { (conditions.map(\.path) + order.map(\.path)).compactMap(\.names.first) }
}
