import AggregatorCore
import CZstd
import RecordFormats

/// The values of one column in the present row group of a Parquet file, encoded as they come.
struct ParquetColumn {
  let name: String
  let type: ColumnType
  /// True for each row that has a value.
  private var levels = BitList()
  private var bools = BitList()
  private var data: [UInt8] = []
  private var least: ColumnValue?
  private var greatest: ColumnValue?

  init(_ name: String, _ type: ColumnType) { (self.name, self.type) = (name, type) }

  /// The number of rows.
  var rows: Int { levels.count }
  var size: Int { data.count }

  /// Appends a row with a value, or with none.
  mutating func append(_ value: ColumnValue) {
    levels.append(value != .null)
    switch value {
    case .null: return
    case .bool(let bool): bools.append(bool)
    case .integer(let number):
      if type == .day {
        withUnsafeBytes(of: Int32(clamping: number).littleEndian) { data.append(contentsOf: $0) }
      } else {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
      }
    case .number(let number): withUnsafeBytes(of: number.bitPattern.littleEndian) { data.append(contentsOf: $0) }
    case .text(let text):
      withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { data.append(contentsOf: $0) }
      data.append(contentsOf: text.utf8)
      return
    }
    if least.map({ value < $0 }) ?? true { least = value }
    if greatest.map({ $0 < value }) ?? true { greatest = value }
  }

  /// Appends rows without a value up to `count` rows.
  mutating func fill(to count: Int) { while rows < count { append(.null) } }

  /// A column of a row group, as the end of the file describes it.
  struct Chunk {
    let rows, nulls, offset, plainSize, size: Int
    let isCompressed: Bool
    let least, greatest: [UInt8]?
  }

  /// Returns the bytes of the rows so far, as one page at that place in the file, and begins anew.
  mutating func page(at offset: Int) -> (bytes: [UInt8], chunk: Chunk) {
    let levelBytes = levels.asLevels
    var body: [UInt8] = []
    body.reserveCapacity(levelBytes.count + data.count + bools.bytes.count + 4)
    withUnsafeBytes(of: UInt32(levelBytes.count).littleEndian) { body.append(contentsOf: $0) }
    body += levelBytes
    body += type == .bool ? bools.bytes : data
    let packed = Zstd.compress(body)
    let head = ThriftWriter.alone { page in
      page.i32(1, 0)
      page.i32(2, body.count)
      page.i32(3, packed?.count ?? body.count)
      page.structure(5) { data in
        data.i32(1, rows)
        data.i32(2, 0)
        data.i32(3, 3)
        data.i32(4, 3)
      }
    }
    let chunk = Chunk(
      rows: rows, nulls: levels.count - levels.set, offset: offset, plainSize: head.count + body.count,
      size: head.count + (packed?.count ?? body.count), isCompressed: packed != nil, least: least?.plainBytes(as: type),
      greatest: greatest?.plainBytes(as: type))
    self = ParquetColumn(name, type)
    return (head + (packed ?? body), chunk)
  }
}

extension ParquetColumn {
  /// The number by which Parquet knows how the values are stored.
  private var physicalType: Int {
    switch type {
    case .bool: 0
    case .day: 1
    case .integer, .moment, .localTime: 2
    case .number: 5
    case .text, .json: 6
    }
  }

  /// Describes the column among those of the file.
  func describe(in schema: inout ThriftWriter) {
    schema.i32(1, physicalType)
    schema.i32(3, 1)
    schema.text(4, name)
    // The older and the newer way to say what the stored values mean.
    let converted: Int? =
      switch type {
      case .text: 0
      case .day: 6
      case .moment: 10
      case .json: 19
      case .integer, .number, .bool, .localTime: nil
      }
    if let converted { schema.i32(6, converted) }
    let logical: Int16? =
      switch type {
      case .text: 1
      case .day: 6
      case .moment, .localTime: 8
      case .json: 12
      case .integer, .number, .bool: nil
      }
    guard let logical else { return }
    schema.structure(10) { kind in
      kind.structure(logical) { time in
        guard logical == 8 else { return }
        time.bool(1, type == .moment)
        time.structure(2) { unit in unit.structure(2) { _ in } }
      }
    }
  }

  /// Describes the column of one row group.
  func describe(_ chunk: Chunk, in group: inout ThriftWriter) {
    group.i64(2, chunk.offset)
    group.structure(3) { meta in
      meta.i32(1, physicalType)
      meta.numbers(2, [0, 3])
      meta.texts(3, [name])
      meta.i32(4, chunk.isCompressed ? 6 : 0)
      meta.i64(5, chunk.rows)
      meta.i64(6, chunk.plainSize)
      meta.i64(7, chunk.size)
      meta.i64(9, chunk.offset)
      meta.structure(12) { statistics in
        statistics.i64(3, chunk.nulls)
        if let greatest = chunk.greatest { statistics.binary(5, greatest) }
        if let least = chunk.least { statistics.binary(6, least) }
      }
    }
  }
}

extension ColumnValue {
  /// The order of numbers and truth values; texts have none here.
  fileprivate static func < (left: ColumnValue, right: ColumnValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.number(let left), .number(let right)): left < right
    case (.bool(let left), .bool(let right)): !left && right
    default: false
    }
  }

  /// The value as Parquet stores the bounds of a column; nil for a number whose sign of zero a reader may take for another.
  fileprivate func plainBytes(as type: ColumnType) -> [UInt8]? {
    switch self {
    case .bool(let bool): [bool ? 1 : 0]
    case .integer(let number):
      type == .day
        ? withUnsafeBytes(of: Int32(clamping: number).littleEndian) { Array($0) }
        : withUnsafeBytes(of: number.littleEndian) { Array($0) }
    case .number(let number) where number != 0: withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
    case .number, .null, .text: nil
    }
  }
}

/// Truth values, eight in a byte, the first in its lowest bit.
private struct BitList {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  /// The number of those that are true.
  private(set) var set = 0

  mutating func append(_ bit: Bool) {
    if count % 8 == 0 { bytes.append(0) }
    if bit {
      bytes[bytes.count - 1] |= 1 << UInt8(count % 8)
      set += 1
    }
    count += 1
  }

  /// The list as definition levels: one run if all are equal, else the bits.
  var asLevels: [UInt8] {
    if set == count || set == 0 { return ThriftWriter.varint(UInt64(count) << 1) + [set == count ? 1 : 0] }
    return ThriftWriter.varint(UInt64(bytes.count) << 1 | 1) + bytes
  }
}

/// Compression by the system's library, if that is installed.
private enum Zstd {
  /// Returns the bytes compressed; nil without the library, or if that does not make them shorter.
  static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    let room = zstd_bound(bytes.count)
    guard room > 0 else { return nil }
    let packed = [UInt8](unsafeUninitializedCapacity: room) { target, count in
      count = bytes.withUnsafeBytes { source in
        guard let start = source.baseAddress, let place = target.baseAddress else { return 0 }
        return zstd_compress(place, room, start, source.count)
      }
    }
    return packed.isEmpty || packed.count >= bytes.count ? nil : packed
  }
}
