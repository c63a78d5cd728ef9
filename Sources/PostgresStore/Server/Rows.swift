import AggregatorCore
import CPostgres

/// What one statement gave.
///
/// @unchecked Sendable: libpq allows any number of threads to read a result, which nothing changes before it is freed with this.
final class Rows: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes the result over.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { cpg_result_free(result) }

  private var count: Int { Int(cpg_row_count(result)) }
  /// The number in the first row; 0 where there is none.
  var number: Int { first { $0.int(0) } ?? 0 }
  /// How many rows the statement changed.
  var changes: Int { Int(String(cString: cpg_changes(result))) ?? 0 }

  func map<Value>(_ read: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<CInt(count)).map { try read(Row(result: result, number: $0)) }
  }

  /// The first row as `read` reads it; nil where there is none.
  func first<Value>(_ read: (Row) throws -> Value) rethrows -> Value? {
    count > 0 ? try read(Row(result: result, number: 0)) : nil
  }

  /// One row of it, while that is there.
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
