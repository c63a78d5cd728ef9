import AggregatorCore
import SourceTesting

@testable import Services

/// The list that a night gave.
struct PastNight {
  let moment: Moment
  let verdict: Verdict?
  /// The shown records by their ids.
  let records: [String: Value]
  let deleted: Set<String>
  /// The records whose sizes were not known.
  let unknown: Set<String>
  let corrections: Int
}

extension Nights {
  /// Notes what the list is now.
  mutating func notePast(_ items: [LooseRecord], _ verdict: Verdict?) {
    let records = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.value) })
    past.append(
      PastNight(
        moment: clock.now, verdict: verdict, records: records, deleted: deleted, unknown: unknown, corrections: corrections))
  }

  /// A list as of an earlier night is the list that it gave, or is said not to be known.
  mutating func checkPast() async throws {
    for _ in 0..<2 {
      guard !past.isEmpty else { return }
      try await check(past[dice.index(below: past.count)])
    }
  }

  private mutating func check(_ night: PastNight) async throws {
    let isOther = list != nil && list != description.list
    let mustBeKnown = !isOther && wholeSince.map { $0 <= night.moment } ?? false
    let archive = try await session().stored.asOf(night.moment)
    var walk = Walk(archive.records(clock: clock), clock: clock)
    var items: [LooseRecord] = []
    do {
      while let page = try await walk.nextPage() { items += page }
    } catch let error as SourceError where error.kind == .notFound {
      guard !mustBeKnown else { throw Wrong(description: "the list as of \(night.moment.iso) is not known: \(error)") }
      return
    }
    guard mustBeKnown else { throw Wrong(description: "the list as of \(night.moment.iso) is given, but cannot be known") }
    if let age = walk.summary.origin?.age, clock.now - age > night.moment {
      throw Wrong(description: "the list as of \(night.moment.iso) is as old as one of \((clock.now - age).iso)")
    }
    let found = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.value) })
    // Deletions and edits have no past.
    let unsure = deleted.union(night.deleted)
    let importedSince = Set(imported.keys).subtracting(night.records.keys)
    let (due, told) = (Set(night.records.keys).subtracting(unsure), Set(found.keys).subtracting(unsure))
    let isPartlyImported = walk.summary.verdict?.reason?.contains("imported") ?? false
    let missing = due.subtracting(told)
    guard missing.isEmpty || isPartlyImported && missing.isSubset(of: imported.keys) else {
      throw Wrong(description: "as of \(night.moment.iso) \(missing.sorted()) are missing")
    }
    let strange = told.subtracting(due)
    guard strange.isEmpty else {
      throw Wrong(description: "as of \(night.moment.iso) \(strange.sorted()) were not there; \(importedSince)")
    }
    // A description that was another one for a while has changed nothing that is stored. A correction ends an unfinished sync.
    let lacksValues = walk.summary.verdict == .unverifiable && !unknown.isEmpty
    let isExcused = night.verdict == .partial(.anotherList) || isPartlyImported || lacksValues || !night.unknown.isEmpty
    let isEnded = walk.summary.verdict?.kind == "partial" && night.verdict?.kind == "partial" && night.corrections < corrections
    guard walk.summary.verdict == night.verdict || isExcused || isEnded else {
      throw Wrong(description: "as of \(night.moment.iso) the verdict is \(walk.summary.verdict as Any), not \(night.verdict as Any)")
    }
    for id in told.subtracting(everRenamed).subtracting(imported.keys) {
      let (one, other) = (night.records[id] ?? .null, found[id] ?? .null)
      guard one["name"] == other["name"] else {
        throw Wrong(description: "as of \(night.moment.iso) the name of \(id) is \(other), not \(one)")
      }
      // Another description reads other sizes, and what was not known then is shown as it came later.
      guard !night.unknown.contains(id) else { continue }
      guard night.corrections < corrections || one["size"] == other["size"] else {
        throw Wrong(description: "as of \(night.moment.iso) the size of \(id) is \(other), not \(one)")
      }
    }
  }
}
