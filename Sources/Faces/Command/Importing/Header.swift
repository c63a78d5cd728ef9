import AggregatorCore
import Asking

/// A person mapped a name that the file does not have.
struct UnknownHeader: Error {
  let name: String
  let known: [String]
}

/// The fields that the names in a file mean: the columns of a table, or the members of JSON.
///
/// A name that a person mapped comes first, then the field's name as it is written, then a name that differs only in case, spaces and
/// signs (`First Name`, `e_mail`), and last a name that is a single edit away from exactly one field's name.
struct HeaderNames {
  private let mappings: [String: FieldPath]
  /// The leaves, by the names that we write above their columns.
  private let written: [String: Leaf]
  /// The leaves that are computed, and so are not read.
  private let computed: Set<FieldPath>
  /// The letters of the names that each leaf may have; the first is that of its path.
  private let spellings: [(leaf: Leaf, names: [String])]
  let id: FieldPath

  init(of fields: [FieldOutline], id: FieldPath, mapping mappings: [String: FieldPath] = [:]) {
    (self.mappings, self.id) = (mappings, id)
    written = fields.leaves.byName
    computed = Set(fields.filter { $0.isComputed }.leaves.map { $0.path })
    spellings = fields.flatMap { field in
      field.leaves.map { leaf in
        let names = leaf.path.names
        // "First Name" for name.first, and the label that a table has above a plain field.
        let others = names.count > 1 ? [Array(names.reversed()).joined()] : [field.label].compactMap { $0 }
        return (leaf, ([names.joined()] + others).map(Self.letters))
      }
    }
  }

  /// Returns the error for a header in which no name means the record's id; nil if one does.
  func noID(in header: Header, at location: String) -> SourceError? {
    if header.fields.contains(where: { $0?.path.names.starts(with: id.names) ?? false }) { return nil }
    return SourceError(
      .missingField, "\(location): no column for \(id.text) (columns: \(header.names.prefix(20).joined(separator: ", ")))",
      remedy: .give([.init("map", "HEADER=\(id.text)")], "to name the one that holds it"))
  }

  /// True when fields lie inside a part with that path.
  func knows(part path: FieldPath) -> Bool {
    let letters = Self.letters(path.text)
    return mappings.keys.contains { $0.hasPrefix(path.text + ".") }
      || spellings.contains { $0.leaf.path.names.count > path.names.count && $0.names[0].hasPrefix(letters) }
  }

  /// Reads the meaning of these names. `areJSON` is true when the values below them are JSON, whatever their fields are.
  func read(_ names: [String], areJSON: Bool = false) throws -> Header {
    var header = Header(names)
    for (given, field) in mappings.sorted(by: { $0.key < $1.key }) {
      let index = names.firstIndex(of: given) ?? names.firstIndex { Self.letters($0) == Self.letters(given) }
      if index == nil { header.missing.append(given) }
      if let index, let leaf = written[field.text] { try header.take(leaf, at: index) }
    }
    try header.takeRest { written[$0] }
    let exact = mappings.isEmpty ? header.taken.count : nil
    func only(_ matches: (String) -> Bool) -> Leaf? {
      let found = spellings.filter { $0.names.contains(where: matches) }
      return found.count == 1 ? found[0].leaf : nil
    }
    try header.takeRest { name in only { $0 == Self.letters(name) } }
    // The mark of a record that we wrote is not one of its fields.
    for (index, name) in names.enumerated() where header.fields[index] == nil && name != Edit.mark {
      let letters = Array(Self.letters(name))
      // A short name is a single edit away from too many others.
      let near =
        letters.count > 3 ? only { abs($0.count - letters.count) < 2 && Closest.distance(letters, Array($0)) < 2 } : nil
      if let leaf = near, header.taken[leaf.path] == nil {
        try header.take(leaf, at: index)
        header.guesses.append("\(name) as \(leaf.path.text)")
      } else if !name.isEmpty {
        header.unknown.append(name)
      }
    }
    header.isExact = header.taken.count == exact
    header.leaveOut(computed)
    header.arrange(areJSON: areJSON)
    return header
  }

