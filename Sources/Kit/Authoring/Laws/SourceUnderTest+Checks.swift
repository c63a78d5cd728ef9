import AggregatorCore
import Recordings

// The laws with checks of their own, without a hazard.
extension SourceUnderTest {
  func outcome(of law: Law) async throws -> LawOutcome {
    switch law {
    case .echoes: try await checkEchoes()
    case .limits: .unless(try await checkLimits())
    case .search: try await search()
    case .declared: .unless(try await checkStandIns())
    case .cursors: .unless(try await checkForeignCursors())
    case .cancellation: .unless(try await checkCancellation())
    // A source that ignores cancellation ignores deadlines too.
    case .deadline:
      try await checkCancellation() == nil
        ? .unless(try await checkDeadlines()) : .notApplicable("a cancelled request continues")
    case .kept: try await checkKept()
    case .roundTrip: .unless(try await checkRoundTrip())
    case .description: .unless(try await checkDescription())
    default: .notApplicable("observed in every walk")
    }
  }

  /// Walks within `bounds`, without a hazard. Throws the error that ended the walk.
  private func walk(_ opened: SourceCopy, _ bounds: Bounds) async throws -> ObservedWalk {
    let run = await ObservedWalk(over: opened, bounds: bounds)
    if let error = run.error { throw error }
    return run
  }

  // MARK: - Limits

  private func checkLimits() async throws -> String? {
    // Records that are missing without a limit are not the limit's fault.
    let all = try await walk(open(), bounds).ids.count
    for limit in Set([1, profile.paging.size < all ? profile.paging.size + 1 : all]).sorted() {
      let run = try await walk(open(), Bounds(limit: limit))
      let (ids, verdict) = (run.ids, run.verdict)
      if ids.count != min(limit, all) { return run.explaining("\(limit) were requested and \(ids.count) received") }
      let isJust = verdict == .bounded || verdict == self.verdict(under: .calm) && ids.count == all
      if !isJust {
        return run.explaining("a walk of \(ids.count) of \(all) stopped by a limit of \(limit) has the verdict \(run.ending)")
      }
    }
    let opened = try open()
    _ = try await walk(opened, Bounds(limit: 0))
    if !opened.server.requests.isEmpty { return "none were requested, but the service was asked" }
    let received = try await open().page().received
    let most = profile.paging.size
    return received > most ? "a page had \(received) rows; \(most) are declared" : nil
  }

  // MARK: - Foreign cursors, cancellations, deadlines

  private func checkForeignCursors() async throws -> String? {
    let cursor = Cursor(text: "stranger offset 1")
    for reach in [World.Reach.live, .anywhere] {
      let opened = try open(reach: reach)
      do {
        try await opened.page(PageRequest(at: cursor))
        return "a cursor of another source was accepted"
      } catch let error as SourceError where error.kind == .foreignCursor {
        if !opened.server.requests.isEmpty { return "a cursor of another source was refused only after a request" }
      } catch {
        return "a cursor of another source was answered with: \(error)"
      }
    }
    return nil
  }

  private func checkCancellation() async throws -> String? {
    for reach in [World.Reach.live, .anywhere] {
      let gate = Gate()
      let opened = try open(reach: reach, gate: gate)
      let work = Task { try await opened.page() }
      try await gate.arrivals(atLeast: 1)
      work.cancel()
      // The request may be in another task, which sees the cancellation when it next runs.
      await turns { opened.server.cancellations > 0 }
      let wasSeen = opened.server.cancellations > 0
      gate.open()
      switch await work.result {
      case .success: return "a page was returned although the task was cancelled"
      case .failure(let error) where !(error is CancellationError): return "a cancellation became another error: \(error)"
      case .failure: if !wasSeen { return "the request continued although the task was cancelled" }
      }
    }
    return nil
  }

