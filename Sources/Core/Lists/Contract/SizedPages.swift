/// The rule that chooses numbered pages of any size so that each begins at or before a row (Docs/decisions/0009).
///
/// Page `number` of `size` rows begins after `(number - first) * size` rows. After 50 rows in pages of 50, page 2 of size 49 begins with
/// the 50th row; after 98 rows, page 3 of size 48 begins with the 97th.
struct SizedPages: Sendable, Hashable {
  let first: Int
  /// The number of rows of the first page, and so of pages whose size is not chosen.
  let usual: Int
  /// The largest size to request.
  private(set) var largest: Int
  /// The greatest common divisor of the sizes for which exactly as many rows came as requested; 0 before the first.
  private(set) var grain = 0

  /// The number of sizes that are compared for one page.
  private static let mostChoices = 2_000

  init(first: Int, usual: Int) { (self.first, self.usual, largest) = (first, usual, usual) }

  /// True when the service returns exactly as many rows as requested, for any size. A service that rounds sizes matches only multiples.
  var isExact: Bool { grain == 1 }

  /// Notes that a page of `size` brought exactly as many rows.
  mutating func note(heard size: Int) {
    var (divisor, rest) = (size, grain)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    grain = divisor
  }

  /// Returns the page that begins at or before `row` and ends furthest after it.
  func page(at row: Int) -> NumberedPage {
    var best = page(at: row, size: largest)
    for size in max(1, largest - Self.mostChoices, (largest + 1) / 2)..<max(1, largest) {
      let other = page(at: row, size: size)
      if other.end > best.end { best = other }
    }
    return best
  }

  /// Returns a page that ends with the row before `place`, if the list does: a short one, of a usual size, with as few rows as possible.
  func page(endingAt place: Int) -> NumberedPage {
    let most = max(2, min(largest, place - 1))
    var best = page(at: place - 1, size: most)
    for size in max(2, most - Self.mostChoices, (most + 1) / 2)..<most {
      let other = page(at: place - 1, size: size)
      if other.end > place, best.end == place || place - other.begin < place - best.begin { best = other }
    }
    return best
  }

  /// Asks for at most `count` rows at once from now on. False if that is too few or no fewer than before, or if the service may round sizes.
  mutating func lower(to count: Int) -> Bool {
    guard isExact, (Paging.leastSize..<largest).contains(count) else { return false }
    largest = count
    return true
  }

  func page(at row: Int, size: Int) -> NumberedPage {
    let pagesBefore = row / max(1, size)
    return NumberedPage(number: first.adding(pagesBefore), size: size, begin: pagesBefore * size)
  }

  /// The rule as it is written in a cursor: `1/50/49`, or `1/30/1/50` if the usual size was lowered.
  var text: String { "\(first)/\(largest)/\(grain)" + (largest == usual ? "" : "/\(usual)") }

  /// Reads ``text``; nil if it is not such a text.
  init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int(digits: $0) }
    guard 3...4 ~= parts.count, numbers.count == parts.count, numbers[1] >= Paging.leastSize else { return nil }
    self.init(first: numbers[0], usual: numbers.count > 3 ? numbers[3] : numbers[1])
    (largest, grain) = (numbers[1], numbers[2])
    guard largest <= usual, usual <= 10_000_000 else { return nil }
  }
}

/// A numbered page, as it is requested.
struct NumberedPage: Sendable, Hashable {
  let number: Int
  let size: Int
  /// The number of rows before the page, if the service uses the requested size.
  let begin: Int

  /// The number of rows before the next page.
  var end: Int { begin.adding(size) }

  var next: Self { Self(number: number.adding(1), size: size, begin: end) }

  var place: Place { .number(number, size: size) }
}
