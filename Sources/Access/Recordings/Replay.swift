public import AggregatorCore
import Platform
import Synchronization

/// Answers requests strictly from recordings: each recorded answer is given once, and only to the request that it answered.
///
/// ```swift
/// let replay = Replay(try Fixture(contentsOf: "Fixtures/spider.har"))
/// let source = try SourceDescriptor.heroes.source(replaying: replay)
/// ```
///
/// A request that was recorded several times gets its answers in the recorded order: 429, then 200. A request that was not recorded, or not
/// so often, fails with an error of kind ``unmatched``, which shows the nearest recorded request and how to record this one. Such a request
/// is never retried, and no fallback answers it.
public final class Replay: Transport {
  /// The kind of error for a request that the recordings cannot answer.
  public static let unmatched = SourceError.Kind.custom("unmatched")

  /// One recorded exchange, with the name of its recording.
  public struct Entry: Sendable, Hashable {
    /// The name of the recording.
    public let fixture: String
    /// The exchange.
    public let exchange: Exchange
  }

  /// Requests that were not recorded, and recorded requests that never came.
  public struct Report: Sendable, Hashable {
    /// One error for each request that was not recorded, in the order of the requests.
    public var unmatched: [SourceError]
    /// The exchanges that were never requested, in the order of the recordings.
    public var unused: [Entry]

    /// True when every request was answered and every answer was requested.
    public var isClean: Bool { unmatched.isEmpty && unused.isEmpty }
  }

  /// The recording's own time. Each answer moves it to the time when that answer came, and a sleep ends at once.
  ///
  /// It is not a clock to race against: a deadline is checked between requests.
  public let clock: TestClock
  private let entries: [Entry]
  private let secrets: [Secret]
  private let repeatsLast: Bool
  private let isAnyHost: Bool

  private struct State: Sendable {
    var isUsed: [Bool]
    var unmatched: [SourceError] = []
    /// The entries for each recorded call, by the names whose values are not compared. Most requests of a source have the same names.
    var indices: [SecretNames: [RecordedCall: [Int]]] = [:]
  }

  private let state: Mutex<State>

  /// Answers from all these recordings; `secrets` are those that were removed from them, besides those that requests mark.
  ///
  /// With `repeatsLast` the last answer to a request is given again after the others. With `isAnyHost` requests to another host than the
  /// recorded one are answered too.
  public init(
    _ fixtures: [Fixture], hiding secrets: [Secret] = [], repeatsLast: Bool = false, atAnyHost isAnyHost: Bool = false
  ) {
    entries = fixtures.flatMap { fixture in fixture.exchanges.map { Entry(fixture: fixture.name, exchange: $0) } }
    (self.secrets, self.repeatsLast, self.isAnyHost) = (secrets, repeatsLast, isAnyHost)
    clock = TestClock(at: entries.map(\.exchange.startedAt).min() ?? Moment(secondsSinceEpoch: 0), leaps: true)
    state = Mutex(State(isUsed: entries.map { _ in false }))
  }

  /// Answers from one recording; see ``init(_:hiding:repeatsLast:atAnyHost:)``.
  public convenience init(_ fixture: Fixture, hiding secrets: [Secret] = [], repeatsLast: Bool = false) {
    self.init([fixture], hiding: secrets, repeatsLast: repeatsLast)
  }

  /// Returns the value of a query item in the first recorded request that has it.
  public func value(ofItem name: String) -> String? {
    entries.lazy.flatMap(\.exchange.request.address.queryItems).first { $0.name == name }?.value
  }

