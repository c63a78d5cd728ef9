/// Which list a source's is now. Stored records are shown, continued and marked as gone only where they are of the same.
struct ListIdentity: Sendable {
  /// The address of its service, with the values that make it another list; nil where an address says nothing.
  var address: String?
  /// The same as older versions noted it.
  var formerAddress: String?
  /// Works out the digest of all that decides which rows are read, and how, which a start mostly does without; nil where nobody knows.
  var reading: (@Sendable () -> String)?
  /// Whether the list is that of the key's holder alone.
  var isPersonal = false
  /// The settings that hold the key.
  var keyNames: [String] = []
  /// The digest of the key with a salt; nil where no key is set.
  var digestOfKey: (@Sendable (_ salt: String) -> String)?
  /// Whether a person said that the holder of this key is the holder of the one before it.
  var isSameAccount = false
  /// Whether a person brings the rows in a file, which are nobody's for that.
  var isBroughtByHand = false
  /// Whether the list has no end, so that no sync stores it.
  var isEndless = false

  /// Who holds a list that is everybody's, and one that was asked for without a key: neither is a key's own.
  private static let (everyone, nobody) = ("everyone", "nobody")

  /// The keepsake that makes the digests of one store useless beside those of another.
  static var saltName: String { "key salt" }

  var needsSalt: Bool { isPersonal && digestOfKey != nil }

  /// Throws where what is stored is of another list. With no key set, what is stored serves; `salt` is nil where no key was ever noted.
  func check(_ stored: ListStamp, salt: String?, of name: String) throws(SourceError) {
    if let address, let other = stored.address, other != address, other != formerAddress || stored.reading != nil {
      throw SourceError(
        .storage, "the stored \(name) came from \(other), not from \(address)",
        remedy: "use another store, or forget what is stored of it")
    }
    guard isPersonal, !isSameAccount, let holder = stored.holder, let digestOfKey else { return }
    if salt.map({ digestOfKey($0) }) != holder {
      let remedy = Remedy.ask("forget", "to forget them").or(.give(["same-account"], "if the account is the same"))
      throw SourceError(.settings, "the stored \(name) are those of another key", remedy: remedy).from(name)
    }
  }

  /// What is noted from now on, where `stored` was noted before. Rows of a personal list land only with its key.
  func stamp(after stored: ListStamp?, salt: String?, of name: String) throws(SourceError) -> ListStamp {
    if let stored { try check(stored, salt: salt, of: name) }
    return ListStamp(
      address: address ?? stored?.address, reading: reading?() ?? stored?.reading,
      holder: try holder(after: stored?.holder, salt: salt, of: name))
  }

  /// Whose list it is from now on.
  func holder(after stored: String?, salt: String?, of name: String) throws(SourceError) -> String? {
    guard isPersonal else { return Self.everyone }
    if isBroughtByHand { return stored }
    if let salt, let digestOfKey { return digestOfKey(salt) }
    guard stored == nil || stored == Self.nobody || stored == Self.everyone else {
      throw SourceError(
        .settings, "the stored \(name) are those of a key, and no key is set", remedy: .set(keyNames)
      ).from(name)
    }
    return Self.nobody
  }
}
