/// The pages of a list, from which places are drawn without drawing one twice.
struct DrawnPages {
  private(set) var count: Int
  private(set) var size: Int
  /// The number of rows of the list, as it is announced or stored.
  private let rows: Int
  private var drawn: Set<Int> = []

  init(rows: Int, size: Int) {
    (self.rows, self.size) = (rows, max(1, Self.bounded(size)))
    count = max(1, Self.count(of: rows, size: self.size))
  }

  private static func count(of rows: Int, size: Int) -> Int { (bounded(rows) + size - 1) / size }

  /// Returns a number of rows that no list exceeds, whatever a service announces or a source declares.
  private static func bounded(_ rows: Int) -> Int { min(max(0, rows), 1 << 40) }

  var areAllDrawn: Bool { drawn.count >= count }

  /// Returns the number of a page that was not drawn yet; nil if all were.
  mutating func draw(by dice: some Dice) -> Int? {
    guard drawn.count < count else { return nil }
    while true {
      var number = dice.index(below: count)
      if drawn.count * 2 >= count {
        // Few pages are left, so they are listed.
        let left = (0..<count).filter { !drawn.contains($0) }
        number = left[dice.index(below: left.count)]
      }
      if drawn.insert(number).inserted { return number }
    }
  }

  /// True when the page is as long as others, and the list as long as it was taken for.
  func fits(_ total: Int?, _ received: Int, at number: Int) -> Bool {
    let rows = Self.bounded(total ?? self.rows)
    guard Self.count(of: rows, size: size) == count || rows == 0 else { return false }
    return received >= min(size, max(0, rows - number * size))
  }

  /// Divides the list anew.
  mutating func resize(to total: Int?, _ received: Int, at number: Int) {
    let rows = Self.bounded(total ?? self.rows)
    let isShort = received > 0 && received < size && number * size + received < rows
    self = DrawnPages(rows: rows, size: isShort ? received : size)
    // A page by its number keeps its place only if the pages have their old length.
    if !isShort, number < count { drawn.insert(number) }
  }
}
