/// What is asked of a source.
public enum Query: Sendable, Hashable {
  /// Every record, in the source's own order.
  case everything
  /// The records that match a person's text.
  case matching(String)
  /// One record in full: a page of one row, or of none.
  case record(String)
  /// The records that changed since a moment, that moment included, the earliest change first: of a source that tells changes.
  case changed(since: Moment)
  /// What changed last: a page with the source's latest changes. Also of a source that tells changes.
  case latest

  /// What a person typed, when they searched.
  public var text: String? {
    if case .matching(let text) = self { text } else { nil }
  }
}
