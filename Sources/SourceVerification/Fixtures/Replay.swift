public import AggregatorCore
import Synchronization

/// Answers from recordings, strictly: each recorded answer is given once, to the very request that it answered.
///
/// ```swift
/// let replay = Replay(try Fixture(contentsOf: "Fixtures/spider.har"))
/// let world = World(replaying: replay, settings: settings)
/// ```
///
/// The same request recorded several times gives its answers in the recorded order: 429, then 200. A request that was never
/// recorded, or was recorded fewer times, fails with an error of kind ``unmatched`` that shows what came nearest and how to
/// record it. It is never answered from elsewhere: nothing retries it, and nothing falls back from it.
public final class Replay: Transport {
  /// The kind of error for a request that the recordings cannot answer.
  public static let unmatched = SourceError.Kind.custom("unmatched")

  /// One recorded exchange and the recording that it is from.
  public struct Entry: Sendable, Hashable {
    public let fixture: String
    public let exchange: Exchange
  }

  /// Requests that were not recorded, and recorded requests that never came.
  public struct Report: Sendable, Hashable {
    public var unmatched: [SourceError]
    public var unused: [Entry]

    /// Whether every request was answered and every answer was asked for.
    public var isClean: Bool { unmatched.isEmpty && unused.isEmpty }
  }

  /// The recordings' own time.
  public let clock: ReplayTime
  private let entries: [Entry]
  private let secrets: [Secret]
  private let repeatsLast: Bool

  /// The value of a query item in the first recorded request that has it.
  public func value(ofItem name: String) -> String? {
    for entry in entries {
      if let item = entry.exchange.request.address.queryItems.first(where: { $0.name == name }) { return item.value }
    }
    return nil
  }

  private struct State: Sendable {
    var isUsed: [Bool]
    var unmatched: [SourceError] = []
    var indices: [ReplayRequest.Mask: [Likeness: [Int]]] = [:]
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - secrets: What was taken out of the recordings beside what requests mark as secret.
  ///   - repeatsLast: Whether the last recorded answer to a request serves again and again once the others were given.
  public init(_ fixtures: [Fixture], hiding secrets: [Secret] = [], repeatsLast: Bool = false) {
    entries = fixtures.flatMap { fixture in fixture.exchanges.map { Entry(fixture: fixture.name, exchange: $0) } }
    self.secrets = secrets
    self.repeatsLast = repeatsLast
    clock = ReplayTime(from: entries.map(\.exchange.startedAt).min() ?? Moment(secondsSinceEpoch: 0))
    state = Mutex(State(isUsed: entries.map { _ in false }))
  }

  public convenience init(_ fixture: Fixture, hiding secrets: [Secret] = [], repeatsLast: Bool = false) {
    self.init([fixture], hiding: secrets, repeatsLast: repeatsLast)
  }

  /// Requests that were not recorded so far, and recorded requests that have not come yet.
  public var report: Report {
    state.withLock { state in
      Report(unmatched: state.unmatched, unused: zip(entries, state.isUsed).filter { !$0.1 }.map(\.0))
    }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let exchange = try take(request)
    clock.move(to: exchange.startedAt)
    clock.move(to: exchange.startedAt + exchange.took)
    if let failure = exchange.failure { throw failure }
    guard exchange.response.body.count <= request.limits.bodyBytes else {
      throw SourceError(.malformed, "the response is larger than \(request.limits.bodyBytes) bytes")
    }
    return exchange.response
  }

  /// The recorded exchange that answers `request`, used up by this.
  package func take(_ request: HTTPRequest) throws -> Exchange {
    let question = ReplayRequest(request, hiding: secrets)
    return try state.withLock { state in
      let index = state.indices[question.mask] ?? question.index(of: entries)
      state.indices[question.mask] = index
      let found = index[question.likeness] ?? []
      if let index = found.first(where: { !state.isUsed[$0] }) ?? (repeatsLast ? found.last : nil) {
        state.isUsed[index] = true
        return entries[index].exchange
      }
      if TaskTerms.current.isTentative, found.isEmpty { throw SourceError(.notRecorded, "this was not recorded") }
      let error = question.unmatched(by: entries, recorded: found.count)
      state.unmatched.append(error)
      throw error
    }
  }
}

extension Replay.Entry: CustomStringConvertible {
  /// `GET https://example.com/ports?limit=2 (2026-01-02T03:04:05.000Z, ports.har)`, without secrets.
  public var description: String {
    let address = Scrubber(recording: []).scrub(exchange.request.address, hiding: SecretNames())
    return "\(exchange.request.method) \(address) (\(exchange.startedAt.iso), \(fixture))"
  }
}

/// The time of a recording: each answer that is given moves it to when that answer came, and a sleep is over at once.
///
/// It never goes back, so that two runs over the same recording see the same times. It is no clock to race against: a
/// deadline is looked at between requests.
public final class ReplayTime: Timekeeper {
  private let moment: Mutex<Moment>

  public init(from start: Moment) { moment = Mutex(start) }

  public var now: Moment { moment.withLock { $0 } }
  public var leaps: Bool { true }

  public func sleep(until moment: Moment) async throws {
    try Task.checkCancellation()
    move(to: moment)
  }

  func move(to later: Moment) { moment.withLock { $0 = max($0, later) } }
}

extension World {
  /// A world that consists of recordings: their answers, their time, and the same chance in every run.
  ///
  /// Nothing of this machine is read or written: budgets, hosts and kept answers begin empty.
  public init(replaying replay: Replay, settings: Settings) {
    self.init(settings: settings, transport: replay)
    reach = .replay
    clock = replay.clock
    dice = SeededDice(seed: 0)
  }
}

extension SourceDescriptor {
  /// The source over recordings, with a placeholder for each of its keys.
  ///
  /// - Parameter values: Settings that differ from their defaults: a base URL other than the usual one, where it was recorded there.
  public func source(replaying replay: Replay, _ values: [String: String] = [:]) throws -> any DataSource {
    let keys = settings.filter(\.isSecret).map { ($0.name, Scrubber.placeholder) }
    let settings = Settings(declared: settings, flags: values, environment: Dictionary(keys) { first, _ in first })
    return try source(in: World(replaying: replay, settings: settings))
  }
}
