/// What is asked of a source.
public enum Query: Sendable, Hashable {
  /// Every record, in the source's own order.
  case everything
  /// The records that match a person's text.
  case matching(String)
  /// One record in full: a page of one row, or of none.
  case record(String)

  /// What a person typed, when they searched.
  public var text: String? {
    if case .matching(let text) = self { text } else { nil }
  }
}
