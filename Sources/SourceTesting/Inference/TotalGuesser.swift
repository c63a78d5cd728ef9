import AggregatorCore

/// Finds the number beside the rows that says how many there are in all.
struct TotalGuesser {
  private static let headers = ["X-Total-Count", "X-Total", "X-Pagination-Total-Count", "Total-Count"]

  private let pages: [ModelResponse]
  /// What was asked for, which many services repeat.
  private let echoes: Set<String>

  init(_ pages: [ModelResponse], paging: PagingModel, size: Parameter?) {
    self.pages = pages
    let names = ["limit", "offset", "page", "page_size", "per_page", "skip", "take", "size"]
    echoes = Set(names + [paging.parameter, size].compactMap { $0?.plainName })
  }

  var guess: Guess<TotalModel>? { body ?? header }

  private var body: Guess<TotalModel>? {
    let candidates = (pages.first?.world ?? []).compactMap { path, value -> (path: FieldPath, rank: Int)? in
      let name = Parameter(.body, path.names.last ?? "").plainName
      guard value.int != nil, !echoes.contains(name), isPlausible(path) else { return nil }
      let words = name.split(separator: "_")
      // "total_pages" counts something else.
      if words.contains("page") || words.contains("pages") { return nil }
      let isTotal = words.contains { $0.hasPrefix("total") }
      let isCount = words.contains { ["count", "hits", "matches", "found", "size", "records"].contains($0) }
      return isTotal ? (path, 2) : isCount ? (path, 1) : nil
    }
    guard let best = candidates.max(by: { $0.rank < $1.rank }) else { return nil }
    return grade(.body(best.path), named: best.rank == 2, value: pages.first?.answer.document[best.path]?.int)
  }

  private var header: Guess<TotalModel>? {
    for name in Self.headers {
      guard let value = pages.first?.answer.header(name).flatMap({ Int($0) }) else { continue }
      return grade(.header(name), named: true, value: value)
    }
    return nil
  }

  /// Never less than the rows beside it, and not just their number again where that changes.
  private func isPlausible(_ path: FieldPath) -> Bool {
    let pairs = pages.filter { !$0.rows.isEmpty }.map { ($0.answer.document[path]?.int, $0.rows.count) }
    guard pairs.allSatisfy({ total, rows in total.map { $0 >= rows } ?? false }) else { return false }
    let isRowCount = pairs.allSatisfy { $0.0 == $0.1 }
    return !isRowCount || Set(pairs.map(\.1)).count == 1
  }

  private func grade(_ model: TotalModel, named isTotal: Bool, value: Int?) -> Guess<TotalModel> {
    let received = Set(pages.flatMap(\.rows)).count
    if value == received, pages.count > 1 { return Guess(model, .strong, "it equals the number of different rows recorded") }
    if isTotal { return Guess(model, .fair, "its name suggests it") }
    return Guess(model, .weak, "it may also count something else")
  }
}
