import AggregatorCore

/// A name that a person gave for one in the file is none of these.
package struct UnknownHeader: Error {
  package let name: String
  package let known: [String]
}

/// Which fields the names in a file stand for: the columns of a table, or the members of JSON.
///
/// A person's own word comes first, then the field's name as it is written, then a name that differs in nothing but case, spaces and signs
/// (`First Name`, `e_mail`), and last one that is a single edit away from exactly one field's.
struct HeaderNames {
  /// What was made of the names in a header, each in its place.
  struct Reading {
    var fields: [Leaf?]
    var unknown: [String] = []
    /// What was taken for a field although an edit is between them.
    var guesses: [String] = []
    /// The fields among them that are computed, and so are not read.
    var computed: [String] = []
    /// What a person gave for a name in the header, and is none.
    var missing: [String] = []
    /// Whether every field was named as it is written.
    var isExact = true
  }

  private let mappings: [String: FieldPath]
  /// The leaves by what we write above their columns.
  private let written: [String: Leaf]
  /// Those that are computed, and so are no facts to read.
  private let computed: Set<FieldPath>
  /// The letters of what each leaf may be called; first those of its path.
  private let spellings: [(leaf: Leaf, names: [String])]
  let id: FieldPath

  init(of fields: [FieldOutline], id: FieldPath, mapping mappings: [String: FieldPath] = [:]) {
    (self.mappings, self.id) = (mappings, id)
    written = fields.leaves.byName
    computed = Set(fields.filter { $0.isComputed }.leaves.map { $0.path })
    spellings = fields.flatMap { field in
      field.leaves.map { leaf in
        let names = leaf.path.names
        // "First Name" for name.first, and what a table has above a field that is plain.
        let others = names.count > 1 ? [Array(names.reversed()).joined()] : [field.label].compactMap { $0 }
        return (leaf, ([names.joined()] + others).map(Self.letters))
      }
    }
  }

  /// The error for names among which none stands for the record's id; nil where one does.
  func noID(in reading: Reading, of names: [String], at place: String) -> SourceError? {
    if reading.fields.contains(where: { $0?.path.names.starts(with: id.names) ?? false }) { return nil }
    return SourceError(
      .missingField, "\(place): no column for \(id.text) (columns: \(names.prefix(20).joined(separator: ", ")))",
      remedy: .give([.init("map", "HEADER=\(id.text)")], "to name the one that holds it"))
  }

  /// Whether fields lie inside a part of that name.
  func knows(part path: FieldPath) -> Bool {
    let letters = Self.letters(path.text)
    return mappings.keys.contains { $0.hasPrefix(path.text + ".") }
      || spellings.contains { $0.leaf.path.names.count > path.names.count && $0.names[0].hasPrefix(letters) }
  }

  func read(_ names: [String]) throws -> Reading {
    var reading = Reading(fields: names.map { _ in nil })
    var places: [FieldPath: Int] = [:]
    func take(_ leaf: Leaf, at place: Int) throws {
      if let earlier = places.updateValue(place, forKey: leaf.path) {
        let both = Set([names[earlier], names[place]]).subtracting([leaf.path.text]).sorted().joined(separator: ", ")
        throw SourceError(.malformed, "\(leaf.path.text) is named twice\(both.isEmpty ? "" : " (\(both))")")
      }
      reading.fields[place] = leaf
    }
    /// Takes names that nothing has taken yet, for fields that no surer name stands for.
    func takeRest(_ leaf: (String) -> Leaf?) throws {
      let surer = Set(places.keys)
      for (place, name) in names.enumerated() where reading.fields[place] == nil {
        if let leaf = leaf(name), !surer.contains(leaf.path) { try take(leaf, at: place) }
      }
    }
    for (header, field) in mappings.sorted(by: { $0.key < $1.key }) {
      let place = names.firstIndex(of: header) ?? names.firstIndex { Self.letters($0) == Self.letters(header) }
      if place == nil { reading.missing.append(header) }
      if let place, let leaf = written[field.text] { try take(leaf, at: place) }
    }
    try takeRest { written[$0] }
    let exact = mappings.isEmpty ? places.count : nil
    func only(_ matches: (String) -> Bool) -> Leaf? {
      let found = spellings.filter { $0.names.contains(where: matches) }
      return found.count == 1 ? found[0].leaf : nil
    }
    try takeRest { name in only { $0 == Self.letters(name) } }
    // What marks a record that we wrote is no field of it.
    for (place, name) in names.enumerated() where reading.fields[place] == nil && name != EditedRecord.mark {
      let letters = Array(Self.letters(name))
      // Of a short name an edit leaves hardly anything.
      let near =
        letters.count > 3 ? only { abs($0.count - letters.count) < 2 && Closest.distance(letters, Array($0)) < 2 } : nil
      if let leaf = near, places[leaf.path] == nil {
        try take(leaf, at: place)
        reading.guesses.append("\(name) as \(leaf.path.text)")
      } else if !name.isEmpty {
        reading.unknown.append(name)
      }
    }
    reading.isExact = places.count == exact
    for (leaf, place) in places.sorted(by: { $0.value < $1.value }) where computed.contains(leaf) {
      reading.fields[place] = nil
      reading.computed.append(leaf.text)
    }
    return reading
  }

  /// The letters and digits of a name, folded: what is left of it where case, spaces and signs do not count.
  private static func letters(_ name: String) -> String { Fold.fold(name).filter { $0.isLetter || $0.isNumber } }
}
