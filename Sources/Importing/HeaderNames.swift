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
    fileprivate(set) var fields: [Leaf?]
    fileprivate(set) var unknown: [String] = []
    /// What was taken for a field although an edit is between them.
    fileprivate(set) var guesses: [String] = []
    /// What a person gave for a name in the header, and is none.
    fileprivate(set) var missing: [String] = []
    /// Whether every field was named as it is written.
    fileprivate(set) var isExact = true
  }

  private let mappings: [String: FieldPath]
  /// The leaves by what we write above their columns.
  private let written: [String: Leaf]
  /// Those that are computed, and so are no facts to read.
  private let computed: Set<FieldPath>
  /// What each leaf may be called, and those by names that only one of them has.
  private let spellings: [(leaf: Leaf, names: [String])]
  private let spelled: [String: Leaf]
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
    func unique(_ names: [(name: String, leaf: Leaf)]) -> [String: Leaf] {
      Dictionary(grouping: names) { $0.name }.compactMapValues { Set($0.map { $0.leaf }).count == 1 ? $0[0].leaf : nil }
    }
    spelled = unique(spellings.flatMap { spelling in spelling.names.map { ($0, spelling.leaf) } })
      .merging(unique(spellings.map { ($0.names[0], $0.leaf) })) { $1 }
  }

  /// The error for names among which none stands for the record's id; nil where one does.
  func noID(in reading: Reading, of names: [String], at place: String) -> SourceError? {
    guard !reading.fields.contains(where: { $0?.path.names.starts(with: id.names) ?? false }) else { return nil }
    return SourceError(
      .missingField, "\(place): no column for \(id.text) (columns: \(names.prefix(20).joined(separator: ", ")))",
      remedy: .mapColumn(id.text))
  }

  /// Whether a name is one that we write, or hardly another.
  func knows(_ name: String) -> Bool {
    written[name] != nil || spelled[Self.letters(name)] != nil || mappings[name] != nil
  }

  /// Whether fields lie inside a part of that name.
  func knows(part path: FieldPath) -> Bool {
    let letters = path.names.map(Self.letters)
    return mappings.keys.contains { $0.hasPrefix(path.text + ".") }
      || spellings.contains {
        $0.leaf.path.names.count > letters.count && $0.leaf.path.names.prefix(letters.count).map(Self.letters) == letters
      }
  }

  /// Whether the part of a record is called so, as it is written.
  func isPart(_ name: String) -> Bool { spellings.contains { $0.leaf.path.text.hasPrefix(name + ".") } }

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
    let isMapped = !places.isEmpty
    try takeRest { written[$0] }
    let exact = isMapped ? 0 : places.count
    try takeRest { spelled[Self.letters($0)] }
    guess(names, &reading, besides: Set(places.keys))
    reading.isExact = reading.fields.count { $0 != nil } == exact
    for (place, name) in names.enumerated() {
      if let leaf = reading.fields[place] {
        if computed.contains(leaf.path) { reading.fields[place] = nil }
      } else if !name.isEmpty {
        reading.unknown.append(name)
      }
    }
    return reading
  }

  /// Takes names an edit away from one field's only, where no other name is as near to it.
  private func guess(_ names: [String], _ reading: inout Reading, besides taken: Set<FieldPath>) {
    var near: [Leaf: [Int]] = [:]
    for (place, name) in names.enumerated() where reading.fields[place] == nil {
      let letters = Array(Self.letters(name))
      // Of a short name hardly anything is left.
      guard letters.count > 3 else { continue }
      let leaves = spellings.filter { spelling in
        spelling.names.contains { abs($0.count - letters.count) <= 1 && Closest.distance(letters, Array($0)) <= 1 }
      }
      if leaves.count == 1, !taken.contains(leaves[0].leaf.path) { near[leaves[0].leaf, default: []].append(place) }
    }
    for (leaf, places) in near where places.count == 1 {
      reading.fields[places[0]] = leaf
      reading.guesses.append("\(names[places[0]]) as \(leaf.path.text)")
    }
    reading.guesses.sort()
  }

  /// The letters and digits of a name, folded: what is left of it where case, spaces and signs do not count.
  private static func letters(_ name: String) -> String {
    var letters = ""
    for scalar in Fold.fold(name).unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      letters.unicodeScalars.append(scalar)
    }
    return letters
  }
}
