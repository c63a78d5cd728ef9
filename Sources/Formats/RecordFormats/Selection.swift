public import AggregatorCore
public import Asking

/// The values of a record to show: those that a person named, or all.
public struct Selection {
  package private(set) var leaves: [Leaf]
  /// True when a person named them.
  package private(set) var isChosen: Bool

  /// All values; with `detail` also those of the full record.
  public init(of fields: [FieldOutline], detail: Bool) {
    (leaves, isChosen) = (fields.filter { detail || !$0.isDetail }.leaves, false)
  }

  /// These values, as if a person had named them.
  package init(chosen leaves: [Leaf]) { (self.leaves, isChosen) = (leaves, true) }

  /// The values named in `list`, each of them once. The name of a part means all values in it, and `all` means every value. Without a
  /// list these are all values; with `detail` also those of the full record.
  public init(_ list: String?, of fields: [FieldOutline], detail: Bool) throws(ColumnError) {
    self.init(of: fields, detail: detail)
    guard let list else { return }
    let known = leaves
    var chosen: [Leaf] = []
    for name in FieldPath.texts(in: list) {
      let named = known.named(name)
      let found = named.isEmpty && name == "all" ? known : named
      guard !found.isEmpty else {
        throw .unknown(Unknown("field", name, among: known.map(\.shownName)))
      }
      chosen += found.filter { !chosen.contains($0) }
    }
    guard !chosen.isEmpty else { throw .none }
    (leaves, isChosen) = (chosen, true)
  }
}

extension Leaf {
  /// The path as a terminal may show it.
  package var shownName: String { Printable.clean(path.text) }
}

/// The reason why columns cannot be chosen as a person named them.
public enum ColumnError: Error, Hashable {
  /// The list does not name a field.
  case none
  /// The list has a name that is not one of a field.
  case unknown(Unknown)
}