  private func checkDeadlines() async throws -> String? {
    let asks: [(what: String, ask: @Sendable (SourceCopy) async throws -> Void)] = [
      ("a list", { try await $0.page(PageRequest()) }), ("a search", { try await $0.page(PageRequest(.matching("a"))) }),
      ("next", { try await next($0.parts) }),
    ]
    for reach in [World.Reach.live, .anywhere] {
      for (what, ask) in asks {
        let (gate, clock, hasEnded) = (Gate(), TestClock(), Gate())
        let opened = try open(reach: reach, gate: gate, clock: clock, store: StoreInMemory())
        let deadline = clock.now + .seconds(5)
        let work = Task {
          defer { hasEnded.open() }
          try await Deadline.keep(until: deadline, by: clock) { try await ask(opened) }
        }
        // If no search was recorded, the request is answered at once and never reaches the gate.
        await turns { gate.arrivals > 0 || hasEnded.isOpen }
        clock.advance(by: .seconds(6))
        await turns { hasEnded.isOpen }
        let wasLate = !hasEnded.isOpen
        gate.open()
        _ = await work.result
        if wasLate { return "\(what) continued after its deadline, while the service did not answer" }
      }
    }
    return nil
  }

  private func next<Item>(_ parts: some SourceSession<Item>) async throws {
    _ = try await NextReader(parts.live, keeping: try parts.stored, clock: parts.world.clock).next(1)
  }

  /// Lets other tasks run until something has happened. It gives up after many turns, because a source that breaks the law may never get
  /// there. No event tells that: such a source waits for the service, which waits for this check.
  private func turns(until hasHappened: () -> Bool) async {
    for _ in 0..<300_000 {
      if hasHappened() { return }
      await Task.yield()
    }
  }

  // MARK: - Searching

  private static let nonsense = "qzxjkvw qzxjkvw"

  func search() async throws -> LawOutcome {
    guard descriptor.searches != nil else { return .notApplicable("it declares no search") }
    let reaches: [World.Reach] = hasBundle ? [.live, .offline] : [.live]
    for reach in reaches {
      let examples = try await examples(in: open(reach: reach))
      if examples.isEmpty { return .failed("no record has a text in a searchable field") }
      for example in examples {
        for needle in Self.needles(for: example.text) {
          let run = await ObservedWalk(over: try open(reach: reach), .matching(needle), bounds: bounds)
          if profile.search == .native, let unmatched = run.unmatched.first {
            return .failed("no search was recorded: \(unmatched.message); record a search for a text that some rows have")
          }
          if !run.ids.contains(example.id) {
            return .failed(run.explaining("\"\(needle)\" does not find \(example.id), which contains \"\(example.text)\""))
          }
        }
      }
      let run = await ObservedWalk(over: try open(reach: reach), .matching(Self.nonsense), bounds: bounds)
      if run.verdict == nil { return .failed(run.explaining("a nonsense text is not answered")) }
      if !run.ids.isEmpty {
        return .failed("a nonsense text finds \(run.ids.count) records\(whyNothingIsKnown(of: run.requests))")
      }
    }
    return .passed
  }

  /// Searches and looks up while the service fails, so that a second source has to answer if the source has one.
  private func checkStandIns() async throws -> String? {
    let known = hasBundle ? try await open(reach: .offline).page().ids : testRows.ids
    for reach in [World.Reach.live, .anywhere] {
      for query in [Query.matching(Self.nonsense), .record(Self.nonsense)] + known.suffix(1).map(Query.record) {
        let run = await ObservedWalk(over: try open(hazard: .failsForever, reach: reach), query, bounds: bounds)
        guard let other = run.ids.first(where: { query != .record($0) }) else { continue }
        let asked = if case .record(let id) = query { "the ID \(id)" } else { "a nonsense text" }
        return run.explaining("while the service fails, \(asked) is answered with \(other)")
      }
    }
    return nil
  }

  /// Returns the reason why the stand-in does not know the service's search, with what to do. Empty if it knows
  /// the search, or if the service does not search.
  private func whyNothingIsKnown(of requests: [HTTPRequest]) -> String {
    guard profile.search == .native else { return "" }
    let guesses = ([model.list] + model.searches).compactMap(\.search)
    if let known = guesses.first(where: { $0.confidence > .weak })?.value {
      return requests.contains { RecordedCall($0)[known] != nil } ? "" : ", since no request has the text in \(known)"
    }
    let doubt = guesses.first.map { ", not even \($0)" } ?? ""
    return ", since nothing that was recorded surely carries a text\(doubt); "
      + "record a search of which every row has the text, or say how with setSearch(by:) of the model"
  }

