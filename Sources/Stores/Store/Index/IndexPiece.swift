/// A part of a source's index: the letters of rows that came together, or of several such parts.
struct IndexPiece {
  /// The number of the piece. The keys of its lists begin with it.
  let number: Int64
  /// The number of rows; one that came with several parts counts several times.
  let count: Int
  let first: Int64
  let last: Int64

  /// Returns the key of the list of these letters.
  func key(of letters: Int) -> Int64 { number << Letters.bits | Int64(letters) }

  /// Returns the rows of a list of this piece. Throws if it is damaged, or has rows that the piece does not have.
  func cursor(in bytes: UnsafeBufferPointer<UInt8>) throws -> RowCursor {
    let cursor = try RowCursor(Array(bytes))
    guard cursor.first >= first, cursor.last <= last else { throw SQLiteFailure.damagedIndex }
    return cursor
  }

  /// False when the piece cannot be one that this program has made.
  var isPossible: Bool { number > 0 && number < 1 << (62 - Letters.bits) && first > 0 && first <= last }

  /// The size of the piece: `mostOfOneSize` pieces of one size are merged, but those of the largest size stay.
  var size: Int {
    switch count {
    case ..<128: 0
    case ..<2_048: 1
    case ..<32_768: 2
    default: Self.largest
    }
  }

  static let largest = 3
  static let mostOfOneSize = 16
}
