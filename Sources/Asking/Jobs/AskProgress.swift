public import AggregatorCore

/// The progress of an ask, counted from the events on the way to its answer.
public struct AskProgress: Sendable, Hashable {
  /// The number of rows that came, those of earlier runs included.
  public private(set) var rows = 0
  /// The number of rows of earlier runs, which this one continues.
  public private(set) var earlier = 0
  /// The number of rows that the service announces; nil if it has not announced one.
  public private(set) var total: Int?
  /// The number of requests that were sent, with retries and redirects.
  public private(set) var requests = 0
  /// The wait for the next page.
  public private(set) var waiting: Waiting

  /// The progress of an ask that begins at `start` and continues after the rows of earlier runs.
  public init(after earlier: Int = 0, at start: Moment) {
    waiting = Waiting(since: start)
    begin(after: earlier)
  }

  /// Counts from the rows of earlier runs, once their number is known.
  public mutating func begin(after earlier: Int) { (rows, self.earlier) = (earlier, earlier) }

  /// Counts an event.
  public mutating func note(_ event: Event, at now: Moment) {
    waiting = waiting.hearing(event, at: now)
    switch event {
    case .requestSent: requests += 1
    case .pageRead(_, let rows, let total, _):
      self.rows = self.rows.adding(rows)
      // A service may announce any number; a negative total is ignored.
      self.total = total.flatMap { $0 >= 0 ? $0 : nil } ?? self.total
    default: break
    }
  }
}

/// A progress in JSON, with the seconds until the next request if that has to wait.
struct ProgressPart: Part {
  var rows = 0
  var total: Int?
  var requests = 0
  var wait: Int?
  var reason: String?

  init() {}

  init(_ progress: AskProgress, at now: Moment) {
    (rows, total, requests) = (progress.rows, progress.total, progress.requests)
    guard let until = progress.waiting.until, until > now else { return }
    let (seconds, rest) = (until - now).components
    (wait, reason) = (Int(seconds).adding(rest > 0 ? 1 : 0), progress.waiting.reason)
  }

  static let fields: [Field<ProgressPart>] = [
    Field("rows", \.rows), Field("total", \.total), Field("requests", \.requests), Field("wait", \.wait),
    Field("reason", \.reason),
  ]
}
