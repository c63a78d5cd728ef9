import Bodies
import Platform
import Synchronization

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Asking

/// A stream that delivers `step` bytes at a time.
final class ChunkedStream: ByteStream {
  private let bytes: [UInt8]
  private let step: Int
  private let position = Mutex(0)

  init(_ bytes: some Sequence<UInt8>, step: Int) {
    self.bytes = Array(bytes)
    self.step = step
  }

  convenience init(_ text: String, step: Int = .max) { self.init(text.utf8, step: step) }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    position.withLock { position in
      let piece = bytes[position...].prefix(min(step, buffer.count))
      buffer.copyBytes(from: piece)
      position += piece.count
      return piece.count
    }
  }
}

/// The rows of a file, read to its end.
struct ReadRows: Equatable, CustomStringConvertible {
  var values: [[String]] = []
  /// The line at which each good row begins.
  var lines: [Int] = []
  /// The faults, such as `2: a quote is never closed`.
  var faults: [String] = []
  var consumed = 0

  var description: String { "\(values) at \(lines), but for \(faults)" }

  /// The rows of a table, read with `step` bytes at a time.
  init(table text: some Sequence<UInt8>, step: Int = .max, longest: Int = 1 << 20) throws {
    try self.init(TableShape(), text, step, longest) { bytes, row, _ in try row.texts(in: bytes) }
  }

  /// The rows of a file of lines, read with `step` bytes at a time.
  init(lines text: some Sequence<UInt8>, step: Int = .max, longest: Int = 1 << 20) throws {
    try self.init(LineShape(), text, step, longest) { row, _, _ in [String(decoding: row, as: UTF8.self)] }
  }

  private init(
    _ shape: some RowShape, _ text: some Sequence<UInt8>, _ step: Int, _ longest: Int,
    _ read: (Bytes, RowEnd, TextLocation) throws -> [String]
  ) throws {
    var rows = FileRows(FileBuffer(ChunkedStream(text, step: step), piece: 4), of: shape, longest: longest)
    while true {
      do {
        if let row = try rows.next(read) {
          values.append(row)
          lines.append(rows.rowLine)
        } else if rows.isOver {
          break
        } else {
          _ = try rows.buffer.fill()
        }
      } catch let error as SourceError {
        faults.append("\(rows.rowLine): \(error.message)")
      }
    }
    consumed = rows.buffer.taken
  }
}

struct Row: Record {
  var id = ""
  var name = ""

  static let fields: [Field<Row>] = [
    Field("id", \.id, .badge),
    Field("name", \.name, .title, searchable: true),
  ]
}
