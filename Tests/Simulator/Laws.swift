import AggregatorCore
import Recordings

/// The laws that must hold after each step, whatever happened.
extension Simulation {
  func check(_ reports: [Report]) async throws {
    let source = try process(offline: true).source
    // A reader may have come to the end of the list without giving its last record.
    if let reading, let position = try? await source.stored.position(), position.ended == .complete {
      wholes.append(reading...service.tick)
    }
    // A sync may have been killed before it told its number.
    let last = try? await source.stored.lastSync()
    if let last, begun[last.number] == nil { begun[last.number] = reports.map(\.ticks.lowerBound).min() }
    for report in reports {
      switch report.result {
      case .listed(_, let summary) where summary.verdict == .complete && summary.origin?.kind == .live: wholes.append(report.ticks)
      // A whole answer of the other service may come too late for this one, and is kept for the next.
      case .listed where has(.mirrors): wholes.append(report.ticks)
      case .synced(let outcome) where outcome.verdict == .complete:
        if let start = begun[outcome.state.number] { wholes.append(start...report.ticks.upperBound) }
      // It may have stored everything before it was killed, and another process may have begun that sync.
      case .failed where report.life.isDead:
        let start = if case .sync = report.verb { last.flatMap { begun[$0.number] } } else { Int?.none }
        wholes.append(min(report.ticks.lowerBound, start ?? .max)...report.ticks.upperBound)
      default: break
      }
    }
    for report in reports {
      try check(report)
      try checkSayings(report)
    }
    let before = Set(shown.keys)
    let (now, summary) = try await stored(source)
    try checkThinner(now)
    shown = now
    note(now, as: summary.verdict)
    try checkList(now.values, summary.verdict, "what is stored")
    try checkValues()
    try await checkLost(before.subtracting(now.keys).subtracting(deleted), reports)
    for report in reports { try await check(report, stored: summary) }
  }

  /// Looks at what is stored in the midst of what others do: a list that is whole has all records, also while a sync runs.
  func look() async throws {
    let source = try process(offline: true, atOnce: true).source
    let (records, summary) = try await stored(source)
    guard summary.verdict == .complete, !isOtherList, let sync = try await store.snapshot().sync(of: RecordKind("things")) else { return }
    note("a reader sees \(records.keys.sorted())\(sync.isRunning ? " beside sync \(sync.number)" : "")")
    guard let start = begun[sync.verdict == nil ? sync.number - 1 : sync.number], !mayMiss(start...service.tick) else { return }
    let missing = lasting(start...service.tick).subtracting(records.keys)
    if !missing.isEmpty { throw Wrong("a reader is told that the list is whole, and it lacks \(missing.sorted())") }
  }

  /// The stored list, as a walk over it gives it.
  private func stored(
    _ source: any SourceSession<LooseRecord>
  ) async throws -> (records: [String: LooseRecord], summary: Summary) {
    var walk = Walk(try source.stored.records(clock: clock), clock: clock)
    var records: [String: LooseRecord] = [:]
    do {
      while let page = try await walk.nextPage() {
        for item in page {
          guard records.updateValue(item, forKey: item.id) == nil else { throw Wrong("\(item.id) is stored twice") }
        }
      }
    } catch let error as SourceError where error.kind == .notStored { return ([:], Summary()) }
    let status = try await source.stored.status(at: store.snapshot())
    // A list of which nothing was ever stored has no verdict.
    guard status.verdict == walk.summary.verdict || status.verdict == nil && records.isEmpty else {
      throw Wrong("the status is \(status.verdict?.stored ?? "nothing"), and the list says \(walk.summary.verdict?.stored ?? "nothing")")
    }
    return (records, walk.summary)
  }

  // MARK: One answer

  /// A secret is in no text. A deadline is kept. An error in a calm has a cause.
  private func check(_ report: Report) throws {
    let told = if case .failed(let error) = report.result { "\(error)" } else { report.verdict?.reason ?? "" }
    if told.contains("-secret") { throw Wrong("the key is in \(told)") }
    if let deadline = report.deadline, report.ended > deadline + .seconds(1) {
      throw Wrong("\(report.verb) ended \(report.ended - deadline) after its deadline")
    }
    switch report.result {
    case .failed(let error) where !(error is SourceError || error is Life.Killed): throw Wrong("\(report.verb) failed as \(error)")
    case .failed:
      if case .next = report.verb, report.life.isDead { mayHaveTaken = true }
    case .taken(let items, _):
      try take(items)
    case .listed(let items, let summary): try check(items, summary, report)
    case .audited(let audit): try check(audit, report.ticks)
    case .synced: break
    }
  }

