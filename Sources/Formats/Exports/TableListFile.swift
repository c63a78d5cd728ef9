import AggregatorCore
import Asking
import RecordFormats
import Store

/// Lists as tables of a SQLite database, and a table `about` that says what each is.
final class TableListFile: ListFile {
  private let tables: TableFile
  private let sink: any Sink
  private var facts: [FileFacts] = []
  private var missing: [(name: String, error: SourceError)] = []
  private var names: [String] = []

  private static let about = "about"

  init(in folder: String, into sink: any Sink) throws {
    tables = try TableFile(in: folder)
    self.sink = sink
  }

  func renderer(_ columns: Columns, _ title: FileTitle) throws -> any Renderer {
    let facts = FileFacts(columns, title)
    names.append(facts.name)
    // The table about the others has its name whatever a list is called.
    return ListRenderer(columns, facts, as: UniqueNames([Self.about] + names).names[names.count], in: self)
  }

  func add(missing name: String, because error: SourceError) { missing.append((name, error)) }

  func end() throws {
    let columns = [
      "name", "service", "question", "origin", "origin_in_words", "as_of", "made", "records", "total", "verdict",
      "verdict_in_words",
      "skipped", "duplicates", "misfits", "edited", "remarks",
    ]
    let whole: Set = ["records", "total", "skipped", "duplicates", "edited"]
    try tables.create(Self.about, columns.map { ($0, whole.contains($0) ? "INTEGER" : "TEXT") })
    for list in facts {
      let known = Dictionary(list.byName.map { ($0.name, $0.value) }) { $1 }
      try tables.insert(columns.map { TableFile.Cell(known[$0] ?? .null) }, into: Self.about)
    }
    for (name, error) in missing {
      let known: [String: Value] = [
        "name": .text(name), "records": 0, "verdict": "partial", "verdict_in_words": .text("missing: \(error.message)"),
      ]
      try tables.insert(columns.map { TableFile.Cell(known[$0] ?? .null) }, into: Self.about)
    }
    try tables.finish { try sink.write($0) }
  }

  /// Writes one list as a table. A value that does not fit the type of its column is kept as JSON in a column of its own.
  private struct ListRenderer: Renderer {
    private let columns: Columns
    private let file: TableListFile
    private var facts: FileFacts
    private let table: String
    private var names: [String]
    private let types: [ColumnType?]
    /// The places of further columns in a row, by the numbers of the columns that they belong to; that of edits is -1.
    private var late: [Int: Int] = [:]
    private var edits: [String: [FieldPath]] = [:]

    init(_ columns: Columns, _ facts: FileFacts, as table: String, in file: TableListFile) {
      (self.columns, self.facts, self.table, self.file) = (columns, facts, table, file)
      names = UniqueNames(columns.dataNames).names
      types = columns.inData.map { column in
        guard columns.areTyped else { return nil }
        return column.leaf.kind == .time && !column.leaf.mayBeList ? .text : ColumnType(declared: column.leaf)
      }
    }

    mutating func begin(_ origin: Origin?) throws {
      facts.origin = origin
      // Two records may have one id where a field tells them apart.
      let isUnique = facts.title.isAnswer && columns.areTyped && !columns.fields.contains { $0.role == .reference }
      let key = columns.inData.indices.first { columns.inData[$0].isID && (types[$0] == .text || types[$0] == .integer) }
      try file.tables.create(
        table, zip(names, types).map { (name: $0, type: $1?.sqlType ?? "") }, key: isUnique ? key : nil)
      if let key, !isUnique { try file.tables.addIndex(of: names[key], in: table) }
    }

    mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }
    mutating func remark(_ texts: [String]) { facts.remarks += texts }

    mutating func print(_ records: [ShownRecord]) throws {
      for record in records {
        var row = Array(repeating: TableFile.Cell.null, count: names.count)
        for (index, value) in columns.dataValues(of: record).enumerated() {
          if let type = types[index] {
            if let typed = type.typed(value) { row[index] = TableFile.Cell(typed) } else { try keep(value, index, in: &row) }
          } else {
            row[index] = TableFile.Cell(value)
          }
        }
        if let edited = edits[record.id] {
          try keep(.list(edited.map { .text($0.text) }), -1, in: &row)
          facts.edited += 1
        }
        try file.tables.insert(row, into: table)
      }
      facts.rows += records.count
    }

    private mutating func keep(_ value: Value, _ number: Int, in row: inout [TableFile.Cell]) throws {
      if late[number] == nil {
        guard names.count < TableFile.mostColumns else { throw TableFile.tooManyColumns }
        let wanted = number < 0 ? Edit.mark : "\(names[number]) (other)"
        late[number] = names.count
        names = UniqueNames(names + [wanted]).names
        try file.tables.addColumn(names[names.count - 1], "TEXT", to: table)
        row.append(.null)
      }
      if let place = late[number] { row[place] = .text(jsonText(value)) }
    }

    mutating func end(_ summary: Summary?) throws {
      facts.summary = summary
      file.facts.append(facts)
    }
  }
}

extension ColumnType {
  /// The type as SQLite's tables name it. `BOOLEAN` holds 0 and 1.
  fileprivate var sqlType: String {
    switch self {
    // SQLite would number the rows in a key that is called INTEGER.
    case .integer: "BIGINT"
    case .bool: "BOOLEAN"
    case .number: "REAL"
    case .text, .day, .moment, .localTime, .json: "TEXT"
    }
  }
}

extension TableFile.Cell {
  fileprivate init(_ value: ColumnValue) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .number(number)
    case .text(let text): self = .text(text)
    }
  }

  /// A value in a column without a type: a number or a text as it is, anything else as JSON.
  fileprivate init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .text(let text): self = .text(text)
    case .double(let number): self = .number(number)
    case .int, .decimal:
      let typed = ColumnType.integer.typed(value) ?? ColumnType.number.typed(value)
      self = typed.map { Self($0) } ?? .text(value.plainText)
    case .list, .object: self = .text(jsonText(value))
    }
  }
}
