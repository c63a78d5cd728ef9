/// The result of a walk over pages: whether it received everything.
public enum Verdict: Sendable, Hashable {
  /// Everything came, by the source's own rule for the end of its list.
  case complete
  /// The caller's limit stopped the walk; more may follow.
  case bounded
  /// Something is missing, or may be.
  case partial(Shortfall)
  /// The source gives no way to find out.
  case unverifiable

  /// The word for the verdict in JSON.
  public var kind: String {
    switch self {
    case .complete: "complete"
    case .bounded: "bounded"
    case .partial: "partial"
    case .unverifiable: "unverifiable"
    }
  }

  /// Returns the reason for the verdict, for a person. `change` says how the list changed while it was read.
  package func reason(after change: String?) -> String? {
    switch self {
    case .partial(let shortfall): shortfall.description
    case .complete, .unverifiable: change
    case .bounded: nil
    }
  }

  /// Returns why it is unknown whether everything came. `change` says how the list changed while it was read.
  package static func doubt(after change: String?) -> String {
    change.map { "rows may be missing, since \($0)" } ?? "the service does not say whether this is everything"
  }

  /// The reason for a partial verdict, as a text for a person; nil for every other verdict.
  public var reason: String? {
    if case .partial(let shortfall) = self { shortfall.description } else { nil }
  }
}

/// The reason why a walk ended before everything was received.
public enum Shortfall: Sendable, Hashable {
  /// The source returned a page that it had already given, or one without anything new.
  case loop
  /// So many requests in a row brought nothing new.
  case standstill(requests: Int)
  /// The list changed during the walk, and rows may have been missed: at least `missing`, if that is known.
  case drift(missing: Int?)
  /// So many rows had the key of another row, though they differ from it, and were left out. Only rows of one answer are compared, unless the
  /// key was guessed.
  case sharedKeys(Int)
  /// The source announced more than it gave.
  case total(missing: Int)
  /// The source says that there is more, but not how to get it.
  case more
  /// The answer itself says that rows are missing, in these words (``Caveat``).
  case said(String)
  /// Pages failed, and the walk went past them: the rows and their places, in these words.
  case missing(String)
  /// An error part of the way.
  indirect case failed(SourceError)
  /// The time was up part of the way.
  case deadline
  /// Our own budget for the service was used up part of the way.
  indirect case budget(SourceError)
  /// The rest of a cached answer was never cached.
  case notStored
  /// The stored records are those of another list: its description has changed since.
  case anotherList
  /// Most of the stored records are no longer in the list. The list may be wrong, so they stay.
  case gone(Int, of: Int)
  /// This many stored records were not in the list, but the list cannot prove that they are gone, for that reason.
  case unlisted(Int, because: String)
  /// The reason given by the walk that stored these records.
  case recorded(String)

  /// The shortfall after an error part of the way; `isLate` says that the time was up by then.
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
  /// True when a sync ended at rows of another shape, which were not stored.
  var isFrozen: Bool { description.hasPrefix("frozen: ") }

  /// The keyword, if there is one, and the sentence: `total: 170 fewer than the service announced`.
  public var description: String { words.keyword.map { "\($0): \(words.text)" } ?? words.text }

  /// The sentence for a person: `170 fewer than the service announced`.
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

  private static let keywords: Set = [
    "loop", "drift", "total", "more", "error", "deadline", "budget", "gone", "key", "outdated", "frozen", "children", "said",
    "missing",
  ]

  private var words: (keyword: String?, text: String) {
    switch self {
    case .loop: ("loop", "the service repeated a page before the end")
    case .standstill(let requests): ("loop", "\(requests) requests in a row brought nothing new")
    case .drift(let missing?): ("drift", "the list changed while it was read; \(missing) missing")
    case .drift(nil): ("drift", "the list changed while it was read; rows may be missing")
    case .sharedKeys(let count):
      (
        "key",
        "\(count) \(count == 1 ? "row has" : "rows have") the key of another row, from which \(count == 1 ? "it differs" : "they differ"), "
          + "and \(count == 1 ? "was" : "were") left out; the key of the source has to tell all rows apart"
      )
    case .total(let missing): ("total", "\(missing) fewer than the service announced")
    case .more: ("more", "the service has more than it returned")
    case .said(let clause): ("said", clause)
    case .missing(let clause): ("missing", clause)
    case .failed(let error): ("error", "\(error)")
    case .budget(let error): ("budget", "\(error)")
    case .deadline: ("deadline", "timed out")
    case .recorded(let reason): (nil, reason)
    case .notStored: (nil, "only part of this answer is cached")
    case .anotherList:
      ("outdated", "these are the rows of an earlier description of the list; a sync stores those of the present one")
    case .unlisted(let count, let reason):
      ("gone", "\(count) stored record\(count == 1 ? " was" : "s were") not listed; \(reason)")
    case .gone(let count, let stored):
      ("gone", "\(count) of \(stored) stored records are no longer listed; none was marked as gone")
    }
  }
}

extension Verdict {
  /// Returns the weaker of two claims about the same rows. A `bounded` verdict stays, because it cannot claim too much, unless the rows are
  /// those of another list.
  package func capped(by other: Verdict?) -> Verdict {
    switch (self, other) {
    case (.complete, let other?): other
    case (.unverifiable, .partial?), (.bounded, .partial(.anotherList)?): other ?? self
    default: self
    }
  }

  /// The number of records that were stored when most of them were no longer listed, also after this verdict was stored as a text; nil for
  /// every other verdict.
  package var storedBeforeLoss: Int? {
    guard case .partial(let shortfall) = self else { return nil }
    // gone: 100 of 120 stored records are no longer listed; …
    let words = shortfall.description.split(separator: " ", maxSplits: 4)
    guard words.count == 5, words[0] == "gone:", words[2] == "of" else { return nil }
    return Int(words[3])
  }

  /// True when this verdict claims more about the same rows than `other`.
  package func claimsMore(than other: Verdict) -> Bool {
    switch (self, other) {
    case (.complete, .complete): false
    case (.complete, _), (.unverifiable, .partial): true
    default: false
    }
  }

  /// The word followed by the reason: `partial drift: rows may be missing`.
  package var stored: String { reason.map { "\(kind) \($0)" } ?? kind }

  /// Reads a verdict as ``stored`` writes it.
  package init?(stored text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let kind = parts.first else { return nil }
    self.init(kind: String(kind), reason: parts.dropFirst().first.map(String.init))
  }

  /// Reads a verdict from its word and its reason; nil if the word is unknown.
  public init?(kind: String, reason: String?) {
    let all: [Verdict] = [.complete, .bounded, .partial(.recorded(reason ?? "unknown reason")), .unverifiable]
    guard let verdict = all.first(where: { $0.kind == kind }) else { return nil }
    self = verdict
  }
}
