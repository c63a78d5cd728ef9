import AggregatorCore
import Asking

// The spellings of times that `Duration(amount:)` and `Moment(inWords:at:)` read.
extension TextPattern {
  private static let unit: TextPattern = [
    letter("mM") + letter("sS"), letter("smhdwSMHDW"),
  ]
  private static let zeroDigit: TextPattern = "0"
  private static let fraction = ("." + digit.times(0...6)).optional

  /// An amount of a unit. With more digits it could be rounded to one that is too large.
  private static let amount: TextPattern = [digit.times(1...9) + fraction, "." + digit.times(1...6)]
  private static let zero = zeroDigit.times(1...9) + ("." + zeroDigit.times(0...6)).optional
  private static let nonzero: TextPattern = [
    zeroDigit.times(0...8) + letter("123456789") + digit.times(0...8) + fraction,
    zeroDigit.times(0...9) + "." + zeroDigit.times(0...5) + letter("123456789") + digit.times(0...6),
  ]

  private static func letter(_ letters: String) -> TextPattern { .character(letters.unicodeScalars.map { $0...$0 }) }

  /// A length of time: `500ms`, `1h30m`; a number without a unit is in seconds.
  static func duration(mayBeZero: Bool) -> TextPattern {
    let terms = (amount + unit).anyTimes
    if mayBeZero { return terms + amount + unit.optional }
    return (zero + unit).anyTimes + nonzero + (unit + terms + amount.optional).optional
  }

  /// A length of time before now, which ends in a unit, because a number alone is a year.
  private static let timeAgo = (zero + unit).anyTimes + nonzero + unit + (amount + unit).anyTimes

  /// The length of each month, with 28 days for February.
  private static let daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A number of two digits from 01.
  private static func two(upTo most: Int) -> TextPattern {
    let low: TextPattern = "0" + .character(["1"...(Unicode.Scalar(UInt8(0x30 + min(most, 9))))])
    if most < 10 { return low }
    let high = (1...(most / 10)).map { ten -> TextPattern in
      .exactly("\(ten)") + .character(["0"...(Unicode.Scalar(UInt8(0x30 + min(9, most - 10 * ten))))])
    }
    return .choice([low] + high)
  }

  /// A month and a day of it, for the first months of a year.
  private static func days(ofFirst months: Int) -> TextPattern {
    let lengths = daysOfMonths.prefix(months).enumerated().map { (month: $0 + 1, days: $1) }
    return .choice(
      lengths.inGroups { $0.days }.map { days, group in .one(of: group.map { two($0.month) }) + "-" + two(upTo: days) })
  }

  /// The day that only leap years have.
  private static let leapDay: TextPattern = {
    let ofEvenTens = letter("02468") + letter("048")
    let ofOddTens = letter("13579") + letter("26")
    let ofCentury: TextPattern = ["0" + letter("48"), letter("2468") + letter("048"), ofOddTens]
    return [digit.times(2) + ofCentury, [ofEvenTens, ofOddTens] + "00"] + "-02-29"
  }()

  private static let clock =
    number(upTo: "23") + ":" + number(upTo: "59") + (":" + number(upTo: "59") + ("." + digit.times(1...9)).optional).optional

  /// A time: `monday`, `2w`, `2026`, `2026-11`, `2026-11-01` or `2026-11-01T06:00:00Z`.
  static let moment: TextPattern = {
    let year = digit.times(4)
    let day: TextPattern = [year + "-" + days(ofFirst: 12), leapDay]
    let zone: TextPattern = ["Z", letter("+-") + number(upTo: "13") + ":" + number(upTo: "59")]
    return [
      one(of: Moment.dayWords), timeAgo, year, year + "-" + two(upTo: 12), day + ("T" + clock + zone.optional).optional,
    ]
  }()

  /// A time that is over on that day. It leaves out the days that only leap years have, and zones other than UTC.
  static func past(on today: CalendarDay) -> TextPattern {
    let (year, month, day) = (String(String(10_000 + today.year).dropFirst()), today.month, today.day)
    let before = number(upTo: String(String(10_000 + max(0, today.year - 1)).dropFirst()))
    var over = [before + "-" + days(ofFirst: 12)]
    if month > 1 { over.append(.exactly(year + "-") + days(ofFirst: month - 1)) }
    if day > 1 { over.append(.exactly("\(year)-\(two(month))-") + two(upTo: day - 1)) }
    return [
      one(of: Moment.dayWords), timeAgo, number(upTo: year), before + "-" + two(upTo: 12),
      .exactly(year + "-") + two(upTo: month),
      .exactly("\(today)"), .choice(over) + ("T" + clock + TextPattern("Z").optional).optional,
    ]
  }

  /// A time since which something is wanted, or `last` with the name of a reader.
  static let beginning: TextPattern = [moment, "last" + (":" + TextPattern.character(["!"..."~"]).times(1...64)).optional]
}
