/// Where an answer came from, and why not from the service itself.
public struct Origin: Sendable, Hashable {
  /// Who gave an answer.
  public enum Kind: String, Sendable, Hashable {
    /// The service, just now.
    case live
    /// An answer the service gave earlier.
    case cache
    /// The copy that is compiled in.
    case bundled
    /// A recording.
    case replay
  }

  /// Who gave it.
  public var kind: Kind
  /// How old a kept answer is.
  public var age: Duration?
  /// What kept the answer from being live.
  public var reason: SourceError?
  /// Whether a person brought it in a file, so that no service gave it.
  public var isImported = false
  /// Whether it is what happens to be stored of a list that was never stored whole.
  public var isPart = false
  /// Whether bundled records follow what is stored.
  public var hasBundledRest = false

  /// An answer that is `age` old, if it was kept, and that came for `reason` from elsewhere than the service.
  public init(_ kind: Kind, age: Duration? = nil, reason: SourceError? = nil) {
    self.kind = kind
    self.age = age
    self.reason = reason
  }

  /// From the service, just now.
  public static let live = Origin(.live)
  /// From what is compiled in.
  public static let bundled = Origin(.bundled)
  /// From a recording.
  public static let replay = Origin(.replay)
  /// What was kept by a clock that was ahead is no younger than what came just now.
  public static func cache(age: Duration) -> Origin { Origin(.cache, age: max(.zero, age)) }
}
