/// A day of the Gregorian calendar, without a time of day.
public struct CalendarDay: Sendable, Hashable, Comparable {
  /// The year, from 0 to 9999; other years occur only in the day of a ``Moment`` that far away.
  public let year: Int
  /// The month, from 1 to 12.
  public let month: Int
  /// The day of the month, from 1 to 31.
  public let day: Int

  /// Nil if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads the day at the beginning of `2024-02-29` or `2024-02-29T10:00:00Z`.
  public init?(iso text: String) {
    var text = text
    let (found, isFollowed) = text.withUTF8 { (Self(beginning: $0), $0.count > 11 && $0[11] >= 0x80) }
    guard let found else { return nil }
    // A mark after the letter forms another character with it.
    if isFollowed, !["T", "t", " "].contains(text.dropFirst(10).prefix(1)) { return nil }
    self = found
  }

  /// Reads bytes, because the time of each record of a list is looked at.
  init?(beginning bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count >= 10, bytes[4] == Byte.minus, bytes[7] == Byte.minus else { return nil }
    guard bytes.count == 10 || bytes[10] | 0x20 == Byte.t || bytes[10] == Byte.space else { return nil }
    guard let year = bytes.number(in: 0..<4), let month = bytes.number(in: 5..<7), let day = bytes.number(in: 8..<10)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The day of a moment in UTC.
  public init(_ moment: Moment) {
    let days = moment.seconds >= 0 ? moment.seconds / 86_400 : (moment.seconds - 86_399) / 86_400
    // The days are counted in eras of 400 years, each from the first of March of a year divisible by 400.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since the first of January 1970; negative before it.
  public var daysSinceEpoch: Int {
    let year = month <= 2 ? self.year - 1 : self.year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The number of whole years from this day to a later one, such as an age.
  public func years(until later: CalendarDay) -> Int {
    let hadBirthday = (later.month, later.day) >= (month, day)
    return later.year - year - (hadBirthday ? 0 : 1)
  }

  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CalendarDay: CustomStringConvertible {
  /// `2024-02-29`.
  public var description: String { "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))" }

  /// Returns the day for a person, with the year unless it is that of `now`: `12 Nov`, `31 Dec 2025`.
  package func inWords(at now: Moment) -> String {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(day) \(months[month - 1])" + (year == CalendarDay(now).year ? "" : " \(year)")
  }
}
