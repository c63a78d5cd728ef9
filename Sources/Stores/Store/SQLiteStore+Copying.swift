public import AggregatorCore
public import StoreTables

extension SQLiteStore: MovableStore {
  public func tables() async throws -> (any StoredTables)? {
    guard database.isThere else { return nil }
    return try await snapshot() as? SQLiteSnapshot
  }

  @concurrent public func write(_ rows: [[StoredTable.Value]], into table: StoredTable) async throws {
    try database.writing(with: .much) { connection in
      if table == .sources {
        for case .text(let name)? in rows.map(\.first) {
          try connection.makeTables(of: RecordKind(String(decoding: name, as: UTF8.self)))
        }
      }
      // The row of a source replaces an earlier one. Its fields, and the fields in the index, are filled in at the end of a copy.
      let (verb, more, empty) =
        table == .sources ? ("INSERT OR REPLACE", ", fields, indexed", ", '', ''") : ("INSERT", "", "")
      let values = table.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      let insert = try connection.statement("\(verb) INTO \(table.sqlName)(\(table.names)\(more)) VALUES(\(values)\(empty))")
      for row in rows {
        insert.bind(row)
        try insert.run()
      }
      insert.reset()
    }
  }

  @concurrent public func clear(_ table: StoredTable) async throws {
    try database.writing { connection in
      let isOther = table == .keepsakes ? " WHERE name != \(SQLText.text(StoredTable.unfinishedCopy))" : ""
      try connection.run("DELETE FROM \(table.sqlName)\(isOther)")
    }
  }

  @concurrent public func endCopy(of kinds: [RecordKind]) async throws {
    try database.writing(with: .much) { connection in
      for kind in kinds { try connection.prepareTables(of: kind) }
      // Another store never uses a record's number twice, so its position may be higher
      // than any row here. New rows would then count as shown.
      for name in try connection.all("SELECT name FROM source_info", read: { $0.text(0) }) {
        try connection.limitShown(of: RecordKind(name))
      }
      try connection.run("DELETE FROM store_keepsake WHERE name = ?1", StoredTable.unfinishedCopy)
    }
  }
}

extension SQLiteSnapshot: StoredTables {
  func all() async throws -> [StoredTable] {
    // The rows are read whole, so that nothing is copied if one of them is damaged.
    let sources = try await rows(of: .sources, after: nil, count: .max)
    return StoredTable.all(
      of: sources.compactMap { if case .text(let name) = $0[0] { String(decoding: name, as: UTF8.self) } else { nil } })
  }

  func rows(of table: StoredTable, after last: [StoredTable.Value]?, count: Int) async throws -> [[StoredTable.Value]] {
    try reading { connection in
      let key = table.key.map(table.name(of:)).joined(separator: ", ")
      let placeholders = table.key.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      let conditions =
        (last == nil ? [] : ["(\(key)) > (\(placeholders))"])
        + (table == .keepsakes ? ["name != \(SQLText.text(StoredTable.unfinishedCopy))"] : [])
      let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      let statement = try connection.statement(
        "SELECT \(table.names) FROM \(table.sqlName) \(condition) ORDER BY \(key) LIMIT ?1")
      statement.bind(Int64(count), at: 1)
      if let last { statement.bind(Array(last[..<table.keyLength]), from: 2) }
      defer { statement.reset() }
      var rows: [[StoredTable.Value]] = []
      while try statement.step() { rows.append(try table.values(of: statement)) }
      return rows
    }
  }
}

extension StoredTable {
  fileprivate var names: String { columns.map(name(of:)).joined(separator: ", ") }
}

extension PreparedStatement {
  fileprivate func bind(_ values: [StoredTable.Value], from first: CInt = 1) {
    for (index, value) in values.enumerated() {
      switch value {
      case .null: bind(nil, at: first + CInt(index))
      case .number(let number): bind(number, at: first + CInt(index))
      case .text(let text): bind(text, at: first + CInt(index))
      }
    }
  }
}
