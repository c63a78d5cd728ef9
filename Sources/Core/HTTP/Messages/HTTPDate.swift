/// A date as HTTP and mail write it: `Sun, 06 Nov 1994 08:49:37 GMT`, `6 Nov 1994 10:49:37 +0200` (RFC 9110, section 5.6.7; RFC 5322).
public enum HTTPDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Reads the moment from a date; nil if the text is not such a date.
  public static func moment(_ text: String) -> Moment? {
    var words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    // The day of the week may be missing.
    if words.count == 6 { words.removeFirst() }
    guard words.count == 5, let month = months.firstIndex(of: words[1]) else { return nil }
    let isUTC = ["gmt", "utc", "ut", "z"].contains(words[4])
    guard isUTC || (words[4].utf8.count == 5 && "+-".contains(words[4].prefix(1))) else { return nil }
    // Some services leave a zero out: `Sun, 6 Nov 1994 8:49:37 GMT`.
    let (day, time) = (words[0].count == 1 ? "0\(words[0])" : words[0], words[3].count == 7 ? "0\(words[3])" : words[3])
    guard time.utf8.count == 8 else { return nil }
    return Moment(iso: "\(words[2])-\(month < 9 ? "0" : "")\(month + 1)-\(day)T\(time)\(isUTC ? "Z" : words[4])")
  }
}

/// The header `Retry-After`, which asks to wait: for some seconds, or until a date.
public enum RetryAfter {
  /// Returns how long to wait from `now` on, zero if the date has passed; nil if the header is missing or cannot be read.
  public static func wait(_ header: String?, at now: Moment) -> Duration? {
    guard let text = header?.trimmingSpaces, !text.isEmpty else { return nil }
    if text.utf8.allSatisfy(Byte.isDigit) {
      // More digits than an Int can hold are still a number; the wait is then longer than any that is allowed.
      return .seconds(Int(text).map { min($0, forever) } ?? forever)
    }
    return HTTPDate.moment(text).map { max(.zero, $0 - now) }
  }

  private static let forever = 100 * 365 * 86_400
}
