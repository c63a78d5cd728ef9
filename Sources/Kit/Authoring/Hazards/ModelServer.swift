public import AggregatorCore
public import Recordings
import Synchronization

/// A stand-in for a service, made from a recording. It pages as the service did in the recording, serves
/// the rows it is given, and misbehaves in one way.
///
/// ```swift
/// let server = ModelServer(try ServiceModel(of: fixture), fixture: fixture, hazard: .clampedPageSize)
/// let source = try descriptor.source(in: World(settings: settings, transport: server))
/// ```
///
/// Requests for something other than a list are answered from the recording, or fail if it has no answer. Time never passes by itself; a
/// slow answer moves the clock forward.
public final class ModelServer: Transport {
  /// The other host of a redirect.
  static let elsewhere = "elsewhere.example"

  /// The most requests that an honest walk over the rows can send; after them the server stops answering.
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

  /// Serves `rows`, or the recorded rows; `spare` is the row that is inserted during a walk.
  ///
  /// With a `gate` every list request waits there, so that a test can cancel it. Every address of a next page
  /// has `nextItem` in its query, if there is one.
  public init(
    _ model: ServiceModel, fixture: Fixture, rows: [Value]? = nil, spare: Value? = nil, hazard: Hazard = .calm,
    clock: TestClock = .leaping, gate: Gate? = nil, nextItem: HTTPResponse.Header? = nil
  ) {
    (self.model, self.hazard, self.nextItem) = (model, hazard, nextItem)
    (self.clock, self.gate) = (clock, gate)
    replay = Replay([fixture], repeatsLast: true, atAnyHost: true)
    let served = ServerRows(
      rows ?? model.list.recorded.rows, spare: spare, pageSize: model.list.recorded.longestPage, under: hazard)
    mostRequests = 40 + 8 * served.rows.count
    state = Mutex(State(served: served))
  }

  /// The requests so far, in order.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  func serve(_ rows: [Value]) {
    state.withLock { $0.served = ServerRows(rows, spare: nil, pageSize: model.list.recorded.longestPage, under: hazard) }
  }

  /// The numbers of the removed rows, counted in the list as it was first served.
  var removed: [Int] { state.withLock { $0.served.removed.map(\.serial) } }

  /// The number of requests that were cancelled.
  public var cancellations: Int { state.withLock { $0.cancellations } }

  /// One error for each request without an answer in the recording; it has the request and the nearest recorded one.
  public var unmatched: [SourceError] { replay.report.unmatched }

  /// True when there were more requests than an honest walk sends.
  var isAskedTooMuch: Bool { state.withLock { $0.requests.count > mostRequests } }

  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let call = RecordedCall(request)
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

  private func answer(_ request: HTTPRequest, _ call: RecordedCall, _ list: ListModel, _ turn: Int) throws -> HTTPResponse {
    let asked = state.withLock { ModelRequest(call, of: list, from: $0.served, under: hazard, nextItem) }
    return try hazard.response(turn: turn, asked: asked, to: request, clock: clock) {
      state.withLock { state in
        defer {
          state.answered += 1
          // A list without an order is in another order each time.
          if state.answered == 1 || hazard == .rowsReordered { state.served.change(under: hazard, after: asked.end) }
        }
        return asked.response(from: state.served)
      }
    }
  }
}

extension ServiceModel {
  /// Returns the list that a request asks for, and the request in the terms of that list; nil if it asks for something else.
  func list(answering call: RecordedCall) -> (list: ListModel, call: RecordedCall)? {
    let matching = ([list] + searches).compactMap { list in list.recorded.reading(call).map { (list: list, call: $0) } }
    return matching.first { list, call in list.search.map { call[$0.value] != nil } ?? false } ?? matching.first
  }
}

/// The rows that a stand-in serves, with their changes during a walk.
struct ServerRows: Sendable {
  struct Row: Sendable {
    /// The number that tokens are made of, so that a cursor stays with its row when rows before it come and go.
    let serial: Int
    let value: Value
  }

  private(set) var rows: [Row]
  /// The number of rows on a page when the request gives no size.
  let pageSize: Int
  /// The total that the service announces.
  private(set) var total: Int
  /// The most rows on a page from now on; nil without such a limit.
  private(set) var largestPage: Int?
  private(set) var removed: [Row] = []
  private let spare: Value?

  /// Rows that no source can read.
  static let broken: [Value] = [.null, .object([]), .text("broken")]

  init(_ values: [Value], spare: Value?, pageSize: Int, under hazard: Hazard) {
    var values = values
    total = values.count
    self.spare = spare
    self.pageSize = max(1, pageSize)
    switch hazard {
    case .duplicateIds where !values.isEmpty:
      // One copy follows the original, and one starts the next page.
      let twin = values[0]
      values.insert(twin, at: 1)
      values.insert(twin, at: min(values.count, self.pageSize + 1))
    case .badRows:
      for (index, row) in Self.broken.enumerated() { values.insert(row, at: min(values.count, 1 + index * (values.count / 2))) }
      total = values.count
    case .brokenTwice where values.count > self.pageSize:
      values[self.pageSize - 1] = Self.broken[2]
      values[self.pageSize] = Self.broken[2]
    case .totalTooHigh: total += 5
    // Less than one page, with or without a look back. A total at the end of a page would look like a correct answer.
    case .totalTooLow: total = max(0, min(total, self.pageSize) - 1)
    default: break
    }
    rows = values.enumerated().map { Row(serial: $0.offset, value: $0.element) }
  }

  /// Changes the list after its first page, which ended before the row at `end`.
  mutating func change(under hazard: Hazard, after end: Int) {
    switch hazard {
    case .rowInserted: if let spare { insert(Row(serial: -1, value: spare), at: 0) }
    case .rowDeleted, .totalFallsOverRuns: remove(at: 0)
    case .rowDeletedAtBoundary: remove(at: end - 1)
    case .rowDeletedPastBoundary: remove(at: end)
    case .rowReplaced:
      guard let spare else { return }
      remove(at: 0)
      insert(Row(serial: rows.count + 1, value: spare), at: rows.count)
    case .rowsReordered: rows.reverse()
    case .pageSizeFalls: largestPage = max(1, pageSize / 2 + pageSize % 2)
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
