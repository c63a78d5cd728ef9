package import AggregatorCore

/// The fields that a person asked for, or those that are shown unasked.
package struct Columns<Item: Fielded>: Sendable {
  /// One value of a record, addressed with dots. A class, for it is handed on with every value.
  package final class Column: Sendable {
    /// `name.first`.
    package let name: String
    /// The way to it: `["name", "first"]`.
    let path: [String]
    let width: FieldWidth
    let field: Field<Item>

    init(name: String, width: FieldWidth, field: Field<Item>) {
      self.name = name
      self.width = width
      self.field = field
      path = name.split(separator: ".").map(String.init)
    }

    /// What it shows of the field's value.
    fileprivate func value(in whole: Value) -> Value {
      path.dropFirst().reduce(whole) { value, name in
        guard case .object(let members) = value else { return .null }
        return members.first { $0.name == name }?.value ?? .null
      }
    }
  }

  package let all: [Column]
  /// Whether somebody chose them.
  package let areChosen: Bool
  /// When the records are shown: what is computed is computed for this moment.
  package let moment: Moment
  /// The fields that they look into.
  private let fields: [Field<Item>]

  /// Every field of a record, the full record's too when `detail`.
  package init(detail: Bool = false, at moment: Moment) {
    self.moment = moment
    fields = Item.fields.filter { detail || !$0.isDetail }
    all = fields.flatMap(Self.leaves)
    areChosen = false
  }

  /// The fields named in `list`; a field that holds others stands for all of them, and each is there once.
  package init(named list: String, detail: Bool = false, at moment: Moment) throws(ColumnError) {
    self.moment = moment
    let known = Columns(detail: detail, at: moment).all
    var chosen: [Column] = []
    for name in list.split(separator: ",").map(\.trimmingSpaces) {
      let found = known.filter { $0.name == name || $0.name.hasPrefix(name + ".") }
      guard !found.isEmpty else {
        throw .unknown(name, nearest: Closest.closest(to: name, among: known.map(\.name)), known: known.map(\.name))
      }
      for column in found where !chosen.contains(where: { $0.name == column.name }) { chosen.append(column) }
    }
    all = chosen
    fields = []
    areChosen = true
    guard !all.isEmpty else { throw .none }
  }

  private static func leaves(of field: Field<Item>) -> [Column] {
    field.leaves.map { leaf in
      Column(name: leaf, width: field.hiddenLeaves.contains(leaf) ? .hidden : field.width, field: field)
    }
  }

  /// The record with the chosen fields only, nested as they are.
  package func value(of item: Item) -> Value {
    guard areChosen else { return .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) }) }
    return nested(zip(all, values(of: item)).map { ($0.path[...], $1) })
  }

  /// What each of the columns shows of a record.
  func values(of item: Item) -> [Value] { values(of: item, in: all) }

  /// The same for some of them. A field that several look into one after the other is read once.
  func values(of item: Item, in columns: [Column]) -> [Value] {
    var last: (field: String, value: Value)?
    return columns.map { column in
      let whole = last.flatMap { $0.field == column.field.name ? $0.value : nil } ?? column.field.shown(of: item, at: moment)
      last = (column.field.name, whole)
      return column.value(in: whole)
    }
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

/// Why columns cannot be had as somebody named them.
package enum ColumnError: Error, Hashable {
  case none
  case unknown(String, nearest: String?, known: [String])
}