  /// Returns the letters and digits of a name, folded, because case, spaces and signs do not count.
  private static func letters(_ name: String) -> String { Fold.fold(name).filter { $0.isLetter || $0.isNumber } }
}

/// The names in a header, the meaning of each, and a reader for the rows below it.
struct Header {
  let names: [String]
  fileprivate(set) var fields: [Leaf?]
  fileprivate(set) var unknown: [String] = []
  /// The names that were taken for a field although they differ by one edit.
  fileprivate(set) var guesses: [String] = []
  /// The fields among them that are computed, and so are not read.
  fileprivate(set) var computed: [String] = []
  /// The names that a person mapped and that the header does not have.
  fileprivate(set) var missing: [String] = []
  /// True when every field was named as it is written.
  fileprivate(set) var isExact = true
  /// The index of the name that was taken for each field.
  fileprivate var taken: [FieldPath: Int] = [:]
  /// The columns that are read, sorted so that those of one part are next to each other.
  private var columns: [(index: Int, leaf: Leaf)] = []
  private var reader = JSON.Reader()

  fileprivate init(_ names: [String]) { (self.names, fields) = (names, names.map { _ in nil }) }

  fileprivate mutating func take(_ leaf: Leaf, at index: Int) throws {
    if let earlier = taken.updateValue(index, forKey: leaf.path) {
      let both = Set([names[earlier], names[index]]).subtracting([leaf.path.text]).sorted().joined(separator: ", ")
      throw SourceError(.malformed, "\(leaf.path.text) is named twice\(both.isEmpty ? "" : " (\(both))")")
    }
    fields[index] = leaf
  }

  /// Takes names that are still free, for fields that no surer name means.
  fileprivate mutating func takeRest(_ leaf: (String) -> Leaf?) throws {
    let surer = Set(taken.keys)
    for (index, name) in names.enumerated() where fields[index] == nil {
      if let leaf = leaf(name), !surer.contains(leaf.path) { try take(leaf, at: index) }
    }
  }

  fileprivate mutating func leaveOut(_ computed: Set<FieldPath>) {
    for (leaf, index) in taken.sorted(by: { $0.value < $1.value }) where computed.contains(leaf) {
      fields[index] = nil
      self.computed.append(leaf.text)
    }
  }

  fileprivate mutating func arrange(areJSON: Bool) {
    let found = fields.enumerated().compactMap { index, leaf in
      // A field of any kind has each value as JSON.
      leaf.map { (index: index, leaf: areJSON ? Leaf($0.path) : $0) }
    }
    columns = found.sorted { $0.leaf.path.names.lexicographicallyPrecedes($1.leaf.path.names) }
  }

  /// Writes the record's own JSON from values in the order of the names. Leaves out empty values; a list is JSON text.
  mutating func row(_ values: [String]) throws -> JSON {
    guard values.count == names.count else { throw SourceError(.malformed, "\(values.count) values instead of \(names.count)") }
    var writer = JSONWriter()
    var open: ArraySlice<String> = []
    writer.beginObject()
    for (index, leaf) in columns where !values[index].isEmpty {
      let path = leaf.path.names
      while !path.dropLast().starts(with: open) {
        writer.endObject()
        open.removeLast()
      }
      for name in path[open.count...].dropLast() {
        writer.key(name)
        writer.beginObject()
        open.append(name)
      }
      writer.key(path[path.count - 1])
      if leaf.isJSON(values[index]) {
        writer.write(raw: values[index].utf8)
      } else {
        writer.write(string: values[index])
      }
    }
    for _ in open { writer.endObject() }
    writer.endObject()
    return try reader.read(writer.bytes)
  }
}
