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
    // A null inside such a value is the service's own.
    let isAny = outline.leaves.contains { $0.kind == .any }
    return { item, rows in
      let value = value(item)
      guard !value.isNull else { return }
      if !value.saysNothing { rows.count(in: column) }
      rows.writer.key(key)
      if isAny { rows.writer.write(value) } else { rows.writer.write(compact: value) }
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
  func append(
    _ item: Item, to rows: inout WrittenRows, misfits: [Misfit]
  ) -> (id: Range<Int>, body: Range<Int>, text: Range<Int>) {
    let start = rows.writer.bytes.count
    rows.writer.bytes.append(contentsOf: item.id.utf8)
    let id = start..<rows.writer.bytes.count
    rows.text.begin(id: rows.writer.bytes[id])
    rows.writer.beginObject()
    writeColumns(item, &rows)
    if !misfits.isEmpty, let mark = item.mark(of: misfits) {
      rows.writer.key(JSONWriter.Key(mark.name))
      rows.writer.write(mark.value)
    }
    rows.writer.endObject()
    let body = id.upperBound..<rows.writer.bytes.count
    rows.text.end(into: &rows.writer.bytes)
    return (id, body, body.upperBound..<rows.writer.bytes.count)
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
