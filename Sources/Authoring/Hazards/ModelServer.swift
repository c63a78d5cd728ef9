public import AggregatorCore
public import Recordings
import Synchronization

/// A stand-in for a service, made from a recording: it pages as the service was seen to page, over rows of one's own, and
/// misbehaves in one way.
///
/// ```swift
/// let server = ModelServer(try ServiceModel(of: fixture), fixture: fixture, hazard: .clampedPageSize)
/// let source = try descriptor.source(in: World(settings: settings, transport: server))
/// ```
///
/// Requests for no list are answered from the recording, or fail where it has none. Time never passes by itself: what takes long moves the clock.
public final class ModelServer: Transport {
  /// The other host of a redirect.
  static let elsewhere = "elsewhere.example"

  /// More requests than any honest walk over the rows sends: beyond them the server stops answering.
  private let mostRequests: Int
  let model: ServiceModel
  let hazard: Hazard
  private let replay: Replay
  private let clock: TestClock
  private let gate: Gate?
  private let nextItem: HTTPResponse.Header?
  private let state: Mutex<State>

  private struct State: Sendable {
    var served: ServerRows
    var requests: [HTTPRequest] = []
    var turns = 0
    var answered = 0
    var cancellations = 0
  }

  /// Serves `rows`, or those that were recorded; `spare` is the row that turns up during a walk.
  ///
  /// With a `gate` every list request waits there: to see what becomes of it when it is cancelled. Every address of a next page holds
  /// `nextItem` too, where there is one.
  public init(
    _ model: ServiceModel, fixture: Fixture, rows: [Value]? = nil, spare: Value? = nil, hazard: Hazard = .calm,
    clock: TestClock = .leaping, gate: Gate? = nil, nextItem: HTTPResponse.Header? = nil
  ) {
    (self.model, self.hazard, self.nextItem) = (model, hazard, nextItem)
    (self.clock, self.gate) = (clock, gate)
    replay = Replay([fixture], repeatsLast: true, atAnyHost: true)
    let served = ServerRows(rows ?? model.list.rows, spare: spare, pageSize: model.list.longestPage, under: hazard)
    mostRequests = 40 + 8 * served.rows.count
    state = Mutex(State(served: served))
  }

  /// What was asked so far, in order.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// From now on the list holds these rows.
  func serve(_ rows: [Value]) {
    state.withLock { $0.served = ServerRows(rows, spare: nil, pageSize: model.list.longestPage, under: hazard) }
  }

  /// The rows that were taken out, by their number among those that are served.
  var removed: [Int] { state.withLock { $0.served.removed.map(\.serial) } }

  /// How many requests ended by a cancellation.
  public var cancellations: Int { state.withLock { $0.cancellations } }

  /// An error for each request that the recording has no answer to: it says which, and what comes nearest.
  public var unmatched: [SourceError] { replay.report.unmatched }

  /// Whether more was asked than any honest walk asks.
  var isAskedTooMuch: Bool { state.withLock { $0.requests.count > mostRequests } }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let call = Call(request)
    let asked = model.list(answering: call)
    let turn = state.withLock { state in
      state.requests.append(request)
      if asked != nil { state.turns += 1 }
      return state.turns - 1
    }
    if isAskedTooMuch { throw SourceError(.custom("endless"), "more than \(mostRequests) requests were sent for a short list") }
    guard let (list, call) = asked else {
      do {
        return try await replay.send(request)
      } catch var error as SourceError where error.kind == Replay.unmatched {
        error.remedy = "record it, or say that the list has pages there: ServiceModel(of: fixture, at: …)"
        throw error
      }
    }
    try await hold()
    return try answer(request, call, list, turn)
  }

  private func hold() async throws {
    guard let gate else { return }
    try await withTaskCancellationHandler {
      try await gate.pass()
    } onCancel: {
      state.withLock { $0.cancellations += 1 }
    }
  }

  private func answer(_ request: HTTPRequest, _ call: Call, _ list: ListModel, _ turn: Int) throws -> HTTPResponse {
    let asked = state.withLock { ModelRequest(call, of: list, from: $0.served, under: hazard, nextItem) }
    return try hazard.response(turn: turn, asked: asked, to: request, clock: clock) {
      state.withLock { state in
        defer {
          state.answered += 1
          // A list without an order has none the next time, either.
          if state.answered == 1 || hazard == .rowsReordered { state.served.change(under: hazard, behind: asked.end) }
        }
        return asked.response(from: state.served)
      }
    }
  }
}

extension ServiceModel {
  /// The list that a request asks for, and the request as that list reads it.
  func list(answering call: Call) -> (list: ListModel, call: Call)? {
    let matching = ([list] + searches).compactMap { list in list.reading(call).map { (list: list, call: $0) } }
    return matching.first { list, call in list.search.map { call[$0.value] != nil } ?? false } ?? matching.first
  }
}

/// The rows that a stand-in serves, as they change during a walk.
struct ServerRows: Sendable {
  struct Row: Sendable {
    /// What tokens are made of: a cursor stays with its row when rows before it come and go.
    let serial: Int
    let value: Value
  }

  private(set) var rows: [Row]
  /// How many rows the service gives when the request names no number.
  let pageSize: Int
  /// How many rows there are, as the service announces it.
  private(set) var total: Int
  /// The rows that were taken out.
  private(set) var removed: [Row] = []
  private let spare: Value?

  /// What no source can read as a row.
  static let broken: [Value] = [.null, .object([]), .text("broken")]

  init(_ values: [Value], spare: Value?, pageSize: Int, under hazard: Hazard) {
    var values = values
    total = values.count
    self.spare = spare
    self.pageSize = max(1, pageSize)
    switch hazard {
    case .duplicateIds where !values.isEmpty:
      // Beside its twin, and again where the next page begins.
      let twin = values[0]
      values.insert(twin, at: 1)
      values.insert(twin, at: min(values.count, self.pageSize + 1))
    case .badRows:
      for (index, row) in Self.broken.enumerated() { values.insert(row, at: min(values.count, 1 + index * (values.count / 2))) }
      total = values.count
    case .totalTooHigh: total += 5
    // Not where a page ends, looking back or not: there it looks like a correct answer.
    case .totalTooLow: total = max(0, min(total, self.pageSize) - 1)
    default: break
    }
    rows = values.enumerated().map { Row(serial: $0.offset, value: $0.element) }
  }

  /// What happens to the list once its first page was given, which ended before the row at `end`.
  mutating func change(under hazard: Hazard, behind end: Int) {
    switch hazard {
    case .rowInserted: if let spare { insert(Row(serial: -1, value: spare), at: 0) }
    case .rowDeleted, .totalFallsOverRuns: remove(at: 0)
    case .rowDeletedAtBoundary: remove(at: end - 1)
    case .rowDeletedBehind: remove(at: end)
    case .rowReplaced:
      guard let spare else { return }
      remove(at: 0)
      insert(Row(serial: rows.count + 1, value: spare), at: rows.count)
    case .rowsReordered: rows.reverse()
    default: break
    }
  }

  private mutating func insert(_ row: Row, at index: Int) {
    rows.insert(row, at: index)
    total += 1
  }

  private mutating func remove(at index: Int) {
    guard rows.indices.contains(index) else { return }
    removed.append(rows.remove(at: index))
    total -= 1
  }
}
