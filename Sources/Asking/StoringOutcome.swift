public import AggregatorCore

/// What came of storing many records, by a sync or out of a file.
public struct StoringOutcome: Fielded, Sendable {
  public let source: String
  public let received: Int
  /// Those that are new in the store.
  public let kept: Int
  public let updated: Int
  /// Those that were there already: of a sync as they came, of an import as they were, since the first one stays.
  public let duplicates: Int
  public let skipped: Int
  /// Those that a person has deleted: they stay so.
  public internal(set) var deleted = 0
  public let requests: Int
  public var verdict: Verdict
  /// How the list changed while it was read; nil where nothing shows that it did.
  public internal(set) var change: String?
  /// How many the service no longer has.
  public internal(set) var gone = 0
  /// How many there are in the store; nil where only those that were received count.
  public internal(set) var stored: Int?
  /// Whether it goes on there the next time.
  public internal(set) var isUnfinished = false
  /// What stopped it before its end, or why nothing came of it.
  public internal(set) var error: SourceError?
  public internal(set) var notices: [Notice] = []
  /// What was required and does not hold, for a person.
  public internal(set) var unmet: [String] = []

  public static let fields = head + tail
  /// A sync also tells what is gone.
  public static let fieldsOfSync = head + [Field<StoringOutcome>("gone", width: .whole) { $0.gone }] + tail

  private static let head = [
    Field<StoringOutcome>("source", .title, width: .whole) { $0.source },
    Field<StoringOutcome>("received", width: .whole) { $0.received },
    Field<StoringOutcome>("kept", width: .whole) { $0.kept },
    Field<StoringOutcome>("updated", width: .whole) { $0.updated },
    // Deleted records count as duplicates, so that the numbers add up.
    Field<StoringOutcome>("duplicates", width: .whole) { $0.duplicates + $0.deleted },
    Field<StoringOutcome>("skipped", width: .whole) { $0.skipped },
  ]
  private static let tail = [
    Field<StoringOutcome>("requests", width: .whole) { $0.requests },
    Field<StoringOutcome>("verdict", .badge) { VerdictPart(verdict: $0.verdict, change: $0.change) },
  ]

  /// `received 100000 users: 99000 new, 1000 already stored`.
  public var sentence: String {
    let known = stored == nil ? "already stored" : "unchanged"
    let parts = [
      (kept, "new"), (updated, "updated"), (duplicates, known), (deleted, "still deleted"), (skipped, "skipped"),
      (gone, "no longer at the service"),
    ].filter { $0.0 > 0 }
    let isUpToDate = verdict == .complete && (stored ?? 0) > 0 && parts.allSatisfy { $0.1 == known }
    let asked = requests > 0 ? " (\(requests) request\(requests == 1 ? "" : "s"))" : ""
    let head =
      isUpToDate ? "up to date: \(stored ?? received) \(source)" : "received \(received == 1 ? "1 record of" : "\(received)") \(source)"
    let counts = isUpToDate || parts.isEmpty ? "" : ": " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return head + counts + asked + end
  }

  private var end: String {
    switch verdict {
    case .complete: change.map { "; \($0)" } ?? ""
    case .bounded: "; stopped before the end"
    case .partial(let shortfall): "; incomplete: \(shortfall.sentence)"
    case .unverifiable: "; the service does not say whether this is everything"
    }
  }
}

/// The verdict as JSON carries it.
private struct VerdictPart: Part {
  public var verdict: Verdict
  public internal(set) var change: String?

  static let fields = [
    Field<VerdictPart>("kind") { $0.verdict.kind },
    Field<VerdictPart>("reason") { $0.verdict.reason ?? ($0.verdict == .complete ? $0.change : nil) },
  ]
}
