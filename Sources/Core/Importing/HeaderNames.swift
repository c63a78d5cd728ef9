/// A name in a file, and the field that a person said it stands for.
package struct HeaderMapping: Sendable, Hashable {
  package let header: String
  package let field: FieldPath

  package init(header: String, field: FieldPath) { (self.header, self.field) = (header, field) }
}

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
    /// Those that stand for no field.
    fileprivate(set) var unknown: [String] = []
    /// What was taken for a field although an edit is between them.
    fileprivate(set) var guesses: [String] = []
    /// What a person gave for a name in the header, and is none.
    fileprivate(set) var missing: [String] = []
    /// Whether every field was named as it is written.
    fileprivate(set) var isExact = true
    /// Whether there is nothing to read.
    var isEmpty: Bool { fields.allSatisfy { $0 == nil } }
  }

  private let mappings: [HeaderMapping]
  /// The leaves by what we write above their columns.
  private let written: [String: Leaf]
  /// Those that are computed, and so are no facts to read.
  private let computed: Set<FieldPath>
  /// What each leaf may be called, and those by names that only one of them has.
  private let spellings: [(leaf: Leaf, names: [String])]
  private let spelled: [String: Leaf]
  private let id: FieldPath

  init(of fields: [FieldOutline], id: FieldPath, mapping mappings: [HeaderMapping] = []) {
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
    let own = Dictionary(grouping: spellings) { $0.names[0] }
    let all = Dictionary(grouping: spellings.flatMap { spelling in spelling.names.map { (name: $0, leaf: spelling.leaf) } }) { $0.name }
    spelled = all.reduce(into: [:]) { spelled, entry in
      let leaves = Set(own[entry.key]?.map { $0.leaf } ?? entry.value.map { $0.leaf })
      if leaves.count == 1 { spelled[entry.key] = leaves.first }
    }
  }

  /// Whether the record's id is among the fields.
  func hasID(_ reading: Reading) -> Bool { reading.fields.contains { $0?.path.names.starts(with: id.names) ?? false } }

  /// The error for a file that has no name for the record's id.
  func noID(among names: [String], at place: String) -> SourceError {
    SourceError(
      .missingField, "\(place): no column for \(id.text) (columns: \(names.prefix(20).joined(separator: ", ")))",
      remedy: .mapColumn(id.text))
  }

  /// Refuses tsv with lists, whose values cannot be told from texts with commas.
  func refuseLists(in header: Reading, of source: String) throws {
    guard let list = header.fields.compactMap({ $0 }).first(where: { $0.mayBeList }) else { return }
    throw SourceError(
      .malformed, "this is tsv with lists (\(list.path.text)), whose values are joined by commas and cannot be told apart",
      remedy: .exportWhole(of: source))
  }

  /// Whether a name is one that we write, or hardly another.
  func knows(_ name: String) -> Bool {
    written[name] != nil || spelled[Self.letters(name)] != nil || mappings.contains { $0.header == name }
  }

  /// Whether fields lie inside a part of that name.
  func knows(part path: FieldPath) -> Bool {
    let letters = path.names.map(Self.letters)
    return spellings.contains {
      $0.leaf.path.names.count > letters.count && $0.leaf.path.names.prefix(letters.count).map(Self.letters) == letters
    }
      || mappings.contains { $0.header.hasPrefix(path.text + ".") }
  }

  /// The part of a record that is called so, as it is written.
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
    for mapping in mappings {
      let place = names.firstIndex(of: mapping.header) ?? names.firstIndex { Self.letters($0) == Self.letters(mapping.header) }
      guard let place else {
        reading.missing.append(mapping.header)
        continue
      }
      if let leaf = written[mapping.field.text] { try take(leaf, at: place) }
    }
    let said = Set(places.keys)
    for (place, name) in names.enumerated() where reading.fields[place] == nil {
      if let leaf = written[name], !said.contains(leaf.path) { try take(leaf, at: place) }
    }
    let exact = said.isEmpty ? places.count : 0
    let sure = Set(places.keys)
    for (place, name) in names.enumerated() where reading.fields[place] == nil {
      if let leaf = spelled[Self.letters(name)], !sure.contains(leaf.path) { try take(leaf, at: place) }
    }
    guess(names, &reading, besides: Set(places.keys))
    reading.isExact = reading.fields.count { $0 != nil } == exact
    for (place, name) in names.enumerated() {
      guard let leaf = reading.fields[place] else {
        if !name.isEmpty { reading.unknown.append(name) }
        continue
      }
      if computed.contains(leaf.path) { reading.fields[place] = nil }
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

extension SourceError.Kind {
  /// A file has no name for a field that every record needs.
  package static let missingField = Self("missing-field", isTransient: false, mayFallBack: false)
}
