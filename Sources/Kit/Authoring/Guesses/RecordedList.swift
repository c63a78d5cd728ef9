public import AggregatorCore
package import Bodies
public import Recordings

/// The recorded pages of one list, and the rows on them.
public struct RecordedList: Sendable {
  /// The method, path and operation of its requests.
  public let endpoint: Endpoint
  /// The rows without repeats, in order.
  public let rows: [Value]
  /// The same rows as records are read from them, without what only tells a place in the list.
  package let records: [Value]
  /// Every page, in order.
  package let pages: [TapedPage]
  /// An answer to serve again with other rows in it. It does not say that rows are missing.
  package let envelope: Value
  /// The format of its answers.
  package let body: BodyKind
  /// The likelihood that the rows are those of a list; the greatest is the likeliest.
  let weight: Double
  /// The ends of the paths of its pages, as given to the model; empty if they have the path of the endpoint.
  private let toldPaths: [String]
  /// The paths at which its pages were recorded.
  private let paths: Set<String>

  /// Reads `answers` as pages of one list with its rows at `path`; nil if they have no rows.
  init?(_ answers: [TapedPage], rows path: ValuePath, weight: Double, at told: [String]) {
    guard let first = answers.first,
      let page = answers.lazy.compactMap({ $0.withRows(at: path) }).first(where: { !$0.rows.isEmpty })
    else { return nil }
    (endpoint, envelope, body, self.weight) = (
      first.call.endpoint, page.document.withoutCaveats(besides: path), page.body, weight
    )
    (toldPaths, paths) = (told, Set(answers.map(\.call.address.path)))
    pages = answers.compactMap { page.twin($0, at: path) }
    var known: Set<Value> = []
    rows = pages.flatMap(\.rows).filter { known.insert($0).inserted }
    records = ListGuesser.records(in: rows, at: path)
  }

  package var longestPage: Int { pages.map(\.rows.count).max() ?? 0 }

  /// The paths that may hold the rows, with the number of rows in each. Among the likeliest paths the longest list comes first. Paths
  /// with less than an eighth of the best weight are left out.
  package var rowPaths: [(path: ValuePath, count: Int)] {
    let candidates = ListGuesser.rowPaths(in: pages.map(\.document))
    let best = candidates.first?.weight ?? 0
    let likely = candidates.prefix { $0.weight * 2 >= best }
    let others = candidates.dropFirst(likely.count).prefix { $0.weight * 8 > best }
    return (likely.sorted { $0.count > $1.count } + others).map { ($0.path, $0.count) }
  }

  /// Returns a call in the terms of this list, whatever its host; nil if it asks for something else.
  package func reading(_ call: RecordedCall) -> RecordedCall? {
    let (method, operation) = (endpoint.method, endpoint.operation)
    if toldPaths.isEmpty {
      return call.method == method && call.operation == operation && paths.contains(call.address.path) ? call : nil
    }
    return toldPaths.lazy.compactMap(call.matching).first { call in
      pages.contains { $0.call.method == call.method && $0.call.operation == call.operation }
    }
  }
}
