// Which list the stored records are of, and by which description they were read.
extension Archive {
  /// Throws if the stored records are those of another address or another key.
  package func checkOwner() async throws { _ = try await checkedStamp(in: snapshot()) }

  /// Throws if the stored records cannot be used for this list: they are of another address or key, or an earlier description read them.
  package func check() async throws { if try await isOutdated { throw outdated } }

  /// The error for stored records that an earlier description read, so that they are not used.
  var outdated: SourceError {
    SourceError(
      .notStored, "the description of \(kind.name) has changed since its records were stored",
      remedy: list?.isEndless == true ? .readOn : .ask("sync", "to store them again")
    ).from(kind.name)
  }

  /// True when an earlier description of the list read the stored records. Throws if they are those of another address or another key.
  package var isOutdated: Bool { get async throws { try await isOutdated(in: snapshot()) } }

  private func isOutdated(in snapshot: any RecordSnapshot) async throws -> Bool {
    try await isOutdated(checkedStamp(in: snapshot), in: snapshot)
  }

  func isOutdated(_ stamp: ListStamp?, in snapshot: any RecordSnapshot) async throws -> Bool {
    guard let present, let stamp, stamp.isOutdated(by: present) else { return false }
    // No description read the records that a person imported.
    let census = try await snapshot.census(of: kind)
    return census.hasOthers || !census.hasImports
  }

  /// Reads the stored records again like ``readAnew()``. A store that may only be read is read as it is.
  package func readAnewIfWritable() async throws {
    do { try await readAnew() } catch let error as SourceError where error.kind == .storage {}
  }

  /// Reads the stored records again if only the description of their fields has changed since they were stored. Their verdict, their history
  /// and who brought them stay. A value that cannot be read from what is stored is left out: it comes with the next sync.
  func readAnew() async throws {
    guard let present, plan == nil, let stored = try await checkedStamp(in: store.snapshot()),
      stored.isReadOtherwise(by: present)
    else { return }
    let unknown = unknownFields(after: stored)
    guard let newest = try await store.snapshot().census(of: kind).newest else { return }
    try await overtakeSync()
    var intake = intake(.rereading, .bulk)
    let snapshot = try await store.snapshot()
    let fetch = Fetch(at: newest, request: Fetch.rereading, place: "")
    var next: Int64? = 0
    while let after = next {
      let rows = try await snapshot.rows(of: kind, .everything, after: after, count: 2_000)
      let read = try rows.leavingOut(unknown).read(by: schema)
      try await intake.add(read.items, misfits: read.misfits, from: fetch)
      next = rows.next
    }
    let landed = try await intake.finish()
    let new = copy(of: stored) {
      ($0.reading, $0.rows, $0.fields) = (present.reading, present.rows, present.fields)
      $0.unknown.formUnion(unknown)
    }
    try await store.stamp(kind) { now in
      guard let now else { return new }
      // Values that do not fit may have been noted meanwhile.
      let isAsBefore = copy(of: now) { $0.hasMisfits = stored.hasMisfits } == stored
      return isAsBefore ? copy(of: new) { $0.hasMisfits = now.hasMisfits } : now
    }
    if !unknown.isEmpty, var sync = try await lastSync() {
      // Only a list that is read in full has the new values of all records.
      (sync.watermark, sync.bookmark) = (nil, nil)
      _ = try await note(sync)
    }
    guard landed.updated > 0 else { return }
    let text = "\(landed.updated) stored \(kind.name) were read anew, since the description of their fields has changed"
    Event.emit(.noticed(source: kind.name, text))
  }

  /// Returns the fields of which a value that was stored with that stamp is not what would be read now: they are read from another place, or
  /// as a type for which the stored value lacks what came.
  func unknownFields(after stored: ListStamp) -> Set<String> {
    guard let present, stored.isReadOtherwise(by: present) else { return [] }
    return Set(schema.fields.map(\.name)).filter { name in
      guard let rule = present.fields[name], let before = stored.fields[name] else {
        return present.fields[name] != stored.fields[name]
      }
      return !rule.reads(before)
    }
  }

  /// Ends an unfinished sync, so that no run of it stores what it read by other rules, and the next sync begins anew.
  private func overtakeSync() async throws {
    guard let last = try await lastSync(), last.verdict == nil else { return }
    var state = try await store.beginSync(of: kind, at: last.began, full: last.isFull, mark: nil)
    (state.verdict, state.ended) = (.partial(.recorded("the description of the fields has changed since it began")), last.began)
    _ = try await note(state)
  }

  /// The names of the fields that no stored record has, because they are read from another place since the records came.
  var unknownFields: Set<String> { get async throws { try await stamp(in: snapshot())?.unknown ?? [] } }

  /// Notes that a full sync has brought the fields that were not known.
  func knowAll() async throws {
    guard let stored = try await stamp(in: snapshot()), !stored.unknown.isEmpty else { return }
    try await store.stamp(kind) { copy(of: $0 ?? stored) { $0.unknown = [] } }
  }

