import AggregatorCore

/// The widths of a table's columns on a terminal: which columns have room, and how they share it.
///
/// If not everything fits, columns that repeat one value go first. Then go columns that only want room to spare, one after the other
/// from the right. If the rest still does not fit, addresses go too, because a cut address leads nowhere, and values are cut, the
/// longest first. Only if that is not enough do more columns go, from the right, the title last. A header is cut only in the title
/// and in columns that a person named. The id always stays; it is cut only if it is wider than the whole terminal. A column that went
/// comes back if it fits after all.
struct TableLayout: Sendable, Hashable {
  /// The facts about a column that are known before anything is printed.
  struct Column: Sendable {
    let header: Int
    /// The widths of its values in the first rows.
    let cells: [Int]
    var behaviour: FieldWidth
    var isID = false
    var isTitle = false
    /// True when it holds addresses.
    var isAddress = false
    /// True when it has the same value in all of the first rows, and these are more than one.
    var isConstant = false

    /// The width of its widest value, or of its header.
    fileprivate var whole: Int { max(1, header, cells.max() ?? 0) }
    /// The width of nine values in ten, because a single long value must not take the room of other columns.
    fileprivate var usual: Int {
      guard !cells.isEmpty else { return whole }
      return max(1, header, cells.sorted()[(cells.count * 9 + 9) / 10 - 1])
    }
    fileprivate var mayGoForRepeating: Bool { isConstant && behaviour != .whole && !isID && !isTitle }
    /// True when it only wants room to spare.
    fileprivate var isSpare: Bool { behaviour == .extra && !isID }
    fileprivate var isFlexible: Bool { !isID && !isAddress && behaviour != .whole }
    /// The least width in which it is worth its place, with its header cut.
    fileprivate var least: Int { isFlexible ? min(whole, isSpare ? 24 : 6) : whole }
    /// The same with its whole header.
    fileprivate var readable: Int { min(whole, max(least, header)) }
    /// The width that is enough beside columns that only want room to spare: the whole width, except for a few long values.
    fileprivate var comfortable: Int { isSpare ? readable : isFlexible ? min(whole, max(usual, 40)) : whole }
    /// The column as one that a person named, which does not go sooner than others.
    fileprivate var wanted: Column {
      var column = self
      column.behaviour = behaviour == .whole ? .whole : .flexible
      column.isAddress = false
      return column
    }
    fileprivate var says: Bool { cells.contains { $0 > 0 } }
  }

  static let gap = 2

  /// The width of every column; 0 for a column without room.
  private(set) var widths: [Int]
  /// The columns without room that have values.
  private(set) var missed: [Int] = []
  /// The columns of the id that are cut, because the terminal is too narrow even for them.
  private(set) var cutIDs: [Int] = []

  /// Lays out columns in `width`. With `areChosen` a person named them, and none of them goes before all are cut.
  init(_ columns: [Column], in width: Int, areChosen: Bool = false) {
    let columns = areChosen ? columns.map(\.wanted) : columns
    widths = columns.map { _ in 0 }
    let shown = Self.shown(of: columns, in: width, areChosen: areChosen)
    let room = max(1, width - Self.gap * (shown.count - 1))
    let chosen = shown.map { columns[$0] }
    let fills = Self.fill(chosen, room)
    for (column, width) in zip(shown, fills) {
      widths[column] = width
      if columns[column].isID, width < columns[column].whole { cutIDs.append(column) }
    }
    missed = columns.indices.filter { widths[$0] == 0 && columns[$0].says }
  }

  /// Lays out the columns of the id and then those from `first` on, each as wide as it needs, as far as there is room. No column is
  /// left out between them.
  init(_ columns: [Column], in width: Int, from first: Int) {
    widths = columns.map { _ in 0 }
    var left = width
    let ids = columns.indices.filter { columns[$0].isID }
    let rest = columns.indices.filter { $0 >= first && !columns[$0].isID }
    for (place, index) in (ids + rest).enumerated() {
      let column = columns[index]
      let wanted = column.behaviour == .whole || column.isID ? column.whole : min(column.whole, max(column.usual, 40))
      // The first two columns are there in any case, and the last one may be cut.
      let isNeeded = place <= (ids.isEmpty ? 0 : ids.count)
      guard left >= wanted || left >= Self.leastCut || isNeeded else { break }
      widths[index] = max(1, min(wanted, left))
      left -= widths[index] + Self.gap
      if left < 1 { break }
    }
    missed = columns.indices.filter { widths[$0] == 0 && columns[$0].says }
  }

