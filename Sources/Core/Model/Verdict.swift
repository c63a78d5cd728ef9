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

  /// Why it is what it is, for a person, where the list changed in such a way while it was read.
  package func reason(after change: String?) -> String? {
    switch self {
    case .partial(let shortfall): shortfall.description
    case .complete, .unverifiable: change
    case .bounded: nil
    }
  }

  /// Why nobody knows whether everything came, where the list changed in such a way.
  package static func doubt(after change: String?) -> String {
    change.map { "rows may be missing, since \($0)" } ?? "the service does not say whether this is everything"
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
  indirect case failed(SourceError)
  /// The time ran out half-way.
  case deadline
  /// Our own budget for the service ran out half-way.
  indirect case budget(SourceError)
  /// The rest of a cached answer was never cached.
  case notStored
  /// Most of the stored records are not in the list any more: the list may be wrong, and they stay.
  case gone(Int, of: Int)
  /// So many stored records did not come in a list that cannot prove that they are gone, and why it cannot.
  case unlisted(Int, because: String)
  /// What an earlier walk said of itself, whose records these are.
  case recorded(String)

  /// What is missing behind an error half-way; `isLate` when the time was up by then.
  package init(_ error: SourceError, isLate: Bool) {
    switch error.kind {
    case .timedOut where isLate: self = .deadline
    case .notStored: self = .notStored
    case .budgetSpent: self = .budget(error)
    default: self = .failed(error)
    }
  }
}

extension Shortfall: CustomStringConvertible {
  /// Its keyword, where it has one, and its sentence: `total: 170 fewer than the service announced`.
  public var description: String { words.keyword.map { "\($0): \(words.text)" } ?? words.text }

  /// What is missing, for a person: `170 fewer than the service announced`.
  package var sentence: String {
    switch self {
    case .failed(var error), .budget(var error):
      error.source = nil
      return "\(error)"
    case .recorded(let reason):
      let keyword = Self.keywords.first { reason.hasPrefix("\($0): ") }
      return keyword.map { String(reason.dropFirst($0.count + 2)) } ?? reason
    default: return words.text
    }
  }

  private static let keywords: Set = ["loop", "drift", "total", "more", "error", "deadline", "budget", "gone"]

  private var words: (keyword: String?, text: String) {
    switch self {
    case .loop: ("loop", "the service repeated a page before the end")
    case .drift(let missing?): ("drift", "the list changed while it was read; \(missing) missing")
    case .drift(nil): ("drift", "the list changed while it was read; rows may be missing")
    case .total(let missing): ("total", "\(missing) fewer than the service announced")
    case .more: ("more", "the service has more than it returned")
    case .failed(let error): ("error", "\(error)")
    case .budget(let error): ("budget", "\(error)")
    case .deadline: ("deadline", "timed out")
    case .recorded(let reason): (nil, reason)
    case .notStored: (nil, "only part of this answer is cached")
    case .unlisted(let count, let reason):
      ("gone", "\(count) stored record\(count == 1 ? " was" : "s were") not listed; \(reason)")
    case .gone(let count, let stored):
      ("gone", "\(count) of \(stored) stored records are no longer listed; none was marked as gone")
    }
  }
}

extension Verdict {
  /// The weaker of two claims about the same rows. A walk that its limit stopped claims nothing that could be too much.
  func capped(by other: Verdict?) -> Verdict {
    switch (self, other) {
    case (.complete, let other?): other
    case (.unverifiable, .partial?): other ?? self
    default: self
    }
  }

  /// Whether it says more of the same rows than another one.
  package func claimsMore(than other: Verdict) -> Bool {
    switch (self, other) {
    case (.complete, .complete): false
    case (.complete, _), (.unverifiable, .partial): true
    default: false
    }
  }

  /// Its word, and its reason behind it: `partial drift: rows may be missing`.
  package var stored: String { reason.map { "\(kind) \($0)" } ?? kind }

  /// Reads a verdict as ``stored`` writes it.
  package init?(stored text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let kind = parts.first else { return nil }
    self.init(kind: String(kind), reason: parts.dropFirst().first.map(String.init))
  }

  /// Reads a verdict back from its word and its reason; nil when the word is unknown.
  public init?(kind: String, reason: String?) {
    switch kind {
    case "complete": self = .complete
    case "bounded": self = .bounded
    case "partial": self = .partial(.recorded(reason ?? "unknown reason"))
    case "unverifiable": self = .unverifiable
    default: return nil
    }
  }
}

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
  /// How old a cached answer is.
  public var age: Duration?
  /// What kept the answer from being live.
  public var reason: SourceError?
  /// Whether a person brought it in a file, so that no service gave it.
  public var isImported = false
  /// Whether it is what happens to be stored of a list that was never stored whole.
  public var isPart = false
  /// Whether bundled records follow what is stored.
  public var hasBundledRest = false

  /// An answer that is `age` old, if it was cached, and that came for `reason` from elsewhere than the service.
  public init(_ kind: Kind, age: Duration? = nil, reason: SourceError? = nil) {
    (self.kind, self.age, self.reason) = (kind, age, reason)
  }

  /// From the service, just now.
  public static let live = Origin(.live)
  /// From what is compiled in.
  public static let bundled = Origin(.bundled)
  /// From a recording.
  public static let replay = Origin(.replay)
  /// What was stored by a clock that was ahead is no younger than what came just now.
  public static func cache(age: Duration) -> Origin { Origin(.cache, age: max(.zero, age)) }
}