  /// The requests without an answer so far, and the recorded requests that have not come yet.
  public var report: Report {
    state.withLock { state in
      Report(unmatched: state.unmatched, unused: zip(entries, state.isUsed).filter { !$0.1 }.map(\.0))
    }
  }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let exchange = try take(TapedRequest(request), hiding: SecretNames(marking: request), request.hidden)
    clock.move(to: exchange.startedAt + exchange.took)
    if let failure = exchange.failure { throw failure }
    guard exchange.response.body.count <= request.limits.bodyBytes else {
      throw SourceError(.malformed, "the response is larger than \(request.limits.bodyBytes) bytes")
    }
    return exchange.response
  }

  /// Returns the recorded exchange for `request` and uses it up; `own` are the request's secrets.
  package func take(_ request: TapedRequest, hiding names: SecretNames, _ own: [Secret] = []) throws -> Exchange {
    func call(_ request: TapedRequest, without scrubber: Scrubber) -> RecordedCall {
      RecordedCall(request, atAnyHost: isAnyHost, without: scrubber, hiding: names)
    }
    let asked = call(request, without: Scrubber(recording: secrets + own))
    return try state.withLock { state in
      let scrubber = Scrubber(recording: secrets)
      let index =
        state.indices[names]
        ?? Dictionary(grouping: entries.indices) { call(entries[$0].exchange.request, without: scrubber) }
      state.indices[names] = index
      let found = index[asked] ?? []
      if let position = found.first(where: { !state.isUsed[$0] }) ?? (repeatsLast ? found.last : nil) {
        state.isUsed[position] = true
        return entries[position].exchange
      }
      if TaskTerms.current.isTentative, found.isEmpty { throw SourceError(.notRecorded, "this was not recorded") }
      let error = unmatched(asked, in: index, state.isUsed)
      state.unmatched.append(error)
      throw error
    }
  }

  /// Returns the error with the request, the differences of the nearest one, and the command to type.
  private func unmatched(_ asked: RecordedCall, in index: [RecordedCall: [Int]], _ isUsed: [Bool]) -> SourceError {
    let what =
      switch index[asked]?.count {
      case nil: "\(asked.endpointText) was not recorded; \(nearest(to: asked, in: index, isUsed))"
      case 1: "\(asked.shown) was recorded once but requested again"
      case let count?: "\(asked.shown) was recorded \(count) times but requested again"
      }
    let path = entries.first?.fixture ?? ""
    let folder = path.contains("/") && path.hasSuffix(".har") ? Paths.folder(of: path) : "DIR"
    return SourceError(Self.unmatched, what, remedy: .give([.init("record", folder)], "to record it"))
  }

  /// Describes the nearest recorded call. Among equally near calls it prefers one that was not requested yet.
  private func nearest(to asked: RecordedCall, in index: [RecordedCall: [Int]], _ isUsed: [Bool]) -> String {
    func rank(_ recorded: RecordedCall, _ positions: [Int]) -> (Int, Int, Int) {
      (asked.distance(to: recorded), positions.contains { !isUsed[$0] } ? 0 : 1, positions[0])
    }
    let nearest = index.min { rank($0.key, $0.value) < rank($1.key, $1.value) }
    guard let (recorded, positions) = nearest else { return "the recording is empty" }
    guard recorded.address.origin == asked.address.origin else { return "nothing from \(asked.address.origin) was" }
    let differences = asked.differences(from: recorded)
    let more = differences.count > 3 ? " and \(differences.count - 3) more" : ""
    let file = entries[positions[0]].fixture.split(separator: "/").last ?? ""
    return "the closest in \(file) has " + differences.prefix(3).joined(separator: ", ") + more
  }
}

extension Replay.Entry: CustomStringConvertible {
  /// `GET https://example.com/ports?limit=2 (2026-01-02T03:04:05.000Z, ports.har)`, without secrets.
  public var description: String {
    let request = Scrubber(recording: []).scrub(exchange.request, hiding: SecretNames())
    return "\(request.method) \(request.address) (\(exchange.startedAt.iso), \(fixture))"
  }
}

extension SourceDescriptor {
  /// Returns the source over recordings: their answers and their time, a placeholder for each of its
  /// keys, and the same random numbers in every run.
  ///
  /// Nothing on this machine is read or written. Budgets, hosts and cached answers begin empty.
  ///
  /// - Parameter values: Settings that differ from their defaults, such as the base address at the time of the recording.
  public func source(replaying replay: Replay, _ values: [String: String] = [:]) throws -> any DataSource {
    try source(in: world(replaying: replay, values))
  }

  fileprivate func world(replaying replay: Replay, _ values: [String: String]) -> World {
    let keys = settings.filter(\.isSecret).map { ($0.name, Scrubber.placeholder) }
    let settings = Settings(declared: settings, flags: values, environment: Dictionary(keys) { first, _ in first })
    var world = World(settings: settings, transport: replay)
    (world.terms.reach, world.clock, world.dice) = (.replay, replay.clock, SeededDice(seed: 0))
    return world
  }
}

extension Source {
  /// Returns the source over recordings, as ``SourceDescriptor/source(replaying:_:)`` makes it, with the type of its records.
  public func source(replaying replay: Replay, _ values: [String: String] = [:]) throws -> any DataSource<Item> {
    try source(in: descriptor.world(replaying: replay, values))
  }
}
