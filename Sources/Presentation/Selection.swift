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

extension FieldPath {
  /// As a person writes it: `Real name`, `Name first`, `UUID`.
  package var label: String {
    let words = Printable.clean(names.joined(separator: " ")).split(separator: " ").flatMap { name in
      var words = [""]
      for character in name {
        if character.isUppercase, words != [""] { words.append("") }
        words[words.count - 1] += character.lowercased()
      }
      return words
    }
    let written = words.map { Self.abbreviations.contains($0) ? $0.uppercased() : $0 }.joined(separator: " ")
    return written.prefix(1).uppercased() + written.dropFirst()
  }

  private static let abbreviations: Set = ["id", "url", "uuid"]
}

/// Why columns cannot be had as somebody named them.
package enum ColumnError: Error, Hashable {
  case none
  case unknown(String, nearest: String?, known: [String])
}
