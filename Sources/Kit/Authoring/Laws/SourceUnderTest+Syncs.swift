import AggregatorCore
import Recordings
import Services

// The hazards that only a sync meets: stored records must survive them, and later changes must still come.
extension SourceUnderTest {
  func outcome(ofSyncUnder hazard: Hazard) async throws -> LawOutcome {
    if isEndless { return .notApplicable("its list has no end") }
    return hazard == .emptyOnce ? try await checkEmptyList() : try await checkDateAhead()
  }

  // MARK: - A list that is empty for a moment

  private func checkEmptyList() async throws -> LawOutcome {
    // A list of ten records or fewer may really become empty at once, so it proves nothing.
    let testRows = self.testRows.ids.count > 10 ? self.testRows : try await makeRows(12)
    guard testRows.ids.count > 10 else { return .notApplicable("no additional rows could be made") }
    let opened = try open(testRows.rows, hazard: .emptyOnce)
    func check<Item>(_ source: some DataSource<Item>) async throws -> LawOutcome {
      let archive = Archive("stored", of: source.schema, in: StoreInMemory())
      let syncing = Syncing(source, into: archive, clock: opened.clock)
      guard let first = try? await syncing.run(), first.error == nil, try await archive.count == testRows.ids.count else {
        return .notApplicable("no sync was whole")
      }
      opened.server.serve([])
      let empty: SyncOutcome
      do {
        empty = try await syncing.run(.init(full: true))
      } catch is SourceError {
        // The empty answer was not accepted as the list.
        return .passed
      }
      let lost = try await testRows.ids.count - archive.count
      if lost > 0 { return .failed("one empty answer marked \(lost) of \(testRows.ids.count) records as gone") }
      return .unless(empty.verdict == .complete ? "a sync of an empty list ended complete" : nil)
    }
    return try await check(opened.source)
  }

  // MARK: - A row with a date in the future

  private func checkDateAhead() async throws -> LawOutcome {
    guard profile.tellsChanges else { return .notApplicable("it does not tell changes") }
    guard let row = testRows.rows.first, let date = row.date, let spare = testRows.spare, let path = spare.date?.path else {
      return .notApplicable("its rows have no date")
    }
    for words in ["2999" + date.text.dropFirst(4), Value.unreadableDate] {
      let rows = [row.setting(date.path, to: .text(words))] + testRows.rows.dropFirst()
      let opened = try open(rows, hazard: .dateAhead)
      let later = opened.clock.now + .seconds(200_000)
      let news = spare.setting(path, to: .text(later.written(like: date.text)))
      if let seen = try await missed(opened.source, rows, news, at: later, opened) {
        return .failed("after a row dated \(words), a later record was missed (verdict \(seen))")
      }
    }
    return .passed
  }

  /// Returns the verdict of a sync that did not bring the new record; nil if it did.
  private func missed<Item>(
    _ source: some DataSource<Item>, _ rows: [Value], _ news: Value, at later: Moment, _ opened: SourceCopy
  ) async throws -> String? {
    let archive = Archive("stored", of: source.schema, in: StoreInMemory())
    let syncing = Syncing(source, into: archive, clock: opened.clock)
    _ = try await syncing.run()
    opened.clock.advance(by: later - opened.clock.now)
    opened.server.serve(rows + [news])
    let second = try await syncing.run()
    return try await archive.history(of: testRows.spareId ?? "")?.record == nil ? second.verdict.kind : nil
  }
}

extension Moment {
  /// Returns the moment in the format of `text`, which is a date of the service.
  fileprivate func written(like text: String) -> String {
    let day = iso.prefix(10)
    let time = iso.dropFirst(11).prefix(8)
    return "\(day)\(text.dropFirst(10).prefix(1))\(time)\(text.hasSuffix("Z") ? "Z" : "")"
  }
}
