public import AggregatorCore

/// How an answer came about: what a face says beside what was asked for, or puts into the head of a reply.
public struct Outcome: Sendable {
  /// How much came, where it came from, and whether it is everything.
  public var summary: Summary
  /// What a person should know.
  public var notices: [Notice]
  /// What was required and does not hold.
  public var unmet: [Unmet]
  /// Where a later answer to the same ask goes on; nil where nothing follows, and where the records were ordered.
  public internal(set) var place: AnswerPlace?

  init(_ summary: Summary, _ notices: [Notice] = [], for ask: Ask) {
    (self.summary, self.notices, unmet) = (summary, notices, ask.requirements.shortfalls(of: summary))
  }
}

/// Something that was required of an answer and does not hold, and why.
public struct Unmet: Sendable, Hashable, CustomStringConvertible {
  /// What was required.
  public let requirement: Requirement
  /// Why it does not hold, for a person.
  public let description: String
}

/// What came of an ask, with how it came about.
public protocol Concluded {
  /// How it came about.
  var outcome: Outcome { get }
}

extension Concluded {
  /// How much came, where it came from, and whether it is everything.
  public var summary: Summary { outcome.summary }
  /// What a person should know beside it.
  public var notices: [Notice] { outcome.notices }
  /// What was required and does not hold.
  public var unmet: [Unmet] { outcome.unmet }
}
