package import AggregatorCore

extension Moment {
  /// The words for days, without a date.
  package static let dayWords = ["today", "yesterday"] + weekdays

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// Reads a time as people write it: a day's name, a date, a time, or a length of time before `now`, such as `2w` or `36h`.
  ///
  /// A day begins at midnight UTC. A weekday means the latest one that has begun, which may be today. A number without a unit is a year or
  /// nothing.
  package init?(inWords text: String, at now: Moment) {
    let (word, today) = (text.trimmingSpaces.lowercased(), CalendarDay(now).daysSinceEpoch)
    func day(_ number: Int) -> Moment { Moment(secondsSinceEpoch: number * 86_400) }
    if word == "today" || word == "yesterday" {
      self = day(word == "today" ? today : today - 1)
    } else if let weekday = Self.weekdays.firstIndex(of: word) {
      // 1 January 1970 was a Thursday.
      self = day(today - (today + 3 - weekday) % 7)
    } else if let moment = Moment(beginningOf: text.trimmingSpaces) {
      self = moment
    } else if let unit = word.utf8.last, unit &- 0x61 < 26, let length = Duration(amount: word), length > .zero {
      self = now - length
    } else {
      return nil
    }
  }

  /// Reads a time that is over.
  package init(past text: String, at now: Moment) throws(SourceError) {
    guard let moment = Moment(inWords: text, at: now) else { throw Self.unreadable(text) }
    guard moment <= now else { throw SourceError(.settings, "\"\(text)\" is not over yet", remedy: "write an earlier time") }
    self = moment
  }

  /// Reads a moment in ISO 8601; `2020`, `2020-03` and `2020-03-01` mean their first moment, in UTC.
  init?(beginningOf text: String) {
    guard [4, 7, 10].contains(text.utf8.count) else {
      self.init(iso: text)
      return
    }
    guard let day = CalendarDay(iso: text + "0000-01-01".dropFirst(text.utf8.count)) else { return nil }
    self.init(day)
  }

  /// Returns the error for a text that is not a time; `others` are further words that would do.
  package static func unreadable(_ text: String, or others: [String] = []) -> SourceError {
    let examples = ["2w", "yesterday", "monday", "2026", "2026-11", "2026-11-01", "2026-11-01T06:00:00Z"] + others
    let meant = Closest.closest(to: text, among: dayWords).map { "did you mean \"\($0)\"?" }
    let advice = "write \(examples.dropLast().joined(separator: ", ")) or \(examples[examples.count - 1])"
    return SourceError(.settings, "\"\(text)\" is not a time", remedy: .advice(meant ?? advice))
  }
}
