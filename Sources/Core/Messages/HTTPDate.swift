/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms (RFC 9110, section 5.6.7).
public enum HTTPDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  public static func moment(_ text: String) -> Moment? {
    let words = text.lowercased().split { " ,-".contains($0) }.map(String.init)
    // Sun 06 Nov 1994 08:49:37 GMT, Sunday 06 Nov 94 08:49:37 GMT, Sun Nov 6 08:49:37 1994
    guard words.count >= 5 else { return nil }
    if let month = months.firstIndex(of: words[2]) {
      guard words.count == 6, words[5] == "gmt" || words[5] == "utc" else { return nil }
      return moment(day: words[1], month: month, year: words[3], time: words[4])
    }
    if let month = months.firstIndex(of: words[1]), words.count == 5 {
      return moment(day: words[2], month: month, year: words[4], time: words[3])
    }
    return nil
  }

  private static func moment(day: String, month: Int, year: String, time: String) -> Moment? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int(digits: $0) }
    guard let day = Int(digits: day), let year = Int(digits: year), clock.count == 3, let hour = clock[0],
      let minute = clock[1],
      let second = clock[2],
      (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let century = year < 70 ? 2000 : year < 100 ? 1900 : 0
    guard let date = CalendarDay(year: year + century, month: month + 1, day: day) else { return nil }
    return Moment(secondsSinceEpoch: date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second)
  }
}

/// How long `Retry-After` asks to wait: seconds, or until a date.
public enum RetryAfter {
  public static func wait(_ header: String?, at now: Moment) -> Duration? {
    guard let text = header?.trimmingSpaces, !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than an Int holds is still a number, and longer than any wait allowed.
      return .seconds(Int(text).map { min($0, forever) } ?? forever)
    }
    return HTTPDate.moment(text).map { max(.zero, $0 - now) }
  }

  private static let forever = 100 * 365 * 86_400
}
