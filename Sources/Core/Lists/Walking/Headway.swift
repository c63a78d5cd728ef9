/// The requests of a walk since it last got further. A walk without headway ends, whatever its service does.
///
/// Headway is a row that is new to the present reading of the list. A walk that has brought rows with `n` requests may send `n` and 32 more
/// without one: enough to step back over all that it has read.
package struct Headway: Sendable, Hashable {
  /// The number of requests so far, and their number when the last new row came.
  private(set) var (requests, requestsAtNews) = (0, 0)
  /// The furthest place in a list that is looked back in, and the number of pages since then whose new rows led no further.
  private var (furthest, detours) = (0, 0)

  /// The last page since the last new row, and true if it was not always the same one.
  private var (idlePage, hasVariousPages): (UInt64?, Bool) = (nil, false)

  /// The requests without a new row beyond those that brought some.
  private static let grace = 32
  /// The pages that may bring new rows and lead no further, as those of a list in which every row is replaced again and again.
  private static let mostDetours = 1_000

  package init() {}

  /// The headway of a walk that another one began.
  init(resuming idle: RowContext.Idle) { (requests, requestsAtNews) = (idle.requests.adding(idle.useful), idle.useful) }

  var idle: RowContext.Idle { RowContext.Idle(requests: requests - requestsAtNews, useful: requestsAtNews) }

  /// Returns the verdict of a walk that gets no further; nil as long as it may continue. A list that `hasMoved` and shows various pages keeps
  /// changing, and one that shows the same page is a loop.
  package func verdict(moved hasMoved: Bool) -> Verdict? {
    let idle = requests - requestsAtNews
    let isStill = idle >= requestsAtNews.adding(Self.grace)
    if isStill, !hasMoved || !hasVariousPages { return .partial(.standstill(requests: idle)) }
    return isStill || detours > Self.mostDetours ? .partial(.drift(missing: nil)) : nil
  }

  package mutating func countRequest() { requests += 1 }

  package mutating func count(page: UInt64) {
    hasVariousPages = hasVariousPages || idlePage.map { $0 != page } ?? false
    idlePage = page
  }

  /// Notes that the last page brought new rows. `place` is the place that it led to, if the list has places.
  package mutating func countNews(upTo place: Int?) {
    (requestsAtNews, idlePage, hasVariousPages) = (requests, nil, false)
    detours = place.map { $0 <= furthest } ?? false ? detours + 1 : 0
    furthest = max(furthest, place ?? 0)
  }
}
