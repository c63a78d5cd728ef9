import Presentation
import RecordFormats

/// The lines of the records that were on the screen last, which most keys leave there.
struct ListRows: Sendable {
  /// Everything beside a record itself on which its lines depend.
  struct Key: Sendable, Hashable {
    let shape: BrowserTable
    let spans: [TableLines.Span]
    let height: Int
    let asked: String?
    let isPicked: Bool
  }

  var key: Key?
  /// The lines by the ids of the records.
  var lines: [String: [Card.Line]] = [:]
}

/// The records of a list that are on the screen, with the lines of each.
///
/// It is measured once for each change; scrolling, drawing and the mouse read it.
struct ListWindow: Sendable {
  /// The index of the first record in the list.
  private(set) var first: Int
  /// The lines of each record, beginning with the first one. The last record may reach beyond the screen.
  private(set) var records: [[Card.Line]] = []
  /// The number of records that are on the screen as a whole; at least 1.
  private(set) var wholeCount = 1

  /// A window that begins at a record, before it is measured.
  init(at first: Int = 0) { self.first = first }

  /// Measures a window of `height` lines that shows the whole `selected` record. It begins at `top` if it can, and does not leave lines
  /// empty below the list while records above would fit. The list has `count` records, and `tail` lines follow the last one.
  init(
    from top: Int, showing selected: Int, of count: Int, height: Int, tail: Int, lines: (_ index: Int) -> [Card.Line]
  ) {
    self.first = 0
    guard selected < count else { return }
    var (first, records, used) = (selected, [lines(selected)], 0)
    func lineCount(_ index: Int) -> Int { records[index - first].count + (index == count - 1 ? tail : 0) }
    used = lineCount(selected)
    func growsUpwards() -> Bool {
      guard first > 0, used < height else { return false }
      let above = lines(first - 1)
      guard used + above.count <= height else { return false }
      records.insert(above, at: 0)
      (first, used) = (first - 1, used + above.count)
      return true
    }
    while first > top, growsUpwards() {}
    while first + records.count < count, used < height {
      records.append(lines(first + records.count))
      used += lineCount(first + records.count - 1)
    }
    while growsUpwards() {}
    (self.first, self.records) = (first, records)
    let isLastCut = records.reduce(0) { $0 + $1.count } > height
    wholeCount = max(1, records.count - (isLastCut ? 1 : 0))
  }

  /// The index after the last record.
  var end: Int { first + records.count }

  /// Returns the lines of a record; empty if it is not on the screen.
  func lines(at index: Int) -> [Card.Line] { first..<end ~= index ? records[index - first] : [] }

  /// Returns the record that has the line at this distance below the window's first one; nil below the last record.
  func index(atLine line: Int) -> Int? {
    var bottom = 0
    return records.firstIndex { record in
      bottom += record.count
      return line < bottom
    }.map { first + $0 }
  }
}
