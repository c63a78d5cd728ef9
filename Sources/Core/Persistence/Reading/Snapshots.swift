import Synchronization

/// The moments that walks over kept records see: a walk's first page makes one, and its token leads the others back to it.
final class Snapshots: Sendable {
  private struct State {
    var numbers = 0
    var kept: [(number: Int, snapshot: any RecordSnapshot)] = []
  }

  /// How many are kept for walks that may go on; of unfinished ones the oldest is dropped first.
  private static let most = 8
  private let state = Mutex(State())

  /// The snapshot of that number, or a new one where none is asked for.
  func snapshot(_ number: Int?, in keeper: any RecordKeeper) async throws -> (number: Int, snapshot: any RecordSnapshot) {
    if let number {
      // In another snapshot the walk would go on over other records.
      if let known = state.withLock({ $0.kept.first { $0.number == number } }) { return known }
      throw SourceError(
        .notKept, "too many walks over stored records at once; this one was ended", remedy: "start it again")
    }
    let snapshot = try await keeper.snapshot()
    return state.withLock { state in
      state.numbers += 1
      state.kept.append((state.numbers, snapshot))
      if state.kept.count > Self.most { state.kept.removeFirst() }
      return (state.numbers, snapshot)
    }
  }

  func forget(_ number: Int) { state.withLock { $0.kept.removeAll { $0.number == number } } }
}

/// Where a walk over kept records goes on: in which snapshot, and behind which row.
struct SnapshotAnchor {
  let snapshot: Int
  let row: Int64

  var text: String { "\(snapshot).\(row)" }
}

extension SnapshotAnchor {
  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let snapshot = Int(parts[0]), let row = Int64(parts[1]) else { return nil }
    self.init(snapshot: snapshot, row: row)
  }
}
