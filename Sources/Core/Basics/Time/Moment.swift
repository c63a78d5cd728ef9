/// A point in time.
public struct Moment: Sendable, Hashable, Comparable {
  /// The time since the beginning of 1970, UTC; negative before it.
  public let sinceEpoch: Duration

  /// Makes a moment; one too far away to be calculated with becomes the farthest possible one, some hundred thousand million years away.
  public init(sinceEpoch: Duration) { self.sinceEpoch = min(max(sinceEpoch, .zero - Self.farthest), Self.farthest) }

  /// A third of the seconds that an `Int64` can hold, so that the distance between two such moments fits into one too.
  private static let farthest = Duration.seconds(Int64.max / 3)

  /// Makes the moment so many seconds after the beginning of 1970, UTC; a negative number is before it.
  public init(secondsSinceEpoch seconds: Int) { self.init(sinceEpoch: .seconds(seconds)) }

  /// Makes the first moment of a day, UTC.
  public init(_ day: CalendarDay) { self.init(secondsSinceEpoch: day.daysSinceEpoch * 86_400) }

  /// The whole seconds since the beginning of 1970, rounded down.
  public var seconds: Int {
    let (seconds, attoseconds) = sinceEpoch.components
    return Int(attoseconds < 0 ? seconds - 1 : seconds)
  }

  /// The nanoseconds since the beginning of 1970, as files store a moment; limited to what an `Int64` can hold (the years 1677 to 2262).
  public var nanoseconds: Int64 { Int64(clamping: sinceEpoch.attoseconds / 1_000_000_000) }

  /// So many nanoseconds after 1970 began, UTC.
  public init(nanoseconds: Int64) { self.init(sinceEpoch: .nanoseconds(nanoseconds)) }

  public static func < (left: Moment, right: Moment) -> Bool { left.sinceEpoch < right.sinceEpoch }
  /// The moment that is later by `wait`.
  public static func + (moment: Moment, wait: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch + wait) }
  /// The moment that is earlier by `span`.
  public static func - (moment: Moment, span: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch - span) }
  /// The time from the second moment to the first; negative if the first is earlier.
  public static func - (later: Moment, earlier: Moment) -> Duration { later.sinceEpoch - earlier.sinceEpoch }
}

extension Duration {
  /// The same length as a floating-point number of seconds.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// Makes a length of that many seconds, limited to a range that can be calculated with; zero for NaN.
  package static func seconds(clamping seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(seconds, -9e15), 9e15))
  }
}

extension Moment {
  /// Reads `2024-02-29T10:00:00.123+02:00` and similar texts, with or without a fraction and with any zone; a time without a zone is UTC.
  public init?(iso text: String) {
    var text = text
    if let plain = text.withUTF8({ Self(plain: $0) }) {
      self = plain
      return
    }
    guard let day = CalendarDay(iso: text), text.utf8.count > 10 else { return nil }
    var rest = text.utf8.dropFirst(10)
    guard let separator = rest.popFirst(), "Tt ".utf8.contains(separator) else { return nil }
    let clock = rest.prefix { Byte.isDigit($0) || $0 == UInt8(ascii: ":") }
    rest = rest.dropFirst(clock.count)
    guard var seconds = Self.seconds(ofClock: clock, mostHours: 23) else { return nil }
    var nanoseconds = 0
    if let mark = rest.first, mark == UInt8(ascii: ".") || mark == UInt8(ascii: ",") {
      let digits = rest.dropFirst().prefix(while: Byte.isDigit)
      guard !digits.isEmpty else { return nil }
      rest = rest.dropFirst(digits.count + 1)
      let nine = (Array(digits) + Array(repeating: UInt8(ascii: "0"), count: 9)).prefix(9)
      nanoseconds = Int(String(decoding: nine, as: UTF8.self)) ?? 0
    }
    if let sign = rest.popFirst(), sign != UInt8(ascii: "Z"), sign != UInt8(ascii: "z") {
      guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let offset = Self.seconds(ofClock: rest, mostHours: 14)
      else { return nil }
      seconds += sign == UInt8(ascii: "-") ? offset : -offset
      rest = rest.dropFirst(rest.count)
    }
    guard rest.isEmpty else { return nil }
    self.init(sinceEpoch: .seconds(day.daysSinceEpoch * 86_400 + seconds) + .nanoseconds(nanoseconds))
  }

