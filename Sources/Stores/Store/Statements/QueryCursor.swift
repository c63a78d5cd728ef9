import AggregatorCore
import CSQLite
import Platform
import StoreTables

/// A place in a table that a statement reads. While SQLite works on some rows, the next ones are read.
final class QueryCursor {
  let run: QueryRun
  private let table: QueryTable
  private var wish = QueryTable.Wish()
  private var rows: [QueryTable.Row] = []
  private var index = 0
  private var ahead: AwaitedTask<QueryTable.Rows>?
  private var reader = JSON.Reader()
  private var record: JSON?
  /// The number of the row, by which SQLite knows it again when two conditions find it.
  private(set) var number: Int64 = 0

  /// True when the ids are whole numbers.
  private let isOfNumbers: Bool

  init(of module: QueryModule) {
    (run, table) = (module.run, module.table)
    isOfNumbers = table.columns.first { [table] in $0.name == table.id }?.kind == .integer
  }

  deinit { ahead?.cancel() }

  var isAtEnd: Bool { record == nil }

  /// Begins with the first row; `value` is the id or the text that is looked for.
  func begin(_ way: QueryModule.Way, with value: OpaquePointer?) throws {
    ahead?.cancel()
    (rows, index, record, number, ahead) = ([], 0, nil, 0, nil)
    wish = QueryTable.Wish()
    switch way {
    case .all: wish.wantsNotes = false
    case .allWithNotes: break
    case .id, .text:
      // Nothing equals null, and no search finds it.
      guard let value, sqlite3_value_type(value) != SQLITE_NULL else { return }
      let text = Self.text(of: value)
      // Only a whole number, and a text in a column of texts, spells an id in one way.
      let type = sqlite3_value_type(value)
      let isPlain = type == SQLITE_INTEGER || type == SQLITE_TEXT && (!isOfNumbers || Int64(text).map { String($0) } == text)
      if way == .text { wish.selection = .text(text) } else if isPlain { wish.selection = .id(text) }
    }
    // The first rows come soon, for a statement that wants only a few.
    wish.count = 100
    read()
    try advance()
  }

  private func read() {
    let (table, wish) = (table, wish)
    ahead = run.awaiting { try await table.read(wish) }
  }

  /// Goes to the next row that is a JSON object.
  func advance() throws {
    while true {
      while index < rows.count {
        defer { index += 1 }
        number = rows[index].number
        // The reader uses its buffers again unless somebody holds the last record.
        record = nil
        let read = try? reader.read(rows[index].body)
        if let read, read.kind == .object {
          record = read
          return
        }
        run.skipped += 1
      }
      record = nil
      guard let waiting = ahead else { return }
      let more = try waiting.wait()
      (rows, index, ahead) = (more.rows, 0, nil)
      guard let next = more.next else { continue }
      (wish.after, wish.count) = (next, 1_000)
      read()
    }
  }

  /// Gives SQLite the value of a column in the present row.
  func give(_ column: Int, to context: OpaquePointer) {
    guard let record, column < table.columns.count else { return sqlite3_result_null(context) }
    let column = table.columns[column]
    switch column.place {
    case .note(let note):
      let notes = rows[index - 1].notes
      give(note < notes.count ? notes[note] : .null, to: context)
    case .path(let path):
      var found: JSON? = record
      for name in path.names { found = found?[name] }
      if column.isUnknown {
        note(column, hasValue: false)
      } else if column.isDetail {
        note(column, hasValue: found.map { !$0.isNull } ?? false)
      }
      guard let found, column.part.shows(found) else { return sqlite3_result_null(context) }
      if found.kind == .array || found.kind == .object { return Self.give(found.raw, to: context) }
      // A number that does not fit stays as it came.
      if case .others = column.part, found.kind == .number, !found.fitsDouble { return Self.give(found.raw, to: context) }
      give(found.value, to: context)
    }
  }

  private func note(_ column: QueryTable.Column, hasValue: Bool) {
    let source = table.sources.first ?? table.name
    if run.details[source]?[column.name] != true { run.details[source, default: [:]][column.name] = hasValue }
  }

  private func give(_ value: Value, to context: OpaquePointer) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .bool(let bool): sqlite3_result_int(context, bool ? 1 : 0)
    case .int(let int): sqlite3_result_int64(context, Int64(int))
    case .double(let double): sqlite3_result_double(context, double)
    case .decimal(let decimal):
      let text = decimal.description
      let double = Double(text) ?? .nan
      if run.rounded == nil, Numeral("\(double)") != Numeral(text) { run.rounded = text }
      sqlite3_result_double(context, double)
    case .text(var text): text.withUTF8 { Self.give($0, to: context) }
    case .list, .object: Self.give(value.bytes[...], to: context)
    }
  }

  private static func give(_ bytes: ArraySlice<UInt8>, to context: OpaquePointer) {
    bytes.withUnsafeBufferPointer { give($0, to: context) }
  }

  /// Gives a text, which SQLite copies.
  private static func give(_ text: UnsafeBufferPointer<UInt8>, to context: OpaquePointer) {
    text.withMemoryRebound(to: CChar.self) { text in
      guard let start = text.baseAddress, !text.isEmpty else {
        return sqlite3_result_text(context, "", 0, PreparedStatement.copied)
      }
      sqlite3_result_text64(context, start, UInt64(text.count), PreparedStatement.copied, UInt8(SQLITE_UTF8))
    }
  }

  private static func text(of value: OpaquePointer) -> String {
    guard let start = sqlite3_value_text(value) else { return "" }
    return String(decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
  }
}

extension QueryTable.Column.Part {
  fileprivate func shows(_ value: JSON) -> Bool {
    switch self {
    case .all: true
    case .fitting(let kind): kind.holds(value)
    case .others(let kind): !kind.holds(value)
    }
  }
}

extension JSON {
  /// True for a number that SQL holds without a change.
  fileprivate var fitsDouble: Bool { (try? asInt()) != nil || (try? asExactDouble(as: .own)) != nil }
}

extension Leaf.Kind {
  /// True for a value of this type, and for null.
  fileprivate func holds(_ value: JSON) -> Bool {
    if value.isNull { return true }
    switch self {
    case .integer: return value.kind == .number && (try? value.asInt()) != nil
    case .number: return value.kind == .number && value.fitsDouble
    case .bool: return value.kind == .bool
    case .time: return (try? value.asString()).map(Moment.isTime) ?? false
    case .text, .address: return value.kind == .string
    case .any: return true
    }
  }
}
