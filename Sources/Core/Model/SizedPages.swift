/// How numbered pages of any size are chosen so that each begins at or before a row (Docs/decisions/0009).
///
/// Page `number` of `size` rows begins behind `(number - first) * size` rows. Behind 50 rows of pages of 50, page 2 of 49 begins with the
/// 50th row; behind 98 rows, page 3 of 48 begins with the 97th.
struct SizedPages: Sendable, Hashable {
  /// The number of the first page.
  let first: Int
  /// The most rows that came at once: no page is larger.
  var largest: Int
  /// The greatest common divisor of the sizes that brought exactly as many rows as asked; 0 before the first.
  private(set) var grain = 0

  /// How many sizes are compared for a page.
  private static let mostChoices = 2_000

  init(first: Int, largest: Int, grain: Int = 0) { (self.first, self.largest, self.grain) = (first, largest, grain) }

  /// True when the service gives as many rows as are asked for, whatever their number. One that rounds sizes has heard multiples alone.
  var isExact: Bool { grain == 1 }

  /// Notes that a page of `size` brought as many rows.
  mutating func note(heard size: Int) {
    var (divisor, rest) = (size, grain)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    grain = divisor
  }

  /// The page that begins at `row` or before it and ends furthest behind it.
  func page(at row: Int) -> NumberedPage {
    var best = page(at: row, size: largest)
    for size in max(1, largest - Self.mostChoices, (largest + 1) / 2)..<max(1, largest) {
      let other = page(at: row, size: size)
      if other.end > best.end { best = other }
    }
    return best
  }

  /// The page of that size that has `row`.
  func page(at row: Int, size: Int) -> NumberedPage {
    let pagesBefore = row / max(1, size)
    return NumberedPage(number: first.adding(pagesBefore), size: size, begin: pagesBefore * size)
  }

  /// `1/50/49`, as a cursor has it.
  var text: String { "\(first)/\(largest)/\(grain)" }

  /// Reads ``text``; nil where it says something else.
  init?(text: some StringProtocol) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).compactMap { Int(digits: $0) }
    guard numbers.count == 3, Paging.leastSize...10_000_000 ~= numbers[1] else { return nil }
    self.init(first: numbers[0], largest: numbers[1], grain: numbers[2])
  }
}

/// A page as it is asked for.
struct NumberedPage: Sendable, Hashable {
  let number: Int
  let size: Int
  /// How many rows stand before it, if the service hears the size.
  let begin: Int

  /// How many rows stand before the one behind it.
  var end: Int { begin.adding(size) }

  /// The page behind it, of the same size.
  var next: Self { Self(number: number.adding(1), size: size, begin: end) }

  /// The page before it, of the same size; the first one has none.
  var previous: Self? { begin > 0 ? Self(number: number - 1, size: size, begin: begin - size) : nil }

  var place: Place { .number(number, size: size) }
}
