/// The origin of an answer, and the reason why it is not from the service itself.
public struct Origin: Sendable, Hashable {
  /// The origin of an answer.
  public enum Kind: String, Sendable, Hashable {
    /// The service, just now.
    case live
    /// A stored answer that the service gave earlier.
    case cache
    /// The compiled-in copy.
    case bundled
    /// A recording.
    case replay
  }

  /// The origin of the answer.
  public var kind: Kind
  /// The age of a cached answer; nil for others, and if it is unknown because a clock was wrong.
  public var age: Duration?
  /// The error that kept the answer from being live.
  public var reason: SourceError?
  /// The source that stood in with an answer of its own service; nil if the asked source answered itself, and if that is unknown.
  public var maker: String?
  /// True when a person imported it from a file, so that no service gave it.
  public var isImported = false
  /// True when the answer is the stored part of a list that was never stored whole.
  public var isPart = false
  /// True when the records came in a list, which may lack fields that only a full record has.
  public var isOfList = false
  /// The age at which all that an earlier answer had was stored, as it was then or later: that of a sync that brought the whole list, even if
  /// imports have weakened what is known of it since, or of the last record of one that has not ended. Nil if that is not known.
  var wholeAge: Duration?
  /// True when bundled records follow the stored ones.
  public var hasBundledRest = false

  /// An origin. `age` is that of a cached answer; `reason` is why the service did not answer.
  public init(_ kind: Kind, age: Duration? = nil, reason: SourceError? = nil) {
    (self.kind, self.age, self.reason) = (kind, age, reason)
  }

  /// True when the source's own service gave the answer just now, so that there is nothing to tell.
  public var isOwnService: Bool { kind == .live && maker == nil }

  /// The age of a cached answer as a whole; nil if it is unknown, as that of bundled records among the stored ones is.
  public var ageOfAll: Duration? { hasBundledRest ? nil : age }

  /// The service, just now.
  public static let live = Origin(.live)
  /// The compiled-in copy.
  public static let bundled = Origin(.bundled)
  /// A recording.
  public static let replay = Origin(.replay)
  /// A stored answer. A negative age, from a clock that was ahead, says nothing; within a second it counts as zero.
  public static func cache(age: Duration) -> Origin { Origin(.cache, age: age < .seconds(-1) ? nil : max(.zero, age)) }

  /// True when this answer is younger than `other`. An answer of unknown age is younger than none.
  package func isYounger(than other: Origin) -> Bool {
    guard let age else { return false }
    return other.age.map { age < $0 } ?? true
  }

  /// True when all that the other answer has was stored, as it was then or later.
  func isWhole(since other: Origin) -> Bool { wholeAge.flatMap { whole in other.age.map { whole < $0 } } ?? false }
}
