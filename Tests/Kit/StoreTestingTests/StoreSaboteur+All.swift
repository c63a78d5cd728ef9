import AggregatorCore
import Synchronization

@testable import StoreTesting

extension StoreSaboteur {
  /// Every saboteur: at least one for each law.
  static var all: [StoreSaboteur] { ofRecords + ofNext + ofSyncs + ofTheRest }

  private static var ofRecords: [StoreSaboteur] {
    [
      StoreSaboteur("gives an empty place an age", breaks: .empty) {
        $0.reading(census: { snapshot, kind in
          let census = try await snapshot.census(of: kind)
          return Census(
            count: census.count, newest: census.newest ?? Moment(secondsSinceEpoch: 0), hasImports: census.hasImports,
            hasOthers: census.hasOthers)
        })
      },
      StoreSaboteur("drops the NUL in a text", breaks: .bytes) {
        $0.changing(rows: { found, question, _ in
          guard question == .everything else { return }
          found.rows = found.rows.map {
            let text = String(decoding: $0.body, as: UTF8.self).replacingEach("\\u0000", with: "")
            return StoredRow(row: $0.row, body: Array(text.utf8))
          }
        })
      },
      StoreSaboteur("forgets which values did not fit", breaks: .bytes) {
        $0.changing(rows: { found, _, _ in
          found.rows = found.rows.map { row in
            let members = (try? JSON(row.body).value.members) ?? []
            guard members.last?.name == "" else { return row }
            return StoredRow(row: row.row, body: Value.object(members.dropLast()).bytes)
          }
        })
      },
      StoreSaboteur("minds no case in an id", breaks: .identity) {
        $0.reading(rows: { snapshot, kind, question, row, count in
          let found = try await snapshot.rows(of: kind, question, after: row, count: count)
          guard case .id(let id) = question, found.rows.isEmpty else { return found }
          return try await snapshot.rows(of: kind, .id(id.lowercased()), after: row, count: count)
        })
      },
      StoreSaboteur("lets the last stay where the first should", breaks: .firstStays) {
        $0.changing(batch: { if $0.rule == .firstStays { $0.rule = .lastStays } })
      },
      StoreSaboteur("lets the first stay where the last should", breaks: .lastStays) {
        $0.changing(batch: { if $0.sync == nil, $0.rule == .lastStays { $0.rule = .firstStays } })
      },
      StoreSaboteur("lets the first import stay for ever", breaks: .imports) {
        $0.changing(batch: { if case .imported = $0.rule { $0.rule = .firstStays } })
      },
      StoreSaboteur("lets an import take the place of what the service gave", breaks: .imports) {
        $0.changing(batch: { if case .imported = $0.rule, $0.rows.count == 1 { $0.rule = .lastStays } })
      },
      StoreSaboteur("counts what differs as what was there", breaks: .differing) {
        $0.onLand = { store, batch in
          var landed = try await store.land(batch)
          (landed.duplicates, landed.differing) = (landed.duplicates + landed.differing, 0)
          return landed
        }
      },
      StoreSaboteur("takes edits for records that a file brought", breaks: .edits) {
        $0.reading(census: { snapshot, kind in
          let (census, hasEdits) = (try await snapshot.census(of: kind), try await !snapshot.edits(of: kind).isEmpty)
          return Census(
            count: census.count, newest: census.newest, hasImports: census.hasImports || hasEdits, hasOthers: census.hasOthers)
        })
      },
      StoreSaboteur("finds the first of several ids alone", breaks: .edits) {
        $0.changing(rows: { found, question, _ in if case .ids = question { found.rows = Array(found.rows.prefix(1)) } })
      },
      StoreSaboteur("drops an edit of a record that has another", breaks: .edits) {
        $0.reading(edits: { Array(try await $0.edits(of: $1).prefix(1)) })
      },
      StoreSaboteur("forgets that a change ended an edit", breaks: .edits) {
        $0.onChanges = { store, kind, moment in
          try await store.changes(of: kind, since: moment).map {
            RecordChange($0.number, id: $0.id, at: $0.at, before: $0.before, after: $0.after)
          }
        }
      },
      StoreSaboteur("loses edits with the next sync", breaks: .edits) {
        $0.onLand = { store, batch in
          for row in batch.rows where batch.rule == .lastStays {
            try await store.takeBackEdits(of: String(decoding: batch.bytes[row.id], as: UTF8.self), in: batch.kind)
          }
          return try await store.land(batch)
        }
      },
      StoreSaboteur("tells what is absorbed back to front", breaks: .absorbed) {
        $0.onHistory = { store, id, kind in
          var history = try await store.history(of: id, of: kind)
          history?.absorbed.reverse()
          return history
        }
      },
      StoreSaboteur("keeps the records of a batch that it refuses", breaks: .batches) {
        $0.onLand = { store, batch in
          do {
            return try await store.land(batch)
          } catch {
            var batch = batch
            batch.sync = nil
            _ = try await store.land(batch)
            throw error
          }
        }
      },
      StoreSaboteur("gives a page of records back to front", breaks: .order) {
        $0.changing(rows: { found, _, count in if count == 3 { found.rows.reverse() } })
      },
      StoreSaboteur("finds no more rows by their places than a page has", breaks: .rowNumbers) {
        $0.changing(rows: { found, question, count in if case .rows = question { found.rows = Array(found.rows.prefix(count)) } })
      },
      StoreSaboteur("finds no text of fewer than three letters", breaks: .search) {
        $0.changing(rows: { found, question, _ in
          if case .maybeMatching(let text) = question, (1...2).contains(text.count) { found = StoredRows(rows: [], next: nil) }
        })
      },
      StoreSaboteur("minds the joints in a text", breaks: .search) {
        $0.changing(rows: { found, question, _ in
          guard case .maybeMatching(let text) = question else { return }
          let needles = text.split(separator: " ").map { Needle(String($0)) }
          found.rows.removeAll { row in !needles.allSatisfy { $0.matches(String(decoding: row.body, as: UTF8.self)) } }
        })
      },
      StoreSaboteur("reads on in what came later", breaks: .snapshots) {
        $0.onSnapshot = { store in
          TamperedSnapshot(
            snapshot: try await store.snapshot(),
            rows: { try await store.snapshot().rows(of: $1, $2, after: $3, count: $4) }, census: { try await $0.census(of: $1) })
        }
      },
      StoreSaboteur("forgets what was imported", breaks: .census) {
        $0.reading(census: { snapshot, kind in
          let census = try await snapshot.census(of: kind)
          return Census(count: census.count, newest: census.newest, hasOthers: census.hasOthers)
        })
      },
      StoreSaboteur("counts as deleted only what is stored", breaks: .census) {
        $0.reading(removals: { snapshot, kind in
          let removals = try await snapshot.removals(of: kind)
          return Removals(deleted: max(0, removals.deleted - 1), gone: removals.gone)
        })
      },
      StoreSaboteur("tells nothing of what is gone", breaks: .traces) { $0.reading(trace: { $0.gone == nil ? $0 : nil }) },
      StoreSaboteur("forgets when a record was deleted", breaks: .traces) {
        $0.reading(trace: { TracedRow($0.stored, id: $0.id, fetch: $0.fetch, gone: $0.gone, deletedAt: nil) })
      },
      StoreSaboteur("begins again when it settles", breaks: .settling) { $0.onOptimize = { try await $0.reset($1) } },
    ]
  }

