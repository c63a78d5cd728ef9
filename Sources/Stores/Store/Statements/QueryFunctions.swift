import CSQLite

/// The functions that SQLite's own build may lack: `median(x)` and `percentile(x, p)`.
///
/// Both ignore null. Between two values they give the value that is as far from both as the percentile is.
enum QueryFunctions {
  /// The numbers of one group.
  private final class Numbers {
    var values: [Double] = []
    /// The percentile, from 0 to 100.
    var percentile = 50.0
  }

  /// The most numbers of all groups of a statement: 128 MB.
  private static let most = 16_000_000

  /// Adds the functions to a connection; `run` counts their numbers, and has to live as long as the connection.
  static func add(to connection: OpaquePointer, counting run: QueryRun) throws(SQLiteFailure) {
    let context = Unmanaged.passUnretained(run).toOpaque()
    let flags = CInt(SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
    let end: @convention(c) (OpaquePointer?) -> Void = { context in if let context { QueryFunctions.end(context) } }
    let median = sqlite3_create_function_v2(
      connection, "median", 1, flags, context, nil,
      { context, _, values in
        if let context, let value = values?[0] { QueryFunctions.step(context, value, nil) }
      }, end, nil)
    let percentile = sqlite3_create_function_v2(
      connection, "percentile", 2, flags, context, nil,
      { context, _, values in
        if let context, let value = values?[0] { QueryFunctions.step(context, value, values?[1]) }
      }, end, nil)
    guard median == SQLITE_OK, percentile == SQLITE_OK else { throw SQLiteFailure(connection) }
  }

  /// Returns the numbers of the group; makes them at the first call if `isMade`.
  private static func numbers(_ context: OpaquePointer, made isMade: Bool) -> UnsafeMutablePointer<Unmanaged<Numbers>?>? {
    let size = isMade ? CInt(MemoryLayout<Unmanaged<Numbers>?>.size) : 0
    return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: Unmanaged<Numbers>?.self)
  }

  private static func step(_ context: OpaquePointer, _ value: OpaquePointer, _ percentile: OpaquePointer?) {
    guard let place = numbers(context, made: true) else { return sqlite3_result_error_nomem(context) }
    let known = place.pointee ?? Unmanaged.passRetained(Numbers())
    place.pointee = known
    let numbers = known.takeUnretainedValue()
    if let percentile {
      let wanted = sqlite3_value_double(percentile)
      guard sqlite3_value_numeric_type(percentile) != SQLITE_TEXT, sqlite3_value_type(percentile) != SQLITE_NULL,
        (0...100).contains(wanted)
      else {
        return sqlite3_result_error(context, "the second value of percentile must be a number from 0 to 100", -1)
      }
      numbers.percentile = wanted
    }
    guard sqlite3_value_type(value) != SQLITE_NULL else { return }
    let type = sqlite3_value_numeric_type(value)
    guard type == SQLITE_INTEGER || type == SQLITE_FLOAT else {
      return sqlite3_result_error(context, "median and percentile take numbers; a text is among the values", -1)
    }
    guard let counted = sqlite3_user_data(context) else { return }
    let run = Unmanaged<QueryRun>.fromOpaque(counted).takeUnretainedValue()
    run.numbers += 1
    guard run.numbers <= most else {
      return sqlite3_result_error(context, "median and percentile take at most 16 million values in a statement", -1)
    }
    numbers.values.append(sqlite3_value_double(value))
  }

  private static func end(_ context: OpaquePointer) {
    guard let place = numbers(context, made: false), let known = place.pointee else { return sqlite3_result_null(context) }
    place.pointee = nil
    let numbers = known.takeRetainedValue()
    guard !numbers.values.isEmpty else { return sqlite3_result_null(context) }
    numbers.values.sort()
    let rank = numbers.percentile / 100 * Double(numbers.values.count - 1)
    let index = min(Int(rank), numbers.values.count - 1)
    let (low, high) = (numbers.values[index], numbers.values[min(index + 1, numbers.values.count - 1)])
    sqlite3_result_double(context, low + (high - low) * (rank - Double(index)))
  }
}
