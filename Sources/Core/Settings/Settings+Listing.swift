extension Settings {
  /// One line of what `config` prints.
  public struct Line: Sendable, Hashable {
    public let key: String
    /// Masked if it is a secret; nil if nothing sets it.
    public let value: String?
    /// `flag`, `environment`, `path:12`, `default` or `not set`.
    public let origin: String
    public let isSecret: Bool
    public let summary: String
  }

  /// Every declared setting with what holds and who set it.
  public var listing: [Line] {
    declared.map { setting in
      let entry = self[setting]
      return Line(
        key: setting.name, value: entry?.shown, origin: entry?.origin.description ?? "not set", isSecret: setting.isSecret,
        summary: setting.summary)
    }
  }
}