  private static var ofNext: [StoreSaboteur] {
    [
      StoreSaboteur("gives what is taken back to front", breaks: .taking) {
        $0.onTake = { try await $0.take($1, of: $2).reversed() }
      },
      StoreSaboteur("keeps what is given back", breaks: .givingBack) { $0.onGiveBack = { _, _, _ in } },
      StoreSaboteur("numbers its rows before they can be seen", breaks: .landingAtOnce) { numberEarly(&$0) },
      StoreSaboteur("lands a page that another has landed", breaks: .advances) {
        $0.onLand = { store, batch in
          let landed = try await store.land(batch)
          guard landed.isOvertaken, batch.advance?.to != nil else { return landed }
          var batch = batch
          batch.advance = nil
          return try await store.land(batch)
        }
      },
      StoreSaboteur("makes no step that brings no record", breaks: .advances) {
        $0.onLand = { store, batch in
          guard batch.fetches.isEmpty, batch.advance != nil else { return try await store.land(batch) }
          return LandingResult()
        }
      },
      StoreSaboteur("tells in a snapshot how far a person has read by now", breaks: .advances) {
        $0.onSnapshot = { store in
          TamperedSnapshot(snapshot: try await store.snapshot(), position: { try await store.position(of: $1) })
        }
      },
      StoreSaboteur("leaves an ended list at its end", breaks: .resets) {
        $0.onReset = { store, kind in
          if try await store.position(of: kind).ended == nil { try await store.reset(kind) }
        }
      },
      StoreSaboteur("takes all that is kept for met", breaks: .readings) {
        $0.onMetByReading = { store, ids, kind, _ in try await kept(ids, of: kind, in: store) }
      },
    ]
  }

