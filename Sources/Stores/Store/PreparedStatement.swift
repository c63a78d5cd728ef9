import AggregatorCore
import CSQLite
import StoreTables

/// A value that can be bound to a statement.
protocol Bindable {
  func bind(to statement: PreparedStatement, at index: CInt)
}

/// A prepared statement, which its connection keeps.
final class PreparedStatement {
  private let handle: OpaquePointer
  private let connection: OpaquePointer
  /// The first failure since the last reset of what has no failure of its own: a value that was not bound, or not read, for want of memory.
  private var quietFailure = SQLITE_OK

  init(_ handle: OpaquePointer, of connection: OpaquePointer) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [(any Bindable)?]) {
    for (index, value) in values.enumerated() { bind(value, at: CInt(index) + 1) }
  }

  func bind(_ value: (any Bindable)?, at index: CInt) {
    if let value { value.bind(to: self, at: index) } else { note(sqlite3_bind_null(handle, index)) }
  }

  func bind(_ number: Int64, at index: CInt) { note(sqlite3_bind_int64(handle, index, number)) }

  func bind(_ number: Double, at index: CInt) { note(sqlite3_bind_double(handle, index, number)) }

  func bind(_ text: String, at index: CInt) {
    var text = text
    // Copied: the string may be gone before the statement has run.
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        note(sqlite3_bind_text(handle, index, $0.baseAddress ?? Self.nothing, CInt($0.count), Self.copied))
      }
    }
  }

  /// Binds bytes that the caller keeps in place until the statement has run.
  func bind(text bytes: UnsafeRawBufferPointer, at index: CInt) {
    note(csqlite_bind_text(handle, index, bytes.baseAddress, CInt(bytes.count)))
  }

  /// Binds bytes that are no text, which the caller keeps in place until the statement has run.
  func bind(blob bytes: UnsafeRawBufferPointer, at index: CInt) {
    note(sqlite3_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count), nil))
  }

  func bind(_ text: ArraySlice<UInt8>, at index: CInt) {
    text.withUnsafeBytes {
      note(
        sqlite3_bind_text(
          handle, index, $0.assumingMemoryBound(to: CChar.self).baseAddress ?? Self.nothing, CInt($0.count), Self.copied))
    }
  }

  private func note(_ code: CInt) { if code != SQLITE_OK, quietFailure == SQLITE_OK { quietFailure = code } }

  /// Moves to the next row. Returns false after the last one.
  func step() throws(SQLiteFailure) -> Bool {
    if quietFailure != SQLITE_OK {
      let failure = SQLiteFailure(code: quietFailure, String(cString: sqlite3_errstr(quietFailure)))
      reset()
      throw failure
    }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let failure = SQLiteFailure(connection)
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// Runs the statement, and resets it for other values.
  func run() throws(SQLiteFailure) {
    _ = try step()
    sqlite3_reset(handle)
  }

  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    quietFailure = SQLITE_OK
  }

  /// Resets the statement, to run again with the same values.
  func rewind() { sqlite3_reset(handle) }

  func int64(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }
  func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The number of columns in a row.
  var columns: CInt { sqlite3_column_count(handle) }
  func isWhole(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  func bytes(_ column: CInt) -> [UInt8] { Array(borrowedBytes(column)) }

  /// The bytes of a value where SQLite has them; they stay there until the next step.
  func borrowedBytes(_ column: CInt) -> UnsafeBufferPointer<UInt8> {
    // The pointer first: asking for it may change the length.
    guard let start = sqlite3_column_blob(handle, column) else {
      if sqlite3_errcode(connection) == SQLITE_NOMEM { note(SQLITE_NOMEM) }
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// SQLITE_TRANSIENT: SQLite copies the bytes at once.
  static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
  /// The address of an empty text, since a null pointer would bind NULL. Never written to, and never freed.
  nonisolated(unsafe) private static let nothing = UnsafePointer<CChar>(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
}

extension PreparedStatement: StoredValues {}

extension Int: Bindable {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(Int64(self), at: index) }
}

extension Int64: Bindable {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(self, at: index) }
}

extension String: Bindable {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(self, at: index) }
}

/// The bytes of a text, which stay in place until the statement has run.
extension UnsafeRawBufferPointer: Bindable {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(text: self, at: index) }
}

/// The bytes of a text.
extension Array: Bindable where Element == UInt8 {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(self[...], at: index) }
}

extension ArraySlice: Bindable where Element == UInt8 {
  func bind(to statement: PreparedStatement, at index: CInt) { statement.bind(self, at: index) }
}
