import AggregatorCore
import Synchronization

extension StoreTrial {
  func cursor(_ page: Int) throws -> Cursor {
    guard let cursor = Cursor(text: "ports page \(page)") else { throw Breach(seen: "no cursor can be made") }
    return cursor
  }

  func taking() async throws {
    try await land((1...12).map { port($0) }, 1)
    var taken: [StoredRow] = []
    for count in [0, 1, 4, 9] {
      try require(await store.waiting(of: kind, upTo: 100), is: 12 - taken.count, "how many wait")
      taken += try await store.take(count, of: kind)
    }
    try require(taken.map { try Port(JSON($0.body), as: .own).id }, is: (1...12).map(String.init), "what was taken")
    try require(await take(9), is: [], "what is taken when nothing waits")
    try await land([port(3), port(13), port(4, "Changed")], 2, rule: .lastStays)
    try require(await take(9), is: ["13"], "what is taken of records that came later")
  }

  func givingBack() async throws {
    try await land((1...8).map { port($0) }, 1)
    try require(await take(4), is: ["1", "2", "3", "4"], "what is taken first")
    try require(await take(2), is: ["5", "6"], "what is taken then")
    for _ in 1...2 { try await store.giveBack(["4", "3", "unknown"], to: kind) }
    try require(await store.waiting(of: kind, upTo: 100), is: 4, "how many wait after two were given back")
    try require(await take(3), is: ["3", "4", "7"], "what is taken then")
    try await store.giveBack(["8"], to: kind)
    try require(await take(9), is: ["8"], "what is taken of what waits, given back or not")
    try await store.giveBack(["1"], to: kind)
    try await store.reset(kind)
    try await store.giveBack(["2"], to: kind)
    try require(await store.waiting(of: kind, upTo: 100), is: 8, "how many wait after a reset")
  }

  private final class LandedPages: Sendable {
    let isDone = Mutex(false)
  }

  /// Tries batches that land at once. A store that numbers rows before they are visible,
  /// and takes those after the last number, passes some over.
  func landingAtOnce() async throws {
    let (lanes, rounds, size) = (4, 12, 3)
    let landing = LandedPages()
    let taken = try await withThrowingTaskGroup(of: [String].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          for round in 0..<rounds {
            try await land((0..<size).map { port((lane * rounds + round) * size + $0) }, round)
            await Task.yield()
          }
          return []
        }
      }
      for _ in 0..<2 {
        group.addTask {
          var taken: [String] = []
          while true {
            // Where nothing can land, this has no other end.
            try Task.checkCancellation()
            let wasDone = landing.isDone.withLock { $0 }
            let more = try await take(2)
            taken += more
            if wasDone, more.isEmpty { return taken }
            await Task.yield()
          }
        }
      }
      for _ in 0..<lanes { _ = try await group.next() }
      landing.isDone.withLock { $0 = true }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let due = (0..<lanes * rounds * size).map(String.init).sorted()
    try require(Set(taken).count, is: taken.count, "different records among those that were taken")
    try require(taken.sorted() == due, "of \(due.count) records \(taken.count) were taken")
  }

  func advances() async throws {
    let start = try await store.position(of: kind)
    let next = try cursor(2)
    let step = start.advance(to: next, passing: 2, page: .max)
    let snapshot = try await store.snapshot()
    try require(
      await land([port(1), port(2)], 1, advancing: step), is: LandingResult(new: 2), "what landed with the first step")
    let position = try await store.position(of: kind)
    try require(await snapshot.position(of: kind), is: start, "the position in a snapshot from before the step")
    try require(await store.snapshot().position(of: kind), is: position, "the position in a snapshot")
    try require(position.cursor, is: next, "the place where the list continues")
    try require(position.rowsBefore, is: 2, "how many rows lie before that")
    try require(position.passed, is: .max, "the page before it")
    try require(position.reading, is: start.reading, "the reading")
    for late in [step, start.stay(), start.end(.complete)] {
      let landed = try await land([port(3)], 2, advancing: late)
      try require(landed.isOvertaken, "a step from where the position was before is made")
      try require(landed.new == 0, "what landed with a step that was overtaken counts as new")
      try require(await ids(), is: ["1", "2"], "what is kept after it")
      try require(await store.position(of: kind), is: position, "the position after it")
    }
    try require(await land([port(3)], 3, advancing: position.stay()), is: LandingResult(new: 1), "what landed without a step")
    var alone = Batch(kind, rule: .firstStays)
    alone.advance = position.advance(to: try cursor(3), passing: 0, page: position.passed)
    try require(await store.land(alone), is: LandingResult(), "what landed with a step alone")
    let further = try await store.position(of: kind)
    try require(further.cursor, is: cursor(3), "the place after a step without a record")
    let drift = Verdict.partial(.recorded("drift: rows may be missing"))
    try require(
      await land([port(4)], 4, advancing: further.end(drift)), is: LandingResult(new: 1), "what landed with the last step")
    let end = try await store.position(of: kind)
    try require(end.ended, is: drift, "how the list has ended")
    try require(end.cursor, is: nil, "the place where an ended list continues")
  }

  func resets() async throws {
    let (start, next) = (try await store.position(of: kind), try cursor(2))
    try await land([port(1), port(2)], 1, advancing: start.advance(to: next, passing: 2))
    let before = try await store.position(of: kind)
    _ = try await take(1)
    try await store.reset(kind)
    let after = try await store.position(of: kind)
    try require(after.cursor, is: next, "the place where the list continues after a reset")
    try require(after.reading, is: before.reading, "the reading after a reset on the way")
    try require(await land([port(3)], 2, advancing: before.stay()).isOvertaken, "a step from before the reset is made")
    try require(await take(9), is: ["1", "2"], "what is taken after a reset")
    try await land([port(3)], 3, advancing: after.end(.complete))
    try await store.reset(kind)
    let again = try await store.position(of: kind)
    try require(again.ended, is: nil, "the list's end after a reset")
    try require(again.cursor, is: nil, "the place where an ended list continues after a reset")
    try require(again.reading, is: before.reading + 1, "the reading of a list that had ended")
    try require(await store.waiting(of: kind, upTo: 100), is: 3, "how many wait")
  }

  func readings() async throws {
    func met(_ reading: Int) async throws -> Set<String> {
      try await store.met(["1", "2", "3", "4", "5"], of: kind, reading: reading)
    }
    try await land([port(1), port(2)], 1)
    var position = try await store.position(of: kind)
    try await land([port(2), port(3)], 2, advancing: position.advance(to: try cursor(2), passing: 2))
    try require(await met(position.reading), is: ["2", "3"], "what the reading has met")
    position = try await store.position(of: kind)
    try await land([port(4)], 3, advancing: position.stay())
    try require(await met(position.reading), is: ["2", "3"], "what it has met after a batch without a step")
    position.reading += 1
    try require(await met(position.reading), is: [], "what the next reading has met before it began")
    try await land([port(1, "Changed"), port(5)], 4, advancing: position.advance(to: try cursor(2), passing: 2))
    try require(await store.position(of: kind).reading, is: position.reading, "the reading")
    try require(await met(position.reading), is: ["1", "5"], "what the next reading has met")
  }
}
