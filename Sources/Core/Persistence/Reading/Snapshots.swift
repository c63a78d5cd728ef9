import Synchronization

/// The moments that walks over kept records see: a walk's first page makes one, and its token leads the others back to it.
final class Snapshots: Sendable {
  private struct State {
    var numbers = 0
    var kept: [(number: Int, snapshot: any RecordSnapshot)] = []
    var ranked: [Int: RankedRows] = [:]
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
        .notStored, "too many walks over stored records at once; this one was ended", remedy: "start it again")
    }
    return add(try await keeper.snapshot())
  }

  /// Keeps a snapshot under a new number.
  func add(_ snapshot: any RecordSnapshot) -> (number: Int, snapshot: any RecordSnapshot) {
    state.withLock { state in
      state.numbers += 1
      state.kept.append((state.numbers, snapshot))
      if state.kept.count > Self.most { state.ranked[state.kept.removeFirst().number] = nil }
      return (state.numbers, snapshot)
    }
  }

  /// What a search in a snapshot found, for as long as that is kept.
  func keep(_ ranked: RankedRows, in number: Int) {
    state.withLock { state in
      if state.kept.contains(where: { $0.number == number }) { state.ranked[number] = ranked }
    }
  }

  func ranked(in number: Int) -> RankedRows? { state.withLock { $0.ranked[number] } }

  func forget(_ number: Int) {
    state.withLock { state in
      state.kept.removeAll { $0.number == number }
      state.ranked[number] = nil
    }
  }
}

/// Where a walk over kept records goes on: in which snapshot, and where there.
struct SnapshotAnchor {
  enum Place: Hashable {
    /// Behind this row.
    case row(Int64)
    /// Behind so many of the ranked rows.
    case ranked(Int)
  }

  let snapshot: Int
  let place: Place

  var text: String {
    switch place {
    case .row(let row): "\(snapshot).\(row)"
    case .ranked(let count): "\(snapshot).r\(count)"
    }
  }
}

extension SnapshotAnchor {
  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let snapshot = Int(parts[0]) else { return nil }
    if let row = Int64(parts[1]) {
      self.init(snapshot: snapshot, place: .row(row))
    } else if parts[1].hasPrefix("r"), let count = Int(parts[1].dropFirst()), count >= 0 {
      self.init(snapshot: snapshot, place: .ranked(count))
    } else {
      return nil
    }
  }
}
