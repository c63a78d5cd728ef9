/// Ascending numbers of rows in the form in which an index stores them: the first row, the last one, and the distance of each further row to
/// the row before it. A number takes seven bits of a byte, and the eighth bit says that it continues.
struct RowList {
  private(set) var first: Int64
  private(set) var last: Int64
  private var distances: [UInt8] = []

  /// A list of one row.
  init(_ row: Int64) { (first, last) = (row, row) }

  /// Reads a stored list. Throws if it is damaged.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SQLiteFailure) {
    let cursor = try RowCursor(Array(bytes))
    (first, last) = (cursor.first, cursor.last)
    distances = Array(bytes[cursor.place...])
  }

  /// Makes this a list of one row, and keeps the memory for others.
  mutating func restart(at row: Int64) {
    (first, last) = (row, row)
    distances.removeAll(keepingCapacity: true)
  }

  /// Appends a row that is not before the last one. A row that comes twice is in the list once.
  mutating func append(_ row: Int64) {
    guard row > last else { return }
    Self.append(UInt64(bitPattern: row &- last), to: &distances)
    last = row
  }

  /// Adds the rows of another list.
  mutating func add(_ other: RowList) throws(SQLiteFailure) {
    if other.first > last {
      Self.append(UInt64(bitPattern: other.first &- last), to: &distances)
      distances += other.distances
      last = other.last
      return
    }
    var (one, two) = (try RowCursor(bytes), try RowCursor(other.bytes))
    restart(at: min(first, other.first))
    while let row = [one.row, two.row].compactMap(\.self).min() {
      append(row)
      one.advance(past: row)
      two.advance(past: row)
    }
  }

  /// The stored form.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Replaces `bytes` by the stored form.
  func write(to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    Self.append(UInt64(bitPattern: first), to: &bytes)
    Self.append(UInt64(bitPattern: last), to: &bytes)
    bytes += distances
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// A place in a stored list of rows.
struct RowCursor {
  let first: Int64
  let last: Int64
  /// The row at this place; nil after the last one.
  private(set) var row: Int64?
  /// The number of bytes that were read.
  private(set) var place = 0
  private let bytes: [UInt8]

  /// The number of bytes in the list.
  var size: Int { bytes.count }

  /// Makes a place at the first row. Throws if the list is damaged: its rows do not ascend, or do not lead to the last one. A row is given
  /// only after all of them were checked, because one wrong distance moves all rows after it.
  init(_ bytes: [UInt8]) throws(SQLiteFailure) {
    self.bytes = bytes
    var place = 0
    let ends = bytes.withUnsafeBufferPointer { bytes in
      Self.number(in: bytes, at: &place).flatMap { first in Self.number(in: bytes, at: &place).map { (first, $0) } }
    }
    guard let (first, last) = ends else { throw .damagedIndex }
    (self.first, self.last) = (Int64(bitPattern: first), Int64(bitPattern: last))
    (row, self.place) = (self.first, place)
    let end = bytes.withUnsafeBufferPointer { Self.end(of: $0, from: place, at: self.first) }
    guard self.first > 0, end == self.last else { throw .damagedIndex }
  }

  /// Returns the row to which the distances from `place` on lead from `row`; nil if they do not ascend, or if one of them does not end. A
  /// search reads every list that it needs by this function, so it has a short way for the distances of one byte, which are the most.
  private static func end(of bytes: UnsafeBufferPointer<UInt8>, from place: Int, at row: Int64) -> Int64? {
    var (row, place) = (row, place)
    while place < bytes.count {
      var distance = Int64(bytes[place])
      if distance < 0x80 {
        place += 1
      } else {
        guard let number = number(in: bytes, at: &place) else { return nil }
        distance = Int64(bitPattern: number)
      }
      let next = row &+ distance
      guard next > row else { return nil }
      row = next
    }
    return row
  }

  /// Moves to the next row.
  mutating func advance() {
    guard let row else { return }
    self.row = bytes.withUnsafeBufferPointer { Self.number(in: $0, at: &place) }.map { row &+ Int64(bitPattern: $0) }
  }

  /// Moves to the first row that is at least `least`.
  mutating func advance(to least: Int64) { while let row, row < least { advance() } }

  /// Moves to the first row after `row`.
  mutating func advance(past row: Int64) { while let present = self.row, present <= row { advance() } }

  /// Reads a number; nil at the end of the bytes, and in a number that does not end.
  @inline(__always)
  private static func number(in bytes: UnsafeBufferPointer<UInt8>, at place: inout Int) -> UInt64? {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}