  private static var ofSyncs: [StoreSaboteur] {
    [
      StoreSaboteur("gives everybody the claim", breaks: .claims) { $0.onClaim = { _, _, _ in } },
      StoreSaboteur("has one claim for all parts of a sync", breaks: .claims) {
        $0.onClaim = { try await $0.claim(Claim(holder: $1.holder), of: $2) }
        $0.onRelease = { await $0.release(Claim(holder: $1.holder), of: $2) }
      },
      StoreSaboteur("minds no holder", breaks: .claims) {
        $0.onClaim = { try await $0.claim(Claim($1.part, holder: 1), of: $2) }
        $0.onRelease = { await $0.release(Claim($1.part, holder: 1), of: $2) }
      },
      StoreSaboteur("keeps the claim of who was cancelled", breaks: .claims) {
        $0.onRelease = { if !Task.isCancelled { await $0.release($1, of: $2) } }
      },
      StoreSaboteur("forgets how far changes are known", breaks: .beginnings) {
        $0.onBegin = { store, kind, moment, isFull, mark in
          var state = try await store.beginSync(of: kind, at: moment, full: isFull, mark: mark)
          if mark == nil { state.watermark = nil }
          _ = try await store.note(state, of: kind)
          return state
        }
      },
      StoreSaboteur("forgets how many rows lie before the place of a sync", breaks: .progress) {
        $0.onSync = { store, kind in
          var state = try await store.sync(of: kind)
          // Only if the place itself is known.
          if state?.cursor != nil { state?.rowsBefore = 0 }
          return state
        }
      },
      StoreSaboteur("notes a sync that was overtaken", breaks: .overtaking) {
        $0.onNote = { store, state, kind in
          var state = state
          state.number = try await store.sync(of: kind)?.number ?? 0
          return try await store.note(state, of: kind)
        }
      },
      StoreSaboteur("takes all that is kept for brought", breaks: .syncs) {
        $0.onMetBySync = { store, ids, kind, _ in try await kept(ids, of: kind, in: store) }
      },
      StoreSaboteur("counts what is deleted for what it has not brought", breaks: .unmet) {
        $0.onUnmet = { store, kind in
          let deleted = try await store.holdings().first { $0.source == kind.name && $0.kind == "deletions" }?.rows ?? 0
          return try await store.unmet(of: kind) + deleted
        }
      },
      StoreSaboteur("counts what a person imported for what it has not brought", breaks: .onlyImported) {
        $0.onUnmet = { store, kind in
          let census = try await store.snapshot().census(of: kind)
          return try await store.unmet(of: kind) + (census.hasOthers ? 0 : census.count)
        }
      },
      StoreSaboteur("takes for gone what a sync of changes did not bring", breaks: .gone) {
        $0.onNote = { store, state, kind in
          var state = state
          if state.verdict == .complete { state.isFull = true }
          return try await store.note(state, of: kind)
        }
      },
    ]
  }

