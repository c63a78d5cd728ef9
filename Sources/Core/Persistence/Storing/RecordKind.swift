/// The facts about a source that a store needs to keep its records: its name and their fields.
public final class RecordKind: Sendable {
  /// The source's name, under which its records are stored.
  public let name: String
  /// The paths of the values that are stored of a record, in order: `name.first`.
  public let leaves: [FieldPath]
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
    (self.name, leaves, searched, searchedNumbers, searchedFields, derived, restored) = (name, [], [], [], [], [], nil)
  }

  private init(_ name: String, like other: RecordKind) {
    (self.name, leaves, searched, searchedNumbers) = (name, other.leaves, other.searched, other.searchedNumbers)
    (searchedFields, derived, restored) = (other.searchedFields, other.derived, other.restored)
  }

  /// Makes the kind of the source called `name`.
  public init<Item>(_ name: String, of schema: Schema<Item>) {
    self.name = name
    leaves = schema.outline.filter { !$0.isComputed }.leaves.map { $0.path }
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
}

extension RecordKind {
  /// The names that a store cannot have tables for, each with the reason as a clause for a person.
  package static let unusableNames = [
    "sqlite": "SQLite keeps the names of tables that begin with sqlite_ for itself",
    "absorbed": "every store has a table absorbed_record of its own",
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
  /// True when stored bodies have fields that only a search looks at.
  var hasSearchOnly: Bool { restored != nil }

  /// True when two stored bodies have the same values in the record's own fields. False if one of them can no longer be read.
  func isSameRecord(_ body: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    let own = Set(leaves.compactMap(\.names.first))
    func values(_ body: ArraySlice<UInt8>) -> [Member]? {
      (try? JSON(Array(body)))?.value.members?.filter { own.contains($0.name) }
    }
    return values(body).map { $0 == values(other) } ?? false
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
}

/// The text of a record in an index: the letters of all searched values, a line break after each value, and one more at the end, so that
/// any one or two letters are the beginning of some three.
struct IndexedText: Sendable {
  var lines = SearchedText(.letters)
  private var id = SearchedText(.letters)

  mutating func begin(id: ArraySlice<UInt8>) {
    lines.removeAll()
    self.id.removeAll()
    id.withUnsafeBufferPointer { self.id.append(utf8: $0) }
    self.id.endValue()
  }

  /// Ends the text and appends it to `bytes`. It has the id once, even if a searched value is the same text.
  func end(into bytes: inout [UInt8]) {
    bytes.append(contentsOf: lines.bytes)
    if !lines.hasLine(id) { bytes.append(contentsOf: id.bytes) }
    bytes.append(Byte.newline)
  }
}

/// The memory into which a ``RowWriter`` writes one record after the other.
struct WrittenRows: Sendable {
  var writer = JSONWriter()
  /// The text of the present record for the search.
  fileprivate var text = IndexedText()
  /// The number of records that have a value, for each column.
  private(set) var present: [Int] = []

  var bytes: [UInt8] { writer.bytes }

  fileprivate mutating func count(in column: Int) {
    while present.count <= column { present.append(0) }
    present[column] += 1
  }

  /// Removes all records, and keeps the memory for what comes next.
  mutating func removeAll() {
    present = []
    writer.removeAll(keepingCapacity: true)
  }
}

/// Writes records as a store keeps them. One writer serves many records, so that the names of their fields are quoted once.
struct RowWriter<Item: SourceItem>: Sendable {
  private typealias Step = @Sendable (Item, inout WrittenRows) -> Void

  /// Writes the values of all columns. One function, because a loop over a list would count references to each column for each record.
  private let writeColumns: Step
  /// The names of the columns that are read from a row; nil for a column that is computed from others, and so tells nothing of its own.
  private let readNames: [String?]

  init(_ schema: Schema<Item>) {
    let (fields, derived) = (schema.fields.filter { !$0.outline.isComputed }, schema.derived)
    var steps: [Step] = []
    for field in fields { steps.append(Self.step(field, field.outline, column: steps.count)) }
    for field in schema.searchOnly { steps.append(Self.step(field, field.outline.searched, column: steps.count)) }
    writeColumns = Self.inTurn(steps[...])
    readNames = fields.map { derived.contains($0.name) ? nil : $0.name }
  }

  private static func step(_ field: Field<Item>, _ outline: FieldOutline, column: Int) -> Step {
    let (key, ways, value) = (JSONWriter.Key(field.name), outline.searchedWays, field.value)
    let isSearched = !ways.isEmpty
    return { item, rows in
      let value = value(item)
      guard !value.isNull else { return }
      if !value.saysNothing { rows.count(in: column) }
      rows.writer.key(key)
      rows.writer.write(compact: value)
      if isSearched { rows.text.lines.append(value, at: ways) }
    }
  }

  private static func inTurn(_ steps: ArraySlice<Step>) -> Step {
    guard steps.count > 1 else { return steps.first ?? { _, _ in } }
    let middle = steps.startIndex + steps.count / 2
    let (first, second) = (inTurn(steps[..<middle]), inTurn(steps[middle...]))
    return { item, rows in
      first(item, &rows)
      second(item, &rows)
    }
  }

  /// Returns the shape of so many `records`; `present` is the number of them that have a value, for each column.
  func shape(of records: Int, present: [Int]) -> ShapeCounts {
    var shape = ShapeCounts()
    shape.records = records
    for (index, name) in readNames.enumerated() {
      if let name { shape.present.add(name, present.indices.contains(index) ? present[index] : 0) }
    }
    return shape
  }

  /// Appends a record's id, its own fields and its text for the search, and returns the range of each.
  func append(_ item: Item, to rows: inout WrittenRows) -> (id: Range<Int>, body: Range<Int>, text: Range<Int>) {
    let start = rows.writer.bytes.count
    rows.writer.bytes.append(contentsOf: item.id.utf8)
    let id = start..<rows.writer.bytes.count
    rows.text.begin(id: rows.writer.bytes[id])
    rows.writer.beginObject()
    writeColumns(item, &rows)
    rows.writer.endObject()
    let body = id.upperBound..<rows.writer.bytes.count
    rows.text.end(into: &rows.writer.bytes)
    return (id, body, body.upperBound..<rows.writer.bytes.count)
  }
}

extension Value {
  /// True for an empty text and for an empty list.
  fileprivate var saysNothing: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .list(let values): values.isEmpty
    default: false
    }
  }
}

extension JSONWriter {
  /// Writes a value without the members that are null, at every level.
  fileprivate mutating func write(compact value: Value) {
    guard case .object(let members) = value else { return write(value) }
    beginObject()
    for member in members where !member.value.isNull {
      key(member.name)
      write(compact: member.value)
    }
    endObject()
  }
}

extension RecordKind {
  /// The stored values from which the views are made, as a text: if it changes, they have to be made again.
  package var fieldList: String {
    var writer = JSONWriter()
    writer.write(.list(leaves.map { .text($0.text) }))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The values from which the index is made, as a text: if it changes, the index has to be made again.
  package var indexed: String {
    let numbers = searchedNumbers.isEmpty ? "" : "; numbers of \(searchedNumbers.joined(separator: ", "))"
    return "letters 1: \(searched.map(\.text).joined(separator: ", "))\(numbers)"
  }
}
