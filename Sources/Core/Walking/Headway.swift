/// The requests of a walk since it last got further. A walk without headway ends, whatever its service does.
///
/// Headway is a row that is new to the present reading of the list. A walk that has brought rows with `n` requests may send `n` and 32 more
/// without one: enough to step back over all that it has read.
struct Headway: Sendable, Hashable {
  /// The number of requests so far, and their number when the last new row came.
  private(set) var (requests, useful) = (0, 0)
  /// The furthest place in a list by offset, and the number of pages since then whose new rows led no further.
  private var (furthest, detours) = (0, 0)

  /// The requests without a new row beyond those that brought some.
  private static let grace = 32
  /// The pages that may bring new rows and lead no further, as those of a list in which every row is replaced again and again.
  private static let mostDetours = 1_000

  /// The verdict of a walk that gets no further; nil as long as it may go on.
  var verdict: Verdict? {
    let idle = requests - useful
    if idle >= useful + Self.grace { return .partial(.standstill(requests: idle)) }
    return detours > Self.mostDetours ? .partial(.drift(missing: nil)) : nil
  }

  mutating func countRequest() { requests += 1 }

  /// Notes that the last page brought new rows. `place` is the place that it led to, if the list has places.
  mutating func countNews(upTo place: Int?) {
    useful = requests
    detours = place.map { $0 <= furthest } ?? false ? detours + 1 : 0
    furthest = max(furthest, place ?? 0)
  }
}
