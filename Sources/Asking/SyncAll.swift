public import AggregatorCore

/// Totals of the sync of several sources: how many ended in each way, and counts of their records.
public struct SyncTotals: Fielded, Sendable {
  /// The way in which the sync of one source ended.
  fileprivate enum Ending {
    case complete, unverifiable, partial, failed
  }

  private var endings: [Ending] = []
  private var counts = StoringCounts()

  /// Totals before any sync has ended.
  public init() {}

  /// Adds the outcome of one source.
  public mutating func add(_ outcome: StoringOutcome) {
    endings.append(outcome.ending)
    counts += outcome.counts
  }

  /// The number of sources whose sync has ended.
  public var count: Int { endings.count }

  /// True when the sync of every source failed.
  public var isFailure: Bool { endings.allSatisfy { $0 == .failed } }

  private func count(_ ending: Ending) -> Int { endings.count { $0 == ending } }

  public static let fields: [Field<SyncTotals>] =
    [
      Field<SyncTotals>("sources") { $0.count },
      Field<SyncTotals>("complete") { $0.count(.complete) },
      Field<SyncTotals>("unverifiable") { $0.count(.unverifiable) },
      // The verdict of a failed sync is partial too, so it counts here; `failed` counts it once more.
      Field<SyncTotals>("partial") { $0.count(.partial) + $0.count(.failed) },
      Field<SyncTotals>("failed") { $0.count(.failed) },
    ] + StoringCounts.columns.map { name, count in Field<SyncTotals>(name) { $0.counts[keyPath: count] } }

  /// The totals as a sentence: `synced 12 sources: 10 complete, 1 unverifiable, 1 failed`.
  public var sentence: String { "synced \(summary)" }

  private var summary: String {
    let parts = [(Ending.complete, "complete"), (.unverifiable, "unverifiable"), (.partial, "partial"), (.failed, "failed")]
      .map { (count($0.0), $0.1) }.filter { $0.0 > 0 }
    return "\(count) sources: " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The totals for a report, with the counts of records: `12 sources: 11 complete, 1 failed; 5 new, 3 updated, 1 gone`.
  public var news: String { summary + (counts.news.isEmpty ? "" : "; ") + counts.news }
}

extension StoringOutcome {
  /// The ending under which the totals count it.
  fileprivate var ending: SyncTotals.Ending {
    switch verdict {
    case .complete: .complete
    case .unverifiable: .unverifiable
    case .bounded: .partial
    case .partial: isFailure ? .failed : .partial
    }
  }
}

/// Runs `work` for each index below `count`, all at the same time, and passes each result to `hear` as it ends. An error
/// in one does not end the others.
package func sideBySide<Outcome: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (_ index: Int) async throws -> Outcome,
  hearing hear: (_ index: Int, Result<Outcome, any Error>) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: (Int, Result<Outcome, any Error>).self) { group in
    for index in 0..<count { group.addTask { (index, await Result { try await work(index) }) } }
    for try await (index, outcome) in group { try await hear(index, outcome) }
  }
}