  private static var ofTheRest: [StoreSaboteur] {
    [
      StoreSaboteur("has one place for every reader of changes", breaks: .notes) {
        $0.onNoteText = { store, text, note, kind in
          let readers = ["mail", "o'clock \"x\""].map { RecordNote.seen(by: $0) }
          for note in note == .shape ? [note] : readers { try await store.note(text, as: note, of: kind) }
        }
      },
      StoreSaboteur("notes a shape of the records once", breaks: .notes) {
        $0.onNoteText = { store, text, note, kind in
          if note == .shape, try await store.snapshot().storedText(kind.name(of: note)) != nil { return }
          try await store.note(text, as: note, of: kind)
        }
      },
      StoreSaboteur("remembers no record that came again", breaks: .changes) {
        $0.onChanges = { try await $0.changes(of: $1, since: $2).filter { $0.before != nil } }
      },
      StoreSaboteur("forgets the imports with everything else", breaks: .forgetting) {
        $0.onForget = { store, kind, _ in try await store.forget(kind, importedOnly: false) }
      },
      StoreSaboteur("fetches back what was deleted", breaks: .deletions) {
        $0.onLand = { store, batch in
          for row in batch.rows { try await store.restore(String(decoding: batch.bytes[row.id], as: UTF8.self), of: batch.kind) }
          return try await store.land(batch)
        }
      },
      StoreSaboteur("shows again what was shown before it was deleted", breaks: .restoring) {
        $0.onRestore = { store, id, kind in
          let wasDeleted = try await store.restore(id, of: kind)
          try await store.giveBack([id], to: kind)
          return wasDeleted
        }
      },
      StoreSaboteur("forgets a deletion of what was never kept", breaks: .histories) {
        $0.onHistory = { store, id, kind in
          let history = try await store.history(of: id, of: kind)
          return history?.record == nil ? nil : history
        }
      },
      StoreSaboteur("forgets whether an answer said that there is more", breaks: .answers) {
        $0.onAnswer = { try await $0.answer($1, step: $2).map { retold($0, more: nil, standing: $0.said.standing, of: $0.list) } }
      },
      StoreSaboteur("forgets the verdict of an answer", breaks: .answers) {
        $0.onAnswer = { try await $0.answer($1, step: $2).map { retold($0, more: $0.said.more, standing: nil, of: $0.list) } }
      },
      StoreSaboteur("forgets which list it keeps", breaks: .stamps) {
        $0.onStamp = { store, kind, stamp in try await store.stamp(kind) { _ in try stamp(nil) } }
      },
      StoreSaboteur("shows what was read by an earlier description", breaks: .outdating) {
        $0.onStamp = { store, kind, stamp in
          let stored = try await store.snapshot().storedText("\(kind.name) list").map { ListStamp(text: $0) }
          let new = try stamp(stored)
          if let stored, stored.isOutdated(by: new) { try await store.stamp(kind) { _ in ListStamp(holder: stored.holder) } }
          try await store.stamp(kind) { _ in new }
        }
      },
      StoreSaboteur("counts what was read anew as records that are there again", breaks: .outdating) {
        $0.onLand = { store, batch in
          var landed = try await store.land(batch)
          (landed.returned, landed.readAnew) = (landed.returned + landed.readAnew, 0)
          return landed
        }
      },
      StoreSaboteur("leaves answers to the key before", breaks: .holders) {
        $0.onAnswer = { store, key, step in
          try await store.answer(key, step: step).map { answer in
            let holder = answer.list?.holder == "i" ? "h" : answer.list?.holder
            return retold(
              answer, more: answer.said.more, standing: answer.said.standing, of: ListStamp(reading: answer.list?.reading, holder: holder))
          }
        }
      },
      StoreSaboteur("says of any step that it was kept", breaks: .steps) {
        $0.onKeep = { store, answer, key, step in
          _ = try await store.keep(answer, under: key, step: step)
          return true
        }
      },
      StoreSaboteur("clears nothing", breaks: .clearing) {
        $0.onClearAnswers = { try await $0.holdings().filter { $0.kind == "answers" }.reduce(0) { $0 + $1.rows } }
      },
      StoreSaboteur("tells of no deletions", breaks: .holdings) {
        $0.onHoldings = { try await $0.holdings().filter { $0.kind != "deletions" } }
      },
      StoreSaboteur("makes a keepsake each time", breaks: .keepsakes) { $0.onKeepsake = { _, _, make in make() } },
      StoreSaboteur("has one position for a source and its sample", breaks: .kinds) {
        $0.onWaiting = { store, kind, most in
          try await store.waiting(of: Archive<Port>(String(kind.name.prefix { $0 != "." }), in: store).kind, upTo: most)
        }
      },
      locked("waits for a lock however late it is") { store, wait in
        store.onLand = { store, batch in
          await wait()
          return try await store.land(batch)
        }
      },
      locked("waits for a lock to cache an answer") { store, wait in
        store.onKeep = { store, answer, key, step in
          await wait()
          return try await store.keep(answer, under: key, step: step)
        }
      },
      StoreSaboteur("shares nothing", breaks: .sharing, opening: { { StoreInMemory() } }),
    ]
  }

