package import AggregatorCore

/// Which values of a record to show: those that a person named, or all.
package struct Selection {
  package let leaves: [Leaf]
  /// Whether somebody chose them.
  package let isChosen: Bool

  /// The values named in `list`; a part stands for all in it, `all` for every one, and each is there once. Without a list it is every
  /// one, those of the full record too when `detail`.
  package init(_ list: String?, of fields: [FieldOutline], detail: Bool) throws(ColumnError) {
    let known = fields.filter { detail || !$0.isDetail }.leaves
    isChosen = list != nil
    guard let list else {
      leaves = known
      return
    }
    var chosen: [Leaf] = []
    for name in FieldPath.texts(in: list) {
      let named = known.named(name)
      let found = named.isEmpty && name == "all" ? known : named
      guard !found.isEmpty else {
        let names = known.map(\.shownName)
        throw .unknown(name, nearest: Closest.closest(to: name, among: names), known: names)
      }
      chosen += found.filter { !chosen.contains($0) }
    }
    leaves = chosen
    guard !leaves.isEmpty else { throw .none }
  }
}

extension Leaf {
  /// Its path as a terminal may show it.
  package var shownName: String { Printable.clean(path.text) }
}

/// Why columns cannot be had as somebody named them.
package enum ColumnError: Error, Hashable {
  case none
  case unknown(String, nearest: String?, known: [String])
}
