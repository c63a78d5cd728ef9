import AggregatorCore
import Synchronization

/// The figures of the server, and the room for more work.
final class Traffic: Sendable {
  struct Figures: Sendable {
    /// The replies by route and status.
    var replies: [Key: Int] = [:]
    /// The replies that took at most as long as each of ``Traffic/bounds``, and their time in all.
    var within = [Int](repeating: 0, count: Traffic.bounds.count)
    var spent = Duration.zero
    var walks: [String: Int] = [:]
    var running = 0
    var streams = 0

    struct Key: Sendable, Hashable {
      let route: String
      let status: Int
    }
  }

  static let bounds: [Duration] = [1, 5, 25, 100, 500, 2_500, 10_000, 60_000].map { .milliseconds($0) }

  private let state = Mutex(Figures())
  /// The answers that are worked on, by source, and those that wait for that.
  private let work = Mutex(Work())

  private struct Work {
    var running: [String: Int] = [:]
    var waiting: [(number: Int, source: String, continuation: CheckedContinuation<Bool, Never>)] = []
    var numbers = 0

    /// The number of answers that are worked on at once, since each may have a connection to the store. One source has half of them, so
    /// that a service that is silent holds up its own answers only.
    private static let most = 24, mostOfSource = 12

    /// Begins an answer about that source, if it may begin.
    mutating func begin(_ source: String) -> Bool {
      guard running.values.reduce(0, +) < Self.most, running[source, default: 0] < Self.mostOfSource else { return false }
      running[source, default: 0] += 1
      return true
    }

    /// Ends an answer about that source, and begins the first of those that wait and may begin now.
    mutating func end(_ source: String) -> CheckedContinuation<Bool, Never>? {
      let left = running[source, default: 1] - 1
      running[source] = left > 0 ? left : nil
      for index in waiting.indices where begin(waiting[index].source) { return waiting.remove(at: index).continuation }
      return nil
    }
  }

  /// Runs `answer` when it is its turn.
  func inTurn<Answer: Sendable>(of source: String = "", _ answer: () async throws -> Answer) async throws -> Answer {
    let number = work.withLock { work in
      work.numbers += 1
      return work.numbers
    }
    let hasTurn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let begins: Bool? = work.withLock { work in
          if Task.isCancelled { return false }
          if work.begin(source) { return true }
          work.waiting.append((number, source, continuation))
          return nil
        }
        if let begins { continuation.resume(returning: begins) }
      }
    } onCancel: {
      let left = work.withLock { work in
        work.waiting.firstIndex { $0.number == number }.map { work.waiting.remove(at: $0).continuation }
      }
      left?.resume(returning: false)
    }
    guard hasTurn else { throw CancellationError() }
    defer { work.withLock { $0.end(source) }?.resume(returning: true) }
    try Task.checkCancellation()
    return try await answer()
  }

  var figures: Figures { state.withLock(\.self) }

  func note(_ route: String, _ status: Int, _ spent: Duration) {
    state.withLock { figures in
      figures.replies[Figures.Key(route: route, status: status), default: 0] += 1
      figures.spent += spent
      for (index, bound) in Self.bounds.enumerated() where spent <= bound { figures.within[index] += 1 }
    }
  }

  /// Counts a walk by its verdict.
  func note(_ verdict: Verdict?) { state.withLock { $0.walks[(verdict ?? .unverifiable).kind, default: 0] += 1 } }

  /// Makes room for a whole walk, which may be a stream too. Throws if too many run.
  func walk(of service: Service, isStream: Bool) throws -> Slot {
    try take(\.running, service.mostWalks, "walks")
    do {
      if isStream { try take(\.streams, service.mostStreams, "streams") }
    } catch {
      state.withLock { $0.running -= 1 }
      throw error
    }
    return Slot(of: self, isStream ? [\.running, \.streams] : [\.running])
  }

  /// Makes room for a stream. Throws if too many run.
  func stream(of service: Service) throws -> Slot {
    try take(\.streams, service.mostStreams, "streams")
    return Slot(of: self, [\.streams])
  }

  private func take(_ count: WritableKeyPath<Figures, Int>, _ most: Int, _ noun: String) throws {
    let isRoom = state.withLock { figures in
      guard figures[keyPath: count] < most else { return false }
      figures[keyPath: count] += 1
      return true
    }
    if !isRoom {
      throw Problem(429, "too-many", "\(most) \(noun) run already", headers: [("Retry-After", "5")])
    }
  }

  /// The room that something has until it ends.
  struct Slot: Sendable {
    private let traffic: Traffic
    private let counts: [any WritableKeyPath<Figures, Int> & Sendable]

    fileprivate init(of traffic: Traffic, _ counts: [any WritableKeyPath<Figures, Int> & Sendable]) {
      (self.traffic, self.counts) = (traffic, counts)
    }

    func end() { traffic.state.withLock { figures in for count in counts { figures[keyPath: count] -= 1 } } }
  }
}