  /// The answer with other members.
  private static func retold(
    _ answer: CachedAnswer, more: Bool?, standing: Verdict?, of list: ListStamp?
  ) -> CachedAnswer {
    CachedAnswer(
      rows: answer.rows, faults: answer.faults,
      saying: PageStatements(
        total: answer.said.total, next: answer.said.next, more: more, paging: answer.said.paging, standing: standing),
      place: answer.place, walk: answer.walk, at: answer.at, of: list)
  }

  /// A store that can be locked. The tampering gets a function that waits until the store is unlocked.
  private static func locked(
    _ name: String, tampering tamper: @escaping @Sendable (inout TamperedStore, @escaping @Sendable () async -> Void) -> Void
  ) -> StoreSaboteur {
    let locks = Mutex(0)
    var saboteur = StoreSaboteur(name, breaks: .promptness) {
      tamper(&$0) { while locks.withLock({ $0 > 0 }) { await Task.yield() } }
    }
    saboteur.lock = { _ in
      locks.withLock { $0 = 1 }
      return { locks.withLock { $0 = 0 } }
    }
    return saboteur
  }

  /// The given ids that are stored, from any request.
  private static func kept(_ ids: [String], of kind: RecordKind, in store: StoreInMemory) async throws -> Set<String> {
    var kept: Set<String> = []
    for id in ids where try await store.history(of: id, of: kind)?.record != nil { kept.insert(id) }
    return kept
  }

  /// A store whose rows get their numbers before they become visible, and which
  /// continues after the last number shown. Rows that become visible late are missed.
  private static func numberEarly(_ tampered: inout TamperedStore) {
    final class Numbers: Sendable {
      struct State {
        var begun = 0
        var landed = 0
        var shown = 0
        var late: Set<String> = []
      }
      let state = Mutex(State())
    }
    let numbers = Numbers()
    tampered.onLand = { store, batch in
      let number = numbers.state.withLock { state in
        state.begun += 1
        return state.begun
      }
      // Every second batch takes longer than the next one, if there is a next one.
      for _ in 0..<200 where numbers.state.withLock({ number % 2 == 0 && $0.shown < number }) { await Task.yield() }
      let ids = batch.rows.map { String(decoding: batch.bytes[$0.id], as: UTF8.self) }
      numbers.state.withLock { if $0.shown > number { $0.late.formUnion(ids) } }
      let landed = try await store.land(batch)
      numbers.state.withLock { $0.landed = max($0.landed, number) }
      return landed
    }
    tampered.onTake = { store, count, kind in
      let rows = try await store.take(count, of: kind)
      let ids = try rows.map { try Port(JSON($0.body), as: .own).id }
      return numbers.state.withLock { state in
        if !rows.isEmpty { state.shown = max(state.shown, state.landed) }
        return zip(rows, ids).filter { !state.late.contains($1) }.map(\.0)
      }
    }
  }
}