  /// A walk whose answers say that they are not everything is not complete. One that reads the list again may be, once answers say so no more.
  private func checkSayings(_ report: Report) throws {
    switch report.result {
    case .listed(let items, let summary)
    where service.saysPartial && summary.origin?.kind == .live && summary.origin?.maker == nil && summary.verdict == .complete:
      throw Wrong("\(report.verb) is complete with \(items.count) rows, and the answers said that they are not everything")
    case .synced(let outcome):
      let number = outcome.state.number
      if service.saysPartial, !has(.mirrors) { partialSyncs.insert(number) }
      guard partialSyncs.contains(number), outcome.verdict == .complete, service.saysPartial || traits.way == .token || traits.way == .link
      else { return }
      throw Wrong("sync \(number) is complete, and answers said that they are not everything")
    default: break
    }
  }

  /// No record is given twice.
  private func take(_ items: [LooseRecord]) throws {
    for item in items {
      guard given.insert(item.id).inserted else { throw Wrong("next gave \(item.id) twice") }
      guard !deleted.contains(item.id) else { throw Wrong("next gave \(item.id), which was deleted") }
      everGiven.insert(item.id)
    }
  }

  private func check(_ items: [LooseRecord], _ summary: Summary, _ report: Report) throws {
    let ids = items.map(\.id)
    guard Set(ids).count == ids.count else { throw Wrong("\(report.verb) has a record twice: \(ids)") }
    guard summary.verdict != nil else { throw Wrong("\(report.verb) ended without a verdict") }
    for item in items { try checkValue(item, 0...report.ticks.upperBound) }
    try checkList(items, summary.verdict, "\(report.verb)")
    guard summary.verdict == .complete, !isOtherList else { return }
    let needle: String? = if case .search(let text) = report.verb { text } else { nil }
    /// The wanted rows that were there all along in that time and did not come.
    func missing(_ ticks: ClosedRange<Int>) -> Set<String> {
      lasting(ticks).subtracting(ids).filter { id in
        guard let needle else { return true }
        // A name that changed meanwhile may have matched or not.
        return renamed[id] == nil && service.versions(of: id, ticks).allSatisfy { $0.shownName(in: list.list).contains(needle) }
      }
    }
    if summary.origin?.kind == .live {
      let strange = ids.filter { imported[$0] == nil && service.versions(of: $0, report.ticks).isEmpty }
      if !strange.isEmpty { throw Wrong("\(report.verb) is live, and has \(strange), which were not there") }
      // A service whose first page comes once more, and that leaves rows out, shows another list than it has.
      if report.ticks.count > 1 || has(.leavesOut), mayMiss(report.ticks) { return }
      let missing = missing(report.ticks)
      if !missing.isEmpty { throw Wrong("\(report.verb) is complete without \(missing.sorted())") }
    } else {
      // What is stored was whole at some time.
      guard wholes.contains(where: { mayMiss($0) || missing($0).isEmpty }) else { throw Wrong("\(report.verb) is complete, and never was") }
    }
  }

  private func check(_ audit: Audit, _ ticks: ClosedRange<Int>) throws {
    for id in audit.missingIDs where service.versions(of: id, ticks).isEmpty { throw Wrong("the audit misses \(id), which is not there") }
    guard ticks.count == 1 || !traits.isCounted else { return }
    for id in audit.ghostIDs where service.isListed(id, throughout: ticks) && !mayLeaveOut(id, ticks) {
      throw Wrong("the audit takes \(id) for a ghost")
    }
  }

  /// True when a walk in that time may miss rows, and cannot know it.
  private func mayMiss(_ ticks: ClosedRange<Int>) -> Bool { traits.mayDeceive || traits.mayHide(service.changes(in: ticks)) }

  /// The rows that a whole list of that time has. A row that changed its place may have been where it was not looked for.
  private func lasting(_ ticks: ClosedRange<Int>) -> Set<String> {
    let changes = service.changes(in: ticks)
    let moved = changes.compactMap { if case .move(let id) = $0 { id } else { nil } }
    return service.lasting(ticks).subtracting(deleted).subtracting(moved).filter { !mayLeaveOut($0, ticks) }
  }

