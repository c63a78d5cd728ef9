/// A point on the world's clock.
public struct Moment: Sendable, Hashable, Comparable {
  /// How long after the first second of 1970, UTC, this is.
  public let sinceEpoch: Duration

  /// A moment too far away to be counted with is the nearest that can be: some hundred thousand million years away.
  public init(sinceEpoch: Duration) { self.sinceEpoch = min(max(sinceEpoch, .zero - Self.farthest), Self.farthest) }

  /// A third of the seconds that an `Int64` holds: the distance between two such moments has room in one too.
  private static let farthest = Duration.seconds(Int64.max / 3)

  /// So many seconds after 1970 began, UTC; a negative number is before it.
  public init(secondsSinceEpoch seconds: Int) { self.init(sinceEpoch: .seconds(seconds)) }

  /// The first moment of a day, UTC.
  public init(_ day: CalendarDay) { self.init(secondsSinceEpoch: day.daysSinceEpoch * 86_400) }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int {
    let (seconds, attoseconds) = sinceEpoch.components
    return Int(attoseconds < 0 ? seconds - 1 : seconds)
  }

  /// Nanoseconds since 1970, as files keep a moment: of one too far away for that, the nearest that there is (1677 or 2262).
  package var nanoseconds: Int64 { Int64(clamping: sinceEpoch.attoseconds / 1_000_000_000) }

  package init(nanoseconds: Int64) { self.init(sinceEpoch: .nanoseconds(nanoseconds)) }

  public static func < (left: Moment, right: Moment) -> Bool { left.sinceEpoch < right.sinceEpoch }
  /// So much later.
  public static func + (moment: Moment, wait: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch + wait) }
  /// So much earlier.
  public static func - (moment: Moment, span: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch - span) }
  /// How much later the first is than the second; negative where it is earlier.
  public static func - (later: Moment, earlier: Moment) -> Duration { later.sinceEpoch - earlier.sinceEpoch }
}

extension Duration {
  /// The same length as a floating-point number of seconds.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// So many seconds, whatever was worked out: none for what is no number, and no more than can be counted with.
  package static func seconds(clamping seconds: Double) -> Duration {
    .seconds(seconds.isNaN ? 0 : min(max(seconds, -9e15), 9e15))
  }
}
