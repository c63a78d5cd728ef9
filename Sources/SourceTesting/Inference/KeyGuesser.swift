import AggregatorCore

/// Finds what makes a row itself: in every row, and different in all of them.
struct KeyGuesser {
  /// The names of keys, the likeliest first.
  private static let names = ["id", "_id", "uuid", "guid", "key", "code", "slug", "sku", "isbn", "email", "handle", "username", "iso"]

  private let rows: [Value]

  init(_ rows: [Value]) { self.rows = rows }

  var guess: Guess<FieldPath>? {
    let scalars = rows.map { row in
      Dictionary(row.scalars(depth: 3).map { ($0.path, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    guard let first = rows.first else { return nil }
    let candidates = first.scalars(depth: 3).map(\.path).filter { path in
      let values = scalars.map { $0[path] ?? .null }
      return values.allSatisfy(Self.isKey) && Set(values).count == rows.count
    }
    let ranked = candidates.map { (path: $0, rank: Self.rank($0)) }
    guard let best = ranked.enumerated().min(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) })?.element else {
      return nil
    }
    let isNamed = best.rank < Self.stranger
    let evidence = "unique and present in all \(rows.count) rows"
    if !isNamed { return Guess(best.path, .weak, "\(evidence), but its name does not suggest it") }
    return rows.count > 3
      ? Guess(best.path, .strong, evidence) : Guess(best.path, .fair, "its name suggests it; only \(rows.count) rows")
  }

  private static let stranger = 1000

  /// By name first, then by how near the surface it is.
  private static func rank(_ path: FieldPath) -> Int {
    let depth = path.names.count - 1
    let leaf = (path.names.last ?? "").lowercased()
    if let index = names.firstIndex(of: leaf) { return index * 4 + depth * 9 }
    if leaf.hasSuffix("id") || leaf.hasSuffix("code") || leaf.hasSuffix("key") { return 200 + depth * 9 }
    return stranger + depth
  }

  private static func isKey(_ value: Value) -> Bool {
    switch value {
    case .int: true
    case .text(let text): !text.isEmpty
    case .null, .bool, .double, .list, .object: false
    }
  }
}
