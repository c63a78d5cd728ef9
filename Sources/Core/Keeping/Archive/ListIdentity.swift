/// The identity of a source's present list. Stored records are shown, continued and marked as gone only if they are of the same list.
struct ListIdentity: Sendable {
  /// The address of the service, with the values that make it another list; nil if these do not tell the list from others.
  var address: String?
  /// Computes the digest of all that decides which rows are read, and how; nil if it is unknown. A closure, as few starts need it.
  var reading: (@Sendable () -> String)?
  /// Computes what decides which rows are read and how each field is, apart from each other; nil if these are not told apart.
  var parts: (@Sendable () -> (rows: String?, fields: [String: FieldRule]))?
  /// True when the list belongs to the holder of the key alone.
  var isPersonal = false
  var keyRemedy: Remedy?
  /// Computes the digest of the key, or of its holder, with a salt. Nil if no key is set; it returns nil while the holder is unknown.
  var digestOfKey: (@Sendable (_ salt: String) -> String?)?
  /// True when a person said that this key has the same holder as the one before it.
  var isSameAccount = false
  /// True when a person brings the rows in a file, which does not change whose list it is.
  var isBroughtByHand = false
  /// The path of the file that describes the source; nil for a source in Swift.
  var file: String?
  /// True when the list has no end, so that no sync stores it.
  var isEndless = false

  /// The holders of a list that is the same for everybody, and of a list that was read without a key; neither belongs to a key.
  private static let (everyone, nobody) = ("everyone", "nobody")

  /// The name of the keepsake with the salt, by which digests of one store are useless in another.
  static var saltName: String { "key salt" }

  var needsSalt: Bool { isPersonal && digestOfKey != nil }

  /// Throws if the stored records are of another list. Without a key, records of any holder serve. `salt` is nil if no key was ever noted.
  func check(_ stored: ListStamp, salt: String?, of name: String) throws(SourceError) {
    if let address, let other = stored.address, other != address {
      throw SourceError(
        .storage, "the stored \(name) came from \(other), not from \(address)",
        remedy: "use another store, or forget what is stored of it")
    }
    guard isPersonal, !isSameAccount, let holder = stored.holder, let digestOfKey else { return }
    // As long as the holder is unknown nothing was asked, and what is stored serves.
    if let salt, digestOfKey(salt) == nil { return }
    if salt.flatMap({ digestOfKey($0) }) != holder {
      let taking = Remedy.Call(isEndless ? "next" : "sync", with: ["same-account"])
      var remedy = Remedy.ask("forget", "to forget them").or(.ask(taking, "if the account is the same"))
      if let file { remedy = remedy.or("write \"rotates\": true beside the key in \(file) if it is renewed by design") }
      throw SourceError(.settings, "the stored \(name) are those of another key", remedy: remedy).from(name)
    }
  }

  /// Returns the stamp to note in place of `stored`. Throws if that is of another list, or if a personal list would land without its key.
  func stamp(after stored: ListStamp?, salt: String?, of name: String) throws(SourceError) -> ListStamp {
    if let stored { try check(stored, salt: salt, of: name) }
    var stamp = present
    if reading == nil, let stored { (stamp.reading, stamp.rows, stamp.fields) = (stored.reading, stored.rows, stored.fields) }
    stamp.address = address ?? stored?.address
    if let stored, !stored.isOutdated(by: stamp) {
      (stamp.unknown, stamp.hasMisfits) = (stored.unknown, stored.hasMisfits)
    }
    stamp.holder = try holder(after: stored?.holder, salt: salt, of: name)
    return stamp
  }

  /// The stamp of the present description alone.
  var present: ListStamp {
    copy(of: ListStamp(reading: reading?())) { if let parts = parts?() { ($0.rows, $0.fields) = parts } }
  }

  /// Returns the holder to note in place of `stored`. Throws if that is the holder of a key and no key is set.
  func holder(after stored: String?, salt: String?, of name: String) throws(SourceError) -> String? {
    guard isPersonal else { return Self.everyone }
    if isBroughtByHand { return stored }
    if let salt, let digest = digestOfKey?(salt) { return digest }
    guard stored == nil || stored == Self.nobody || stored == Self.everyone else {
      throw SourceError(
        .settings, "the stored \(name) are those of a key, and no key is set", remedy: keyRemedy
      ).from(name)
    }
    return Self.nobody
  }
}
