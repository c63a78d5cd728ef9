/// Which list a source's is now. Stored records are shown, continued and marked as gone only where they are of the same.
struct ListIdentity: Sendable {
  /// The address of its service, with the values that make it another list; nil where an address says nothing.
  var address: String?
  /// The same as older versions noted it.
  var formerAddress: String?
  /// The digest of all that decides which rows are read, and how; nil where nobody knows.
  var reading: String?
  /// Whether the list is that of the key's holder alone.
  var isPersonal = false
  /// The digest of the key with a salt; nil where no key is set.
  var digestOfKey: (@Sendable (_ salt: String) -> String)?
  /// Whether a person said that the holder of this key is the holder of the one before it.
  var isSameAccount = false
  /// Whether the list has no end, so that no sync stores it.
  var isEndless = false

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
      throw SourceError(.settings, "the stored \(name) are those of another key", remedy: .forgetOrKeepAccount).from(name)
    }
  }

  /// What is noted from now on, where `stored` was noted before. Rows of a personal list land only with its key.
  func stamp(after stored: ListStamp?, salt: String?, of name: String) throws(SourceError) -> ListStamp {
    if let stored { try check(stored, salt: salt, of: name) }
    if isPersonal, digestOfKey == nil, stored?.holder != nil {
      throw SourceError(
        .settings, "the stored \(name) are those of a key, and no key is set", remedy: "set that key, or forget what is stored"
      ).from(name)
    }
    let holder = isPersonal ? salt.flatMap { salt in digestOfKey.map { $0(salt) } } ?? stored?.holder : nil
    return ListStamp(address: address ?? stored?.address, reading: reading ?? stored?.reading, holder: holder)
  }
}
