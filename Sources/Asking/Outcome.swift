public import AggregatorCore

/// Everything about an answer besides its records: a face says it after them, or puts it into the head of a reply.
public struct Outcome: Sendable {
  /// The number of records, their origin and the verdict.
  public var summary: Summary
  /// The notices for a person.
  public var notices: [Notice]
  /// The requirements that do not hold.
  public var unmet: [Unmet]
  /// The place from which a later answer to the same ask continues; nil if nothing follows, and if the records were sorted.
  public internal(set) var place: AnswerPlace?

  init(_ summary: Summary, _ notices: [Notice] = [], for ask: Ask) {
    (self.summary, self.notices, unmet) = (summary, notices, ask.requirements.shortfalls(of: summary))
  }
}

/// A requirement that an answer does not meet, with the reason.
public struct Unmet: Sendable, Hashable, CustomStringConvertible {
  /// The requirement.
  public let requirement: Requirement
  /// The reason why it does not hold, for a person.
  public let description: String
}

/// A result of an ask, with its outcome.
public protocol Concluded {
  /// The summary, the notices and the unmet requirements.
  var outcome: Outcome { get }
}

extension Concluded {
  /// The number of records, their origin and the verdict.
  public var summary: Summary { outcome.summary }
  /// The notices for a person.
  public var notices: [Notice] { outcome.notices }
  /// The requirements that do not hold.
  public var unmet: [Unmet] { outcome.unmet }
}
