import SourceTesting
import Testing

@testable import AggregatorCore

/// Days and moments are read from bytes. Here they are compared with slow readers of characters.
@Suite("Reading times") struct TimeReadingTests {
  private static func slowDay(_ text: String) -> CalendarDay? {
    guard ["", "T", "t", " "].contains(text.dropFirst(10).prefix(1)) else { return nil }
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
      let year = Int(digits: parts[0]), let month = Int(digits: parts[1]), let day = Int(digits: parts[2])
    else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  private static let pieces = [
    "0", "1", "9", "-", ":", ".", "T", "t", "Z", "z", " ", "+", "\u{301}", "é", "\r\n", "６", "59", "60", "24", "31", "", "\0",
  ]

  private static let forms = [
    "2024-02-29", "1999-12-31T23:59:60Z", "2024-02-29T10:00:00Z", "0000-01-01 00:00:00.5+02:00", "9999-12-31t1230z",
  ]

  /// A time in a usual form, of which a few characters may be others.
  private static func text(_ dice: some Dice) -> String {
    var text = forms[dice.index(below: forms.count)]
    for _ in 0..<dice.index(below: 3) {
      var characters = text.unicodeScalars.map { String($0) }
      guard !characters.isEmpty else { break }
      let index = dice.index(below: characters.count)
      let piece = pieces[dice.index(below: pieces.count)]
      if dice.index(below: 3) == 0 { characters.insert(piece, at: index) } else { characters[index] = piece }
      text = characters.joined()
    }
    return text
  }

  @Test("a day read from bytes is the day read from characters")
  func days() {
    let dice = SeededDice(seed: 65)
    var found = 0
    for _ in 0..<20_000 {
      let text = Self.text(dice)
      let day = CalendarDay(iso: text)
      #expect(day == Self.slowDay(text), "\(text.debugDescription)")
      if day != nil { found += 1 }
    }
    #expect(found > 2_000)
  }

  @Test("the usual form of a time is read as the same time in another zone is")
  func moments() {
    let dice = SeededDice(seed: 66)
    var found = 0
    for _ in 0..<20_000 {
      let text = Self.text(dice)
      guard text.utf8.count == 20, text.hasSuffix("Z") else { continue }
      // Another zone leads past the short way of reading.
      #expect(Moment(iso: text) == Moment(iso: text.dropLast() + "+00:00"), "\(text.debugDescription)")
      if Moment(iso: text) != nil { found += 1 }
    }
    #expect(found > 1_000)
    #expect(Moment(iso: "2024-02-29T10:00:60Z") == Moment(iso: "2024-02-29T10:01:00+00:00"))
  }

  @Test("a number with a point and one with an exponent are decimal numbers unless the exponent is too large")
  func decimals() {
    for text in ["1.50", "-0", "1e5", "1E-1000000000"] { #expect(DecimalNumber(text)?.description == text) }
    for text in ["1e1000000001", "1E-99999999999999999999", "", "-", ".5", "1.", "0x1", "1e", "٣"] { #expect(DecimalNumber(text) == nil) }
  }
}