  /// Tells which fields of the stored records are not known, because they are read from another place since the records came.
  func tellUnknown(_ unknown: Set<String>) {
    let names = schema.fields.map(\.name).filter(unknown.contains)
    guard !names.isEmpty else { return }
    Event.emit(.noticed(source: kind.name, FieldOutline.comingLater(names)))
  }

  /// True unless another process has noted another description of the list.
  var isAsNoted: Bool {
    get async throws {
      guard let present, let stored = try await stamp(in: snapshot()) else { return true }
      return stored.reading == nil || stored.reading == present.reading
    }
  }

  func checkedStamp(in snapshot: any RecordSnapshot) async throws -> ListStamp? {
    guard let list, let stored = try await stamp(in: snapshot) else { return nil }
    try list.check(stored, salt: stored.holder == nil ? nil : await snapshot.storedText(ListIdentity.saltName), of: kind.name)
    return stored
  }

  /// A text that tells the list from others; it holds no key.
  package var identity: String { [list?.address, present?.reading].compactMap { $0 }.joined(separator: " ") }

  /// Returns a digest of which list the records are of, whose they are, and what a person did to them; it holds no key. While it stays the
  /// same, the changes that syncs note tell all that becomes of the records of a whole list.
  package func digest(at snapshot: any RecordSnapshot) async throws -> String {
    var digest = Fingerprint()
    for text in [identity, try await stamp(in: snapshot)?.holder ?? ""] { digest.combine(text) }
    for edit in try await snapshot.edits(of: kind) {
      for text in [edit.id, edit.path.text, "\(edit.value)"] { digest.combine(text) }
    }
    for id in try await store.deletions(of: kind).sorted() { digest.combine(id) }
    let (census, log) = (try await snapshot.census(of: kind), try await snapshot.storedText(kind.name(of: .syncs)))
    let imports = [SyncLog(text: log).entries.compactMap(\.imported).max(), census.hasImports ? census.newest : nil]
    for moment in imports { digest.combine(moment?.iso ?? "") }
    return String(digest.value, radix: 16)
  }

  /// Notes that the records are those of this list, before the first of them lands. Records that an earlier description read are hidden
  /// from then on, and the list is read and synced from its beginning. Throws if the records are those of another address or key.
  package func noteList(forImport isBroughtByHand: Bool = false) async throws {
    guard var list, plan == nil else { return }
    try await readAnew()
    list.isBroughtByHand = isBroughtByHand
    let (salt, name, noted) = (try await salt, kind.name, list)
    try await store.stamp(kind) { try noted.stamp(after: $0, salt: salt, of: name) }
  }

  /// Notes that the present key has the same holder as the key before it; the rest of the note stays as it was.
  package func keepAccount() async throws {
    guard var list, list.needsSalt, plan == nil else { return }
    (list.address, list.reading, list.parts) = (nil, nil, nil)
    let (salt, name, unread) = (try await salt, kind.name, list)
    try await store.stamp(kind) { try unread.stamp(after: $0, salt: salt, of: name) }
  }

  /// Returns the stamp for an answer that was read by the rules with the digest `reading`.
  package func stamp(read reading: String) async throws -> ListStamp? {
    guard let list else { return nil }
    return ListStamp(reading: reading, holder: try await list.holder(after: nil, salt: salt, of: kind.name))
  }

  /// True when an answer with this stamp belongs to this list as it is read now. Throws if it belongs to another key.
  func isOurs(_ stamp: ListStamp, read reading: String) async throws -> Bool {
    guard var list else { return true }
    if stamp.holder != nil, list.needsSalt {
      let snapshot = try await snapshot()
      // A person's word that the account is the same is about the holder of the stored records; answers of other holders remain theirs.
      if list.isSameAccount, let holder = try await self.stamp(in: snapshot)?.holder {
        list.isSameAccount = holder == stamp.holder
      }
      try list.check(ListStamp(holder: stamp.holder), salt: await snapshot.storedText(ListIdentity.saltName), of: kind.name)
    }
    return !stamp.isOutdated(by: ListStamp(reading: reading))
  }

  func stamp(in snapshot: any RecordSnapshot) async throws -> ListStamp? {
    try await snapshot.storedText(kind.stampName).map { ListStamp(text: $0) }
  }

  private var salt: String? {
    get async throws {
      guard list?.needsSalt == true else { return nil }
      return try await writable.storedText(ListIdentity.saltName) {
        (0..<2).map { _ in String(UInt64.random(in: 0...(.max)), radix: 36) }.joined()
      }
    }
  }
}

extension FieldOutline {
  /// Says that the values of these fields are not known yet.
  package static func comingLater(_ names: [String]) -> String {
    "\(names.joined(separator: ", ")) \(names.count == 1 ? "gets" : "get") values at the next sync"
  }
}