  /// The least width in which the last column is shown in part.
  private static let leastCut = 8

  /// Returns the columns that are shown.
  private static func shown(of columns: [Column], in width: Int, areChosen: Bool) -> [Int] {
    func fits(_ shown: [Int], _ need: (Column) -> Int) -> Bool {
      // A hostile value may be longer than any terminal is wide.
      shown.reduce(gap * (shown.count - 1)) { $0 + min(need(columns[$1]), width + 1) } <= width
    }
    func dropping(_ shown: [Int], _ order: [Int], until need: (Column) -> Int) -> [Int] {
      var shown = shown
      for column in order where shown.count > 1 && !fits(shown, need) { shown.removeAll { $0 == column } }
      return shown
    }
    func restoring(_ shown: [Int], _ need: (Column) -> Int) -> [Int] {
      columns.indices.reduce(shown) { shown, column in
        guard !shown.contains(column) else { return shown }
        let more = (shown + [column]).sorted()
        return fits(more, need) ? more : shown
      }
    }
    let all = Array(columns.indices)
    let constant = all.reversed().filter { columns[$0].mayGoForRepeating }
    let spare = all.reversed().filter { columns[$0].isSpare }
    let addresses = all.reversed().filter { columns[$0].isAddress && !columns[$0].isID }
    let others = all.reversed().filter { !columns[$0].isID }
    let last = others.filter { !columns[$0].isTitle } + others.filter { columns[$0].isTitle }
    if areChosen { return dropping(all, constant + last, until: \.least) }
    let roomy = dropping(all, constant + spare, until: \.comfortable)
    if fits(roomy, \.comfortable) { return restoring(roomy, \.comfortable) }
    // If all columns only want room to spare, none of them goes.
    let settled = spare.count == all.count ? all : all.filter { !spare.contains($0) }
    let remaining = dropping(settled, constant + addresses, until: \.whole)
    return restoring(dropping(remaining, constant + last) { $0.isTitle ? $0.least : $0.readable }, \.whole)
  }

  /// Returns the widths of columns that share `room`. Each begins as narrow as it may be, and gets as much as it wants while
  /// there is room, narrow ones first.
  private static func fill(_ columns: [Column], _ room: Int) -> [Int] {
    func sum(_ need: (Column) -> Int) -> Int { columns.reduce(0) { $0 + min(need($1), room + 1) } }
    if sum(\.whole) <= room { return columns.map(\.whole) }
    if sum(\.least) > room { return level(columns.map { _ in 1 }, columns.map(\.whole), room) }
    if columns.contains(where: \.isSpare), sum(\.comfortable) <= room {
      return level(columns.map(\.comfortable), columns.map(\.whole), room)
    }
    let usual: (Column) -> Int = { $0.isFlexible ? $0.usual : $0.whole }
    let isUsual = sum(usual) <= room
    let low: (Column) -> Int = isUsual ? usual : sum(\.readable) <= room ? \.readable : \.least
    return level(columns.map(low), columns.map(isUsual ? \.whole : usual), room)
  }

  /// Returns numbers between `low` and `high`, all at the same level if possible. Their sum is `room`, or that of `high` if it is less.
  private static func level(_ low: [Int], _ high: [Int], _ room: Int) -> [Int] {
    func widths(at level: Int) -> [Int] { zip(low, high).map { min(max($0, level), max($0, $1)) } }
    var level = 0
    while level < room, widths(at: level + 1).reduce(0, { $0 + min($1, room + 1) }) <= room { level += 1 }
    var result = widths(at: level)
    var left = room - result.reduce(0) { $0 + min($1, room + 1) }
    for index in result.indices where left > 0 && result[index] < high[index] && result[index] == max(low[index], level) {
      result[index] += 1
      left -= 1
    }
    return result
  }
}
