import AggregatorCore
import Asking
import RecordFormats

/// A list as a Parquet file. Its description comes last, so that a file that breaks off cannot be read at all.
///
/// A column has the type of its field, or the narrowest type that the first values fit. A later value that does not fit is
/// kept as JSON in a column of its own, `NAME (other)`.
struct ParquetRenderer: Renderer {
  private let columns: Columns
  private let sink: any Sink
  private var facts: FileFacts
  private var place = 0
  private var table: Table?
  /// The first rows, until they are enough to tell the types of the columns.
  private var first: [[Value]] = []
  private var firstEdits: [[String]] = []
  private var firstSize = 0
  private var edits: [String: [FieldPath]] = [:]
  private var groups: [Group] = []

  private static let sampled = 1_000
  private static let mostRows = 65_536
  private static let mostBytes = 16 << 20

  /// The columns of the rows in the present row group.
  private struct Table {
    var columns: [ParquetColumn]
    /// Columns that few records need, by the numbers of the columns that they belong to; that of edits is -1.
    var late: [Int: ParquetColumn] = [:]
    /// The columns whose type is not known yet, because no row had a value.
    var untyped: Set<Int>
    var rows = 0
    var size: Int { columns.reduce(late.values.reduce(0) { $0 + $1.size }) { $0 + $1.size } }
  }

  private struct Group {
    let rows: Int
    var chunks: [ParquetColumn.Chunk]
    var late: [Int: ParquetColumn.Chunk]
  }

  init(_ columns: Columns, _ facts: FileFacts, into sink: any Sink) {
    (self.columns, self.facts, self.sink) = (columns, facts, sink)
  }

  mutating func begin(_ origin: Origin?) throws {
    facts.origin = origin
    try send(Array("PAR1".utf8))
  }

  mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }
  mutating func remark(_ texts: [String]) { facts.remarks += texts }

  mutating func print(_ records: [ShownRecord]) throws {
    for record in records {
      let row = columns.dataValues(of: record)
      let edited = edits.isEmpty ? [] : (edits[record.id] ?? []).map(\.text)
      if !edited.isEmpty { facts.edited += 1 }
      if table == nil {
        first.append(row)
        firstEdits.append(edited)
        firstSize += row.reduce(0) { $0 + ($1.text?.utf8.count ?? 8) }
        if first.count == Self.sampled || firstSize >= Self.mostBytes { try settleTypes() }
      } else {
        try append(row, edited)
      }
    }
    facts.rows += records.count
  }

  /// Chooses the types of the columns by the first rows, and appends these rows.
  private mutating func settleTypes() throws {
    let names = UniqueNames(columns.dataNames).names
    var untyped: Set<Int> = []
    let made = columns.inData.indices.map { index in
      let leaf = columns.inData[index].leaf
      let values = first.lazy.map { $0[index] }.filter { !$0.isNull }
      guard let type = (columns.areTyped ? ColumnType(declared: leaf) : nil) ?? ColumnType(fitting: Array(values), of: leaf)
      else {
        untyped.insert(index)
        return ParquetColumn(names[index], leaf.kind == .time || !columns.areTyped ? .text : .json)
      }
      return ParquetColumn(names[index], type)
    }
    table = Table(columns: made, untyped: untyped)
    let (rows, edits) = (first, firstEdits)
    (first, firstEdits) = ([], [])
    for (row, edited) in zip(rows, edits) { try append(row, edited) }
  }

  private mutating func append(_ row: [Value], _ edited: [String]) throws {
    guard var table else { return }
    // A table that stayed in the property would be copied at each change.
    self.table = nil
    for (index, value) in row.enumerated() {
      if !table.untyped.isEmpty, table.untyped.contains(index), !value.isNull {
        table.untyped.remove(index)
        // No row group has a value of this column yet, so that its type is free to be chosen.
        let leaf = columns.inData[index].leaf
        if let type = ColumnType(fitting: [value], of: leaf) {
          var typed = ParquetColumn(table.columns[index].name, type)
          typed.fill(to: table.rows)
          table.columns[index] = typed
        }
      }
      if let fitting = table.columns[index].type.typed(value) {
        table.columns[index].append(fitting)
      } else {
        table.columns[index].append(.null)
        append(jsonText(value), index, named: "\(table.columns[index].name) (other)", .json, to: &table)
      }
    }
    if !edited.isEmpty { append(jsonText(.list(edited.map { .text($0) })), -1, named: Edit.mark, .json, to: &table) }
    table.rows += 1
    let isFull = table.rows >= Self.mostRows || table.size >= Self.mostBytes
    self.table = table
    if isFull { try endGroup() }
  }

  /// Appends a value of the present row to a column that few records need.
  private func append(_ text: String, _ number: Int, named name: String, _ type: ColumnType, to table: inout Table) {
    var column = table.late.removeValue(forKey: number) ?? ParquetColumn(name, type)
    column.fill(to: table.rows)
    column.append(.text(text))
    table.late[number] = column
  }

  /// Writes the columns of the present row group.
  private mutating func endGroup() throws {
    guard var table, table.rows > 0 else { return }
    self.table = nil
    var group = Group(rows: table.rows, chunks: [], late: [:])
    for index in table.columns.indices { group.chunks.append(try send(&table.columns[index])) }
    for number in table.late.keys.sorted() {
      guard var column = table.late[number] else { continue }
      column.fill(to: table.rows)
      group.late[number] = try send(&column)
      table.late[number] = column
    }
    groups.append(group)
    table.rows = 0
    self.table = table
  }

  private mutating func send(_ column: inout ParquetColumn) throws -> ParquetColumn.Chunk {
    let (bytes, chunk) = column.page(at: place)
    try send(bytes)
    return chunk
  }

  private mutating func send(_ bytes: [UInt8]) throws {
    try sink.write(bytes)
    place += bytes.count
  }

  mutating func end(_ summary: Summary?) throws {
    facts.summary = summary
    if table == nil { try settleTypes() }
    try endGroup()
    guard let table else { return }
    let late = table.late.sorted { $0.key < $1.key }
    // A row group that was written before a column was needed gets it now, without values.
    for index in groups.indices {
      for (number, column) in late where groups[index].late[number] == nil {
        var empty = ParquetColumn(column.name, column.type)
        empty.fill(to: groups[index].rows)
        groups[index].late[number] = try send(&empty)
      }
    }
    let names = UniqueNames(table.columns.map(\.name) + late.map { $0.value.name }).names
    let all = zip(names, table.columns + late.map(\.value)).map { ParquetColumn($0, $1.type) }
    let footer = footer(all, late.map(\.key))
    try send(footer)
    try send(withUnsafeBytes(of: UInt32(footer.count).littleEndian) { Array($0) } + Array("PAR1".utf8))
  }

  /// Returns the description of the file: its columns, its row groups, and what is known of the list.
  private func footer(_ all: [ParquetColumn], _ late: [Int]) -> [UInt8] {
    ThriftWriter.alone { file in
      file.i32(1, 2)
      file.structures(2, [ParquetColumn?.none] + all.map(Optional.some)) { schema, column in
        guard let column else {
          schema.text(4, "schema")
          return schema.i32(5, all.count)
        }
        column.describe(in: &schema)
      }
      file.i64(3, facts.rows)
      file.structures(4, groups) { group, written in
        let chunks = written.chunks + late.compactMap { written.late[$0] }
        group.structures(1, Array(zip(all, chunks))) { $1.0.describe($1.1, in: &$0) }
        group.i64(2, chunks.reduce(0) { $0 + $1.plainSize })
        group.i64(3, written.rows)
      }
      file.structures(5, facts.byName) { pair, fact in
        pair.text(1, "aggregator.\(fact.name)")
        pair.text(2, fact.value.text ?? jsonText(fact.value))
      }
      file.text(6, "aggregator")
      // Bounds of columns are in the order of their types.
      file.structures(7, all) { order, _ in order.structure(1) { _ in } }
    }
  }
}
