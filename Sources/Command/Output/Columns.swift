import AggregatorCore

/// The fields that a person asked for, or those that are shown unasked.
struct Columns<Item: Fielded>: Sendable {
  /// One value of a record, addressed with dots.
  struct Column: Sendable {
    /// `name.first`.
    let name: String
    /// The way to it: `["name", "first"]`.
    let path: [String]
    let width: FieldWidth
    let field: Field<Item>

    func value(of item: Item) -> Value {
      path.dropFirst().reduce(field.value(item)) { value, name in
        guard case .object(let members) = value else { return .null }
        return members.first { $0.name == name }?.value ?? .null
      }
    }
  }

  let all: [Column]
  /// Whether somebody chose them.
  let areChosen: Bool

  /// Every field of a record, the full record's too when `detail`.
  init(detail: Bool = false) {
    all = Item.fields.filter { detail || !$0.isDetail }.flatMap(Self.leaves)
    areChosen = false
  }

  /// The fields named in `list`; a field that holds others stands for all of them, and each is there once.
  init(named list: String, detail: Bool = false) throws(UsageError) {
    let known = Columns(detail: detail).all
    var chosen: [Column] = []
    for name in list.split(separator: ",").map(\.trimmingSpaces) {
      let found = known.filter { $0.name == name || $0.name.hasPrefix(name + ".") }
      guard !found.isEmpty else {
        throw UsageError(
          "there is no field \"\(name)\"; there are \(known.map(\.name).joined(separator: ", "))",
          suggestion: UsageError.nearest(to: name, among: known.map(\.name)).map { "--fields \($0)" })
      }
      for column in found where !chosen.contains(where: { $0.name == column.name }) { chosen.append(column) }
    }
    all = chosen
    areChosen = true
    guard !all.isEmpty else { throw UsageError("--fields names no field; type --fields to list them") }
  }

  private static func leaves(of field: Field<Item>) -> [Column] {
    field.leaves.map { leaf in
      Column(
        name: leaf, path: leaf.split(separator: ".").map(String.init), width: field.hiddenLeaves.contains(leaf) ? .hidden : field.width,
        field: field)
    }
  }

  /// The record with the chosen fields only, nested as they are.
  func value(of item: Item) -> Value {
    guard areChosen else {
      let fields = Set(all.map(\.field.name))
      return .object(Item.fields.filter { fields.contains($0.name) }.map { Member(name: $0.name, value: $0.value(item)) })
    }
    return nested(all.map { ($0.path[...], $0.value(of: item)) })
  }

  private func nested(_ values: [(path: ArraySlice<String>, value: Value)]) -> Value {
    var order: [String] = []
    var groups: [String: [(ArraySlice<String>, Value)]] = [:]
    for (path, value) in values {
      guard let first = path.first else { continue }
      if groups[first] == nil { order.append(first) }
      groups[first, default: []].append((path.dropFirst(), value))
    }
    return .object(
      order.map { name in
        let inner = groups[name] ?? []
        let value = inner.first.map { $0.0.isEmpty ? $0.1 : nested(inner) } ?? .null
        return Member(name: name, value: value)
      })
  }
}
