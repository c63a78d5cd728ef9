extension Settings {
  /// The budget that a setting names; the scopes of its rates are those of what the service publishes.
  public func budget(_ setting: Setting, published: Budget) throws(SourceError) -> Budget {
    guard let text = text(setting) else { return published }
    do throws(SourceError) {
      return try Budget(text, like: published)
    } catch {
      var error = error
      error.message = "\(setting.name): \(error.message)"
      throw error
    }
  }
}
