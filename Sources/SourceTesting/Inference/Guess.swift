/// Something read out of recorded exchanges, how sure that is, and why.
public struct Guess<Content: Sendable & Hashable>: Sendable, Hashable {
  public let value: Content
  public let confidence: Confidence
  /// A clause for a person: "the recorded walk followed it".
  public let reason: String

  public init(_ value: Content, _ confidence: Confidence, _ reason: String) {
    self.value = value
    self.confidence = confidence
    self.reason = reason
  }
}

/// How sure a guess is.
public enum Confidence: Int, Sendable, Hashable, Comparable {
  /// It has the right name or the right look, and nothing more.
  case weak
  /// What was recorded agrees with it.
  case fair
  /// What was recorded can hardly be explained otherwise.
  case strong

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension Guess: CustomStringConvertible {
  /// `offset by query "skip" (weak: only one page was recorded)`.
  public var description: String { "\(value) (\(confidence): \(reason))" }
}
