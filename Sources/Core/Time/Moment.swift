/// A point on the world's clock.
public struct Moment: Sendable, Hashable, Comparable {
  /// How long after the first second of 1970, UTC, this is.
  public let sinceEpoch: Duration

  public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  public init(secondsSinceEpoch seconds: Int) { self.init(sinceEpoch: .seconds(seconds)) }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int {
    let (seconds, attoseconds) = sinceEpoch.components
    return Int(attoseconds < 0 ? seconds - 1 : seconds)
  }

  public static func < (left: Moment, right: Moment) -> Bool { left.sinceEpoch < right.sinceEpoch }
  public static func + (moment: Moment, wait: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch + wait) }
  public static func - (moment: Moment, span: Duration) -> Moment { Moment(sinceEpoch: moment.sinceEpoch - span) }
  public static func - (later: Moment, earlier: Moment) -> Duration { later.sinceEpoch - earlier.sinceEpoch }
}

extension Duration {
  /// The same length as a floating-point number of seconds.
  public var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
