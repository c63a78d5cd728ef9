public import AggregatorCore

/// The start of the time whose changes are wanted.
public enum ChangesSince: Sendable, Hashable {
  /// Changes that a sync saw at that moment or later.
  case moment(Moment)
  /// Changes that this reader has not seen yet. The store notes for each reader how far it has come.
  case last(reader: String)

  /// Every change that is stored.
  public static let ever = ChangesSince.moment(Moment(secondsSinceEpoch: 0))

  /// Reads `last`, `last:NAME`, or a time as people write it: `1d`, `yesterday`, `monday`, `2026-11-01`, `2026-11-01T06:00:00Z`.
  public init(_ text: String, at now: Moment) throws(SourceError) {
    let trimmed = text.trimmingSpaces
    let word = trimmed.lowercased()
    if word == "last" || word.hasPrefix("last:") {
      let reader = String(trimmed.dropFirst(5))
      guard word == "last" || !reader.isEmpty, reader == Printable.clean(reader) else { throw Self.unreadable(text) }
      self = .last(reader: reader)
    } else if let moment = Moment(inWords: text, at: now) {
      self = .moment(moment)
    } else {
      throw Self.unreadable(text)
    }
  }

  private static func unreadable(_ text: String) -> SourceError { Moment.unreadable(text, or: ["last", "last:NAME"]) }
}

/// The wishes of a caller for the changes of a list.
public struct ChangesWishes: Sendable, Hashable {
  /// The start of the time whose changes are wanted.
  public var since = ChangesSince.ever
  /// The end of that time, which is not part of it; nil for none.
  public var until: Moment?
  /// The kinds of changes that are wanted; every kind if it is empty.
  public var kinds: Set<FoundChange.Kind> = []

  /// No wishes.
  public init() {}
}
