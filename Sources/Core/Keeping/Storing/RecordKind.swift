/// The facts about a source that a store needs to keep its records: its name and their fields.
public final class RecordKind: Sendable {
  /// The source's name, under which its records are stored.
  public let name: String
  /// The paths of the values that are stored of a record, in order: `name.first`.
  public let leaves: [FieldPath]
  /// The paths of the values that are times.
  let times: [FieldPath]
  /// The paths of the texts that a search looks at, beside the id.
  public let searched: [FieldPath]
  /// The names of those fields whose values may be numbers, which an older index lacks.
  let searchedNumbers: [String]
  /// The fields of the searched texts, each with its paths.
  private let searchedFields: [(name: String, ways: [ArraySlice<String>])]
  /// The names of the fields that a record computes from its others.
  let derived: Set<String>
  /// Reads a record from its own fields and returns all that is stored of it, since these fields may lack values that are searched. Nil for
  /// a kind without fields for searching alone.
  private let restored: (@Sendable (JSON) -> Value?)?

  /// Makes a kind of which only the name is known: enough to count its records.
  public init(_ name: String) {
    (self.name, leaves, times, searched, searchedNumbers) = (name, [], [], [], [])
    (searchedFields, derived, restored) = ([], [], nil)
  }

  private init(_ name: String, like other: RecordKind) {
    (self.name, leaves, times) = (name, other.leaves, other.times)
    (searched, searchedNumbers) = (other.searched, other.searchedNumbers)
    (searchedFields, derived, restored) = (other.searchedFields, other.derived, other.restored)
  }

  /// Makes the kind of the source called `name`.
  public init<Item>(_ name: String, of schema: Schema<Item>) {
    self.name = name
    leaves = schema.outline.filter { !$0.isComputed }.leaves.map { $0.path }
    times = schema.times
    let fields = schema.outline + schema.searchOnly.map { $0.outline.searched }
    let searchedFields = fields.map { (name: $0.name, ways: $0.searchedWays) }.filter { !$0.ways.isEmpty }
    self.searchedFields = searchedFields
    searched = searchedFields.flatMap { field in field.ways.map { way in FieldPath([field.name] + Array(way)) } }
    searchedNumbers = fields.filter { $0.mayHoldSearchedNumbers }.map { $0.name }
    derived = schema.derived
    if schema.searchOnly.isEmpty {
      restored = nil
    } else {
      restored = { body in (try? schema.read(body)).map { schema.storedValue(of: $0) } }
    }
  }

  /// The names that a store cannot have tables for, each with the reason as a clause for a person.
  package static let unusableNames = [
    "sqlite": "SQLite reserves table names that begin with sqlite_",
    "absorbed": "every store has a table named absorbed_record",
    "dbstat": "SQLite has a table of that name", "fts3tokenize": "SQLite has a table of that name",
  ]
}

extension RecordKind: Hashable {
  public static func == (left: RecordKind, right: RecordKind) -> Bool {
    left.name == right.name && left.leaves == right.leaves && left.searched == right.searched
      && left.searchedNumbers == right.searchedNumbers
  }

  // Hashing the names of the fields takes longer and gains little.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RecordKind {
  /// True when two stored bodies have the same values in the record's own fields, however they are written. False if one is unreadable.
  func isSameRecord(_ body: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    let own = Set(leaves.compactMap(\.names.first))
    func values(_ body: ArraySlice<UInt8>) -> Value? {
      let value = (try? JSON(Array(body)))?.value
      // Other kinds have no fields that only a search looks at.
      guard restored != nil, let members = value?.members else { return value }
      return .object(members.filter { own.contains($0.name) })
    }
    guard let one = values(body), let other = values(other) else { return false }
    return one.hasValue(of: other, timesAt: times)
  }

  /// Returns a kind for records of the same type that never mix with these, such as a sample.
  package func companion(_ purpose: String) -> RecordKind { RecordKind("\(name).\(purpose)", like: self) }

  /// Returns the text of a record for the search, as a ``Batch`` writes it, for an index that has to be made again.
  public func searchText(of body: JSON, id: String) -> [UInt8] {
    var text = IndexedText()
    text.begin(id: Array(id.utf8)[...])
    let body = restored?(body).flatMap { try? JSON($0.bytes) } ?? body
    for field in searchedFields { if let part = body[field.name] { text.lines.append(part, at: field.ways) } }
    var bytes: [UInt8] = []
    text.end(into: &bytes)
    return bytes
  }

  /// The stored values from which the views are made, as a text: if it changes, they have to be made again.
  package var fieldList: String { String(decoding: Value.list(leaves.map { .text($0.text) }).bytes, as: UTF8.self) }

  /// The values from which the index is made, as a text: if it changes, the index has to be made again.
  package var indexed: String {
    let numbers = searchedNumbers.isEmpty ? "" : "; numbers of \(searchedNumbers.joined(separator: ", "))"
    return "letters 1: \(searched.map(\.text).joined(separator: ", "))\(numbers)"
  }
}