  /// True when pages of that time may leave out the row, and nothing they say shows it.
  private func mayLeaveOut(_ id: String, _ ticks: ClosedRange<Int>) -> Bool {
    traits.leavesOut(Int(id) ?? 0) && traits.hidesLeftOut(during: service.changes(in: ticks))
  }

  /// A stored list has no record of another list than the one that is described, unless its verdict says so.
  private func checkList(_ records: some Sequence<LooseRecord>, _ verdict: Verdict?, _ what: String) throws {
    guard verdict != .partial(.anotherList) else { return }
    let other = Description(list: list.list == "things" ? "others" : "things").prefix
    for record in records where name(of: record).plainText.hasPrefix(other + " ") {
      throw Wrong("\(what) is \(verdict?.stored ?? "nothing"), and has \(record.id) of another list")
    }
  }

  // MARK: What is stored

  /// Every record is one that the service had, or a person's.
  private func checkValues() throws {
    for (id, record) in shown {
      guard !deleted.contains(id) else { throw Wrong("\(id) is shown, and was deleted") }
      try checkValue(record, 0...service.tick)
      if let renaming = renamed[id], renaming.isSure, service.isListed(id, throughout: renaming.tick...service.tick),
        service.versions(of: id, renaming.tick...service.tick).count == 1, name(of: record) != .text(renaming.name)
      {
        let last = service.versions(of: id, renaming.tick...service.tick)[0]
        // The name that the person replaced may have been an older one.
        guard name(of: record) == .text(last.shownName(in: list.list)) else {
          throw Wrong("\(id) is called \(name(of: record)), and a person calls it \(renaming.name)")
        }
      }
    }
  }

  private func checkValue(_ record: LooseRecord, _ ticks: ClosedRange<Int>) throws {
    let name = name(of: record)
    if let own = imported[record.id] {
      guard name == .text(own) else { throw Wrong("the imported \(record.id) is called \(name)") }
      return
    }
    if let renaming = renamed[record.id], name == .text(renaming.name) { return }
    let versions = service.versions(of: record.id, ticks).filter { !$0.isBroken }
    let version = versions.first { row in ["things", "others"].contains { name == .text(row.shownName(in: $0)) } }
    guard version != nil else { throw Wrong("\(record.id) is called \(name), and never was at the service") }
    let size = record.value["size"] ?? .null
    guard versions.contains(where: { $0.size.isSame(as: size) }) || size == .null && (hasCorrectedSize || has(.mirrors)) else {
      throw Wrong("the size of \(record.id) is \(size), not one of \(versions.map(\.size))")
    }
  }

  /// No record loses a value to another service that does not have it.
  private func checkThinner(_ now: [String: LooseRecord]) throws {
    // The records of another list, and values that were read in another way, say nothing about these.
    guard has(.mirrors), !has(.corrections) else { return }
    for (id, record) in now where record.value["size"] ?? .null == .null && imported[id] == nil {
      let versions = service.versions(of: id, 0...service.tick)
      if let before = shown[id]?.value["size"], before != .null, !versions.contains(where: { $0.size == .null }), !everDeleted.contains(id)
      {
        throw Wrong("\(id) had the size \(before), and has none since another service answered")
      }
    }
  }

  /// A record disappears only where a whole sync did not meet it.
  private func checkLost(_ lost: Set<String>, _ reports: [Report]) async throws {
    guard !lost.isEmpty, !isOtherList else { return }
    if let own = lost.first(where: { imported[$0] != nil }) { throw Wrong("the imported \(own) is lost") }
    let last = try await process(offline: true).source.stored.lastSync()
    guard let last, last.verdict == .complete || last.verdict == .unverifiable, let start = begun[last.number] else {
      throw Wrong("\(lost.sorted()) are lost, after a sync that ended \(last?.verdict?.stored ?? "not yet")")
    }
    let ticks = start...service.tick
    if mayMiss(ticks) { return }
    let wrong = lost.filter { id in
      // Who says that all others are gone says so of a row that cannot be read, too.
      let mayBeBroken = hasAcceptedGone && service.versions(of: id, ticks).contains(where: \.isBroken)
      return service.isListed(id, throughout: ticks) && !mayBeBroken && !mayLeaveOut(id, ticks)
    }
    if !wrong.isEmpty { throw Wrong("\(wrong.sorted()) count as gone, and were there all along") }
  }