  /// Reads the usual form of a time, `2024-02-29T10:00:00Z`, in a tenth of the time. Nil for every other form, also a valid one.
  private init?(plain bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == 20, bytes[13] == Byte.colon, bytes[16] == Byte.colon, bytes[19] == UInt8(ascii: "Z"),
      let day = CalendarDay(beginning: bytes), let hour = bytes.number(in: 11..<13), hour < 24,
      let minute = bytes.number(in: 14..<16), minute < 60, let second = bytes.number(in: 17..<19), second <= 60
    else { return nil }
    self.init(sinceEpoch: .seconds(day.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second))
  }

  /// Reads `12:30`, `12:30:59` or `1230` as seconds; a leap second, `:60`, counts as the first second of the next minute.
  private static func seconds(ofClock text: Substring.UTF8View, mostHours: Int) -> Int? {
    let text = String(decoding: text, as: UTF8.self)
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1, text.utf8.count == 4 { parts = [text.prefix(2), text.suffix(2)] }
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(Byte.isDigit) })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers[0] <= mostHours, numbers[1] < 60, numbers.count < 3 || numbers[2] <= 60 else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
  }

  /// `2024-02-29T08:00:00.123Z`, rounded down to the millisecond.
  public var iso: String {
    let ofDay = seconds - CalendarDay(self).daysSinceEpoch * 86_400
    let fraction = sinceEpoch - .seconds(seconds)
    let milliseconds = Int(fraction.components.attoseconds / 1_000_000_000_000_000)
    let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return "\(CalendarDay(self))T\(clock).\(String(1000 + milliseconds).dropFirst())Z"
  }

  /// True for a moment, or a day alone, as ISO 8601 writes them.
  package static func isTime(iso text: String) -> Bool {
    Moment(iso: text) != nil || text.utf8.count == 10 && CalendarDay(iso: text) != nil
  }

  /// Returns a time in UTC if it is written with an offset, such as `+02:00`, with all digits of its fraction. Any other text stays: times in
  /// UTC, which compare as texts, and times without a zone.
  package static func withoutOffset(iso text: String) -> String {
    guard let moment = Moment(iso: text), text.utf8.dropFirst(11).contains(where: { $0 == Byte.minus || $0 == Byte.plus })
    else { return text }
    return moment.iso(withFraction: fraction(in: text)) + "Z"
  }

  /// Returns one text for all spellings of a time: in UTC, with `T`, with seconds, and without zeros at the end of its fraction. A time
  /// without a zone is not the same as one in UTC. Any other text stays.
  package static func inOneSpelling(iso text: String) -> String {
    guard let moment = Moment(iso: text) else { return text }
    var digits = fraction(in: text)
    while digits.last == Byte.zero { digits.removeLast() }
    let hasZone = text.utf8.dropFirst(11).contains { "Zz+-".utf8.contains($0) }
    return moment.iso(withFraction: digits) + (hasZone ? "Z" : "")
  }

  private static func fraction(in text: String) -> [UInt8] {
    Array(text.utf8.drop { $0 != Byte.point && $0 != Byte.comma }.dropFirst().prefix(while: Byte.isDigit))
  }

  /// Returns the moment's second in UTC with these digits of a fraction, without a zone.
  private func iso(withFraction digits: [UInt8]) -> String {
    "\(iso.prefix(19))\(digits.isEmpty ? "" : ".")\(String(decoding: digits, as: UTF8.self))"
  }

  /// The minute of the moment, rounded down: `2026-11-22 04:00 UTC`.
  package var minute: String { "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC" }
}
