import AggregatorCore

/// Finds the array that holds the rows among all arrays of objects in an endpoint's answers.
struct RowsFinder {
  struct FoundRows {
    let items: Guess<FieldPath>
    let weight: Double
  }

  /// What rows are usually called, and what is usually something else.
  private static let usual: Set<String> = [
    "data", "docs", "elements", "entries", "hits", "items", "list", "objects", "records", "results", "rows", "value", "values",
  ]
  private static let unusual: Set<String> = [
    "aggregations", "breadcrumbs", "categories", "errors", "facets", "filters", "included", "links", "messages", "meta", "related",
    "suggestions", "tags", "warnings",
  ]
  private static let depth = 3

  private let documents: [Value]

  init(_ documents: [Value]) { self.documents = documents }

  var best: FoundRows? {
    var order: [FieldPath] = []
    var lists: [FieldPath: [[Value]]] = [:]
    for (path, rows) in documents.flatMap({ Self.arrays(in: $0) }) {
      if lists[path] == nil { order.append(path) }
      lists[path, default: []].append(rows)
    }
    let weighed = order.map { (path: $0, weight: weight(of: lists[$0] ?? [], at: $0)) }.filter { $0.weight > 0 }
    guard let best = weighed.max(by: { $0.weight < $1.weight }) else { return nil }
    let others = weighed.filter { $0.path != best.path }
    let isClear = others.allSatisfy { $0.weight * 2 < best.weight }
    let count = lists[best.path]?.reduce(0) { $0 + $1.count } ?? 0
    let reason =
      others.isEmpty
      ? "the only array of objects, \(count) in all"
      : "\(count) similar objects; ignored: \(others.prefix(3).map { $0.path.description }.joined(separator: ", "))"
    return FoundRows(items: Guess(best.path, isClear ? .strong : .weak, reason), weight: best.weight)
  }

  /// Large, uniform, near the surface, well named, and changing from page to page as rows do and facets do not.
  private func weight(of lists: [[Value]], at path: FieldPath) -> Double {
    let rows = lists.flatMap { $0 }
    guard !rows.isEmpty else { return 0 }
    let different = Set(lists).count
    var weight = Self.substance(of: rows) * Self.uniformity(of: rows)
    if lists.count > 1 { weight *= Double(different) / Double(lists.count) }
    weight /= Double(1 << min(path.names.count, 62))
    if let name = path.names.last?.lowercased() {
      if Self.usual.contains(name) { weight *= 2 }
      if Self.unusual.contains(name) { weight /= 8 }
    }
    return weight
  }

  /// How much the rows say: a list of twenty rich rows is more than one of fifty counts.
  private static func substance(of rows: [Value]) -> Double {
    Double(rows.reduce(0) { $0 + min(24, $1.members?.count ?? 0) })
  }

  /// How much of what any row has the average row has.
  private static func uniformity(of rows: [Value]) -> Double {
    let names = rows.map { Set($0.members?.map(\.name) ?? []) }
    let all = names.reduce(into: Set<String>()) { $0.formUnion($1) }
    guard !all.isEmpty else { return 0 }
    return Double(names.reduce(0) { $0 + $1.count }) / Double(all.count * names.count)
  }

  /// Every array that is made of objects, for the most part, and the way to it.
  private static func arrays(in value: Value, below path: FieldPath = FieldPath()) -> [(FieldPath, [Value])] {
    switch value {
    case .list(let values):
      let rows = values.filter { $0.members != nil }
      return rows.count * 2 > values.count ? [(path, rows)] : []
    case .object(let members) where path.names.count < depth:
      return members.flatMap { arrays(in: $0.value, below: path.appending($0.name)) }
    default: return []
    }
  }
}
