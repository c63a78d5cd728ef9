/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). What nobody sends any more is none.
public enum HTTPDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// The moment that is written; nil of what is no such date.
  public static func moment(_ text: String) -> Moment? {
    let words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    guard words.count == 6, words[5] == "gmt" || words[5] == "utc", let month = months.firstIndex(of: words[2]) else {
      return nil
    }
    // Some services leave a zero out: `Sun, 6 Nov 1994 8:49:37 GMT`.
    let (day, time) = (words[1].count == 1 ? "0\(words[1])" : words[1], words[4].count == 7 ? "0\(words[4])" : words[4])
    guard time.utf8.count == 8 else { return nil }
    return Moment(iso: "\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(day)T\(time)Z")
  }
}

/// How long `Retry-After` asks to wait: seconds, or until a date.
public enum RetryAfter {
  /// How long from `now`, at least nothing; nil without a header that can be read.
  public static func wait(_ header: String?, at now: Moment) -> Duration? {
    guard let text = header?.trimmingSpaces, !text.isEmpty else { return nil }
    if text.utf8.allSatisfy(Byte.isDigit) {
      // More digits than an Int holds is still a number, and longer than any wait allowed.
      return .seconds(Int(text).map { min($0, forever) } ?? forever)
    }
    return HTTPDate.moment(text).map { max(.zero, $0 - now) }
  }

  private static let forever = 100 * 365 * 86_400
}
