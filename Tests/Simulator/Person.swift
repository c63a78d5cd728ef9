import AggregatorCore
import Recordings
import Services
import Synchronization

/// A question of a person to the source.
enum Verb: CustomStringConvertible {
  case sync(full: Bool)
  case list
  case search(String)
  case next(Int)
  case audit(seed: Int)

  var description: String {
    switch self {
    case .sync(let isFull): isFull ? "sync --full" : "sync"
    case .list: "list"
    case .search(let text): "search \(text)"
    case .next(let count): "next \(count)"
    case .audit: "audit"
    }
  }
}

/// The result of a verb.
struct Report {
  enum Result {
    case synced(SyncOutcome)
    case listed([LooseRecord], Summary)
    case taken([LooseRecord], Summary)
    case audited(Audit)
    case failed(any Error)
  }

  let verb: Verb
  let result: Result
  /// The changes of the list between which it ran.
  let ticks: ClosedRange<Int>
  let ended: Moment
  let deadline: Moment?
  let life: Life

  var verdict: Verdict? {
    switch result {
    case .synced(let outcome): outcome.verdict
    case .listed(_, let summary), .taken(_, let summary): summary.verdict
    case .audited, .failed: nil
    }
  }
}

extension Report: CustomStringConvertible {
  var description: String {
    let told =
      switch result {
      case .synced(let outcome): "\(outcome.verdict.stored), \(outcome.state.counts.received) rows, \(outcome.state.counts.gone) gone"
      case .listed(let items, let summary), .taken(let items, let summary):
        "\(summary.verdict?.stored ?? "no verdict") from \(summary.origin?.kind.rawValue ?? "nowhere"): \(items.map(\.id).joined(separator: " "))"
      case .audited(let audit): "\(audit.missingIDs) missing, \(audit.ghostIDs) ghosts"
      case .failed(let error): "failed: \(error)"
      }
    return "\(verb)\(life.isDead ? ", killed at step \(life.steps)" : "") at changes \(ticks): \(told)"
  }
}

/// A process that a person starts: its store, network and clock end when it is killed.
struct Process {
  let life: Life
  let clock: ProcessClock
  let source: any SourceSession<LooseRecord>

  /// Carries out a verb. `begun` is told the number of a sync.
  func run(
    _ verb: Verb, until deadline: Duration?, of service: Service, begun: @escaping @Sendable (Int, _ at: Int) -> Void
  ) async -> Report {
    let start = service.tick
    let due = deadline.map { clock.now + $0 }
    let result: Report.Result
    do {
      result = try await Deadline.keep(until: due, by: clock) { try await self.result(of: verb) { begun($0, start) } }
    } catch {
      result = .failed(error)
    }
    return Report(
      verb: verb, result: life.isDead ? .failed(Life.Killed()) : result, ticks: start...service.tick, ended: clock.now, deadline: due,
      life: life)
  }

  private func result(of verb: Verb, begun: @escaping @Sendable (Int) -> Void) async throws -> Report.Result {
    switch verb {
    case .sync(let isFull):
      let syncing = Syncing(source.live, into: try source.stored, clock: clock)
      return .synced(try await syncing.run(.init(full: isFull), beginning: { begun($0.number) }))
    case .list: return try await walk(.everything)
    case .search(let text): return try await walk(.matching(text))
    case .next(let count):
      let taken = try await NextReader(source.live, keeping: source.stored, clock: clock).next(count)
      return .taken(taken.items, taken.summary)
    case .audit(let seed):
      return .audited(try await Auditing(source.live, of: source.stored, seed: seed, clock: clock).run(requests: 6))
    }
  }

  private func walk(_ query: Query) async throws -> Report.Result {
    var walk = Walk(source.answering, query, bounds: Bounds(deadline: Deadline.current), clock: clock)
    var items: [LooseRecord] = []
    while let page = try await walk.nextPage() { items += page }
    return .listed(items, walk.summary)
  }
}