  /// Returns the text as it is, in capitals and without marks; its words in reverse order; and all its letters in one word.
  private static func needles(for text: String) -> [String] {
    let sought = SearchText(text)
    let words = sought.words.map { String(decoding: $0, as: UTF8.self) }
    return Set([
      text, text.uppercased(), Fold.fold(text), words.reversed().joined(separator: " "),
      String(decoding: sought.whole, as: UTF8.self),
    ])
    .sorted()
  }

  /// Returns records with a text from one of their searchable fields: one text with accents and one of several words, if any exist.
  private func examples(in opened: SourceCopy) async throws -> [(id: String, text: String)] {
    let texts = try await opened.source.searchableTexts
    let marked = texts.first { !$0.text.utf8.allSatisfy { $0 < 0x80 } } ?? texts.first
    let jointed = texts.first { SearchText($0.text).words.count > 1 }
    return [marked, jointed].compactMap { $0 }
  }

  // MARK: - Records

  func checkRoundTrip() async throws -> String? {
    if let roundTripLoss = try await open().source.roundTripLoss { return roundTripLoss }
    return hasBundle ? try await open(reach: .offline).source.roundTripLoss : nil
  }

  func checkDescription() async throws -> String? {
    if descriptor.summary.isEmpty { return "the source has no summary" }
    for setting in descriptor.settings where setting.summary.isEmpty { return "the setting \(setting.name) has no summary" }
    if descriptor.searches?.isEmpty == true { return "the search does not say what it looks at" }
    return try await open().source.missingDescription(from: descriptor)
  }
}

extension DataSource {
  /// The texts in searchable fields on the first page, each with the ID of its record.
  fileprivate var searchableTexts: [(id: String, text: String)] {
    get async throws {
      let fields = schema.fields.filter { $0.outline.isSearchable }
      return try await page(PageRequest()).items.flatMap { item in
        fields.compactMap { $0.value(item).text }.filter { !$0.isEmpty }.map { (item.id, $0) }
      }
    }
  }

  /// The change in a record that is written and read again; nil if every record stays the same.
  fileprivate var roundTripLoss: String? {
    get async throws { try await page(PageRequest()).items.lazy.compactMap { schema.roundTripLoss(of: $0) }.first }
  }

  /// Returns a complaint if the pages lack a description, or differ from the descriptor; nil if they agree.
  fileprivate func missingDescription(from descriptor: SourceDescriptor) async throws -> String? {
    let fields = schema.outline
    if fields != descriptor.fields { return "its pages have other fields than it declares" }
    if fields.contains(where: \.name.isEmpty) { return "a field has no name" }
    if Set(fields.map(\.name)).count < fields.count { return "two fields have the same name" }
    if !fields.contains(where: { $0.role == .title || $0.name == "name" }) { return "no field is the record's title" }
    if fields.count(where: { $0.role == .title }) > 1 { return "two fields are the title" }
    if descriptor.searches != nil, !fields.contains(where: \.isFound) {
      return "it declares a search, but no field is searchable"
    }
    if descriptor.searches == nil, fields.contains(where: \.isSearchable) {
      return "fields are searchable, but it declares no search"
    }
    for item in try await page(PageRequest()).items {
      if item.id.isEmpty { return "a record has no ID" }
      let shown = schema.value(of: item).value(at: schema.idPath.names[...])
      if shown != .text(item.id), shown != Int(item.id).map({ .int($0) }) {
        return "\(schema.idPath) does not show the ID \(item.id); name the field that does: Schema(fields, id: …)"
      }
    }
    return nil
  }
}

extension Schema {
  fileprivate func roundTripLoss(of item: Item) -> String? {
    let copy: Item
    do {
      copy = try read(JSON(value(of: item).bytes))
    } catch {
      return "\(item.id) cannot be read back from its own fields: \(error)"
    }
    if identity(item.id) != item.id || !answers(item, to: item.id) { return "\(item.id) is not found by its own ID" }
    if copy.id != item.id { return "\(item.id) comes back from its own fields as \(copy.id)" }
    let changed = (fields + searchOnly).filter { $0.value(copy) != $0.value(item) }.map { $0.name }
    return changed.isEmpty ? nil : "\(item.id) comes back from its own fields with another \(changed.joined(separator: ", "))"
  }
}
