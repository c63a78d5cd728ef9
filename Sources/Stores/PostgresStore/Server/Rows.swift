import AggregatorCore
import CPostgres
import StoreTables

/// The result of one statement.
///
/// @unchecked Sendable: libpq allows any number of threads to read a result, and nothing changes it before it is freed with this object.
final class Rows: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes over the result, which is freed with this object.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { cpg_result_free(result) }

  private var count: Int { Int(cpg_row_count(result)) }
  /// The number in the first row; 0 without rows.
  var number: Int { first { $0.int(0) } ?? 0 }
  /// The number of rows that the statement changed.
  var changes: Int { Int(String(cString: cpg_changes(result))) ?? 0 }

  func map<Value>(_ read: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<CInt(count)).map { try read(Row(result: result, number: $0)) }
  }

  /// Returns the first row as `read` reads it; nil without rows.
  func first<Value>(_ read: (Row) throws -> Value) rethrows -> Value? {
    count > 0 ? try read(Row(result: result, number: 0)) : nil
  }

  /// One row of the result, valid as long as the result.
  struct Row: StoredValues {
    fileprivate let result: OpaquePointer
    fileprivate let number: CInt

    func isNull(_ column: CInt) -> Bool { cpg_is_null(result, number, column) }

    func isWhole(_ column: CInt) -> Bool { !isNull(column) }
    func bytes(_ column: CInt) -> [UInt8] { SQLText.read(raw(column)) }
    func int64(_ column: CInt) -> Int64 { Int64(String(decoding: raw(column), as: UTF8.self)) ?? 0 }
    func bool(_ column: CInt) -> Bool { raw(column).first == UInt8(ascii: "t") }

    private func raw(_ column: CInt) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: cpg_value(result, number, column), count: Int(cpg_length(result, number, column)))
    }
  }
}