  private func check(_ report: Report, stored summary: Summary) async throws {
    guard case .synced(let outcome) = report.result, outcome.verdict == .complete else { return }
    endOtherList()
    if summary.verdict == .complete, let last = try await process(offline: true).source.stored.lastSync(), last == outcome.state,
      summary.change != last.change
    {
      throw Wrong("a sync noticed that \(last.change ?? "nothing moved"), and the stored list says \(summary.reason ?? "nothing")")
    }
    let masked = shown.values.filter {
      imported[$0.id] == nil && renamed[$0.id] == nil && name(of: $0).plainText.contains(Scrubber.maskInAnswers)
    }
    if outcome.state.isFull, !masked.isEmpty, summary.misfits.fields["name"]?.records ?? 0 < masked.count {
      throw Wrong("the key is masked in \(masked.map(\.id).sorted()), and \(summary.misfits.fields) are told")
    }
    guard let start = begun[outcome.state.number] else { throw Wrong("sync \(outcome.state.number) never began") }
    let ticks = start...report.ticks.upperBound
    guard !mayMiss(ticks) else { return }
    let missing = lasting(ticks).subtracting(shown.keys)
    if !missing.isEmpty { throw Wrong("the sync is complete without \(missing.sorted())") }
    for (id, record) in shown where imported[id] == nil {
      // Another process may have stored a record just after the sync.
      let versions = service.versions(of: id, start...service.tick)
      guard !versions.isEmpty else { throw Wrong("the sync is complete, and \(id) was not in the list any more") }
      let names = versions.map { Value.text($0.shownName(in: list.list)) }
      if renamed[id] == nil, !names.contains(name(of: record)), versions.allSatisfy({ !$0.isBroken }) {
        throw Wrong("the sync is complete, and \(id) is still called \(name(of: record)), not one of \(names)")
      }
    }
    try await checkChanges(summary)
    guard has(.past), summary.verdict == .complete, imported.isEmpty else { return }
    past.append(PastList(moment: clock.now, names: shown.mapValues(name(of:)), deleted: deleted))
  }

  /// Every difference between two complete lists is a change that was noted between them.
  private func checkChanges(_ summary: Summary) async throws {
    guard summary.verdict == .complete, imported.isEmpty, !has(.corrections) else {
      told = nil
      return
    }
    let changes = try await process(offline: true).source.stored.changes(since: Moment(nanoseconds: .min))
    let names = shown.mapValues(name(of:))
    defer { told = (names, changes.map(\.number).max() ?? 0) }
    guard let told else { return }
    let noted = Set(changes.lazy.filter { $0.number > told.change }.map(\.id))
    let unsure = everDeleted.union(renamed.keys)
    for id in Set(names.keys).union(told.names.keys).subtracting(unsure).subtracting(noted) where names[id] != told.names[id] {
      throw Wrong("\(id) was \(told.names[id] as Any), is \(names[id] as Any), and no change tells it")
    }
  }

  /// A list as of an earlier moment is the list that was stored then, or is said not to be known.
  func checkPast(_ dice: SeededDice, _ archive: Archive<LooseRecord>) async throws {
    guard !past.isEmpty, !isOtherList, !has(.corrections), !has(.wrongClocks) else { return }
    let night = past[dice.index(below: past.count)]
    var walk = Walk(archive.asOf(night.moment).records(clock: clock), clock: clock)
    var names: [String: Value] = [:]
    while let page = try await walk.nextPage() { for item in page { names[item.id] = name(of: item) } }
    let unsure = deleted.union(night.deleted).union(renamed.keys).union(imported.keys)
    for id in Set(names.keys).union(night.names.keys).subtracting(unsure) where names[id] != night.names[id] {
      throw Wrong("as of \(night.moment.iso) \(id) is \(names[id] as Any), not \(night.names[id] as Any)")
    }
  }
}

extension Value {
  /// True when both are the same value; a number that was read as one does not keep its spelling.
  fileprivate func isSame(as other: Value) -> Bool {
    let (text, otherText) = (plainText, other.plainText)
    return self == other || text == otherText || Double(text).map { $0 == Double(otherText) } ?? false
  }
}
