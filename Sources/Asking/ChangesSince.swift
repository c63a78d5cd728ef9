public import AggregatorCore

/// The start of the time whose changes are wanted.
public enum ChangesSince: Sendable, Hashable {
  /// Changes that a sync saw at that moment or later.
  case moment(Moment)
  /// Changes that this reader has not seen yet. The store notes for each reader how far it has come.
  case last(reader: String)

  /// Every change that is stored.
  public static let ever = ChangesSince.moment(Moment(secondsSinceEpoch: 0))

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  /// Reads `1d`, `today`, `yesterday`, `monday`, `2026-11-01`, `2026-11-01T06:00:00Z`, `last` or `last:NAME`. A day begins at midnight
  /// UTC. A weekday means the latest one that has begun, which may be today.
  public init(_ text: String, at now: Moment) throws(SourceError) {
    let (word, today) = (text.lowercased(), CalendarDay(now).daysSinceEpoch)
    func day(_ number: Int) -> ChangesSince { .moment(Moment(secondsSinceEpoch: number * 86_400)) }
    if word == "last" || word.hasPrefix("last:") {
      let reader = String(text.dropFirst(5))
      guard word == "last" || !reader.isEmpty, reader == Printable.clean(reader) else { throw Self.unreadable(text) }
      self = .last(reader: reader)
    } else if word == "today" || word == "yesterday" {
      self = day(word == "today" ? today : today - 1)
    } else if let weekday = Self.weekdays.firstIndex(of: word) {
      // 1 January 1970 was a Thursday.
      self = day(today - (today + 3 - weekday) % 7)
    } else if let moment = Moment(iso: text) {
      self = .moment(moment)
    } else if text.utf8.count == 10, let first = CalendarDay(iso: text) {
      self = .moment(Moment(first))
    } else if let length = Duration(amount: text), length > .zero {
      self = .moment(now - length)
    } else {
      throw Self.unreadable(text)
    }
  }

  private static func unreadable(_ text: String) -> SourceError {
    SourceError(
      .settings, "\"\(text)\" is not a time",
      remedy: "write 1d, today, yesterday, monday, 2026-11-01, 2026-11-01T06:00:00Z, last or last:NAME")
  }
}
