/// How a walk over pages ended: whether what was received is all there is.
public enum Verdict: Sendable, Hashable {
  /// The source's own end rule was met.
  case complete
  /// The caller's limit stopped the walk; there may be more.
  case bounded
  /// Something is missing, or may be.
  case partial(Shortfall)
  /// The source gives no way to know.
  case unverifiable

  /// The word for it in JSON.
  public var kind: String {
    switch self {
    case .complete: "complete"
    case .bounded: "bounded"
    case .partial: "partial"
    case .unverifiable: "unverifiable"
    }
  }

  /// Why it is partial, for a person.
  public var reason: String? {
    if case .partial(let shortfall) = self { shortfall.description } else { nil }
  }
}

/// What made a walk end before everything was received.
public enum Shortfall: Sendable, Hashable {
  /// The source came back to a page it had already given, or gave one without anything new.
  case loop
  /// The list changed during the walk, and rows may have slipped through: so many at least, where that is known.
  case drift(missing: Int?)
  /// The source announced more than it gave.
  case total(missing: Int)
  /// The source says that there is more, and not how to get it.
  case more
  /// An error half-way.
  case failed(SourceError)
  /// The time ran out half-way.
  case deadline
  /// Our own budget for the service ran out half-way.
  case budget(SourceError)
  /// The rest of a kept answer was never kept.
  case notKept
  /// What an earlier walk said of itself, whose records these are.
  case recorded(String)
}

extension Shortfall {
  /// What is missing behind an error half-way; `isLate` when the time was up by then.
  package init(_ error: SourceError, isLate: Bool) {
    switch error.kind {
    case .timedOut where isLate: self = .deadline
    case .notKept: self = .notKept
    case .budgetSpent: self = .budget(error)
    default: self = .failed(error)
    }
  }
}

extension Shortfall: CustomStringConvertible {
  public var description: String {
    switch self {
    case .loop: "loop: the source repeated itself before its end"
    case .drift(let missing?): "drift: the list changed while it was read; \(missing) missing"
    case .drift(nil): "drift: the list changed while it was read; rows may be missing"
    case .total(let missing): "total: \(missing) fewer than announced"
    case .more: "more: the source says that there is more than it gave"
    case .failed(let error): "error: \(error)"
    case .deadline: "deadline: the time ran out"
    case .budget(let error): "budget: \(error)"
    case .recorded(let reason): reason
    case .notKept: "the rest of this answer was never kept"
    }
  }
}

extension Verdict {
  /// Reads a verdict back from its word and its reason; nil when the word is none.
  public init?(kind: String, reason: String?) {
    switch kind {
    case "complete": self = .complete
    case "bounded": self = .bounded
    case "partial": self = .partial(.recorded(reason ?? "nobody knows why"))
    case "unverifiable": self = .unverifiable
    default: return nil
    }
  }
}
