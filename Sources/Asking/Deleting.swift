public import AggregatorCore

extension SourceSession {
  /// Deletes a record that is stored or compiled in. It is not shown until it is restored. Returns the moment of its first deletion;
  /// `isNew` is true if that is now. Throws if the record is unknown.
  public func delete(_ name: String) async throws -> (id: String, at: Moment, isNew: Bool) {
    let (archive, id, now) = (try stored, schema.identity(name), world.clock.now)
    try await archive.checkOwner()
    guard try await isKnown(id) else { throw isMissing(id) }
    // Also in the sample, which answers if nothing was fetched yet.
    try await archive.sample.delete(id, at: now)
    let moment = try await archive.delete(id, at: now)
    return (id, moment, moment == now)
  }

  /// Undoes a deletion and takes back a person's edits. Returns false and no paths if the record had neither. With `keepingEdits` the edits
  /// of a deleted record stay: who takes back a deletion has not spoken of them.
  public func restore(
    _ name: String, keepingEdits: Bool = false
  ) async throws -> (id: String, wasDeleted: Bool, edits: [FieldPath]) {
    let (archive, id) = (try stored, schema.identity(name))
    try await archive.checkOwner()
    let wasSample = try await archive.sample.restore(id)
    let wasDeleted = try await archive.restore(id) || wasSample
    let edits = keepingEdits && wasDeleted ? [] : try await archive.takeBackEdits(of: id)
    if wasDeleted { return (id, true, edits) }
    guard try await isKnown(id) else { throw isMissing(id) }
    return (id, false, edits)
  }

  /// Tells where a record came from and what became of it. The record may be stored, or only compiled in.
  public func account(of name: String) async throws -> RecordAccount {
    let id = schema.identity(name)
    try await stored.checkOwner()
    var history = try await stored.history(of: id)
    var isBundled = false
    if history?.record == nil, let item = try await bundledRecord(id) {
      var writer = JSONWriter()
      writer.write(schema.value(of: item))
      history = History(record: StoredRow(row: 0, body: writer.bytes), fetch: nil, absorbed: [], deletedAt: history?.deletedAt)
      isBundled = true
    }
    guard let history else { throw isMissing(id) }
    return RecordAccount(id, history, try await stored.edits(of: id), of: self, isBundled: isBundled)
  }

  /// Throws if a person deleted that record.
  public func checkIsNotDeleted(_ name: String) async throws {
    let id = schema.identity(name)
    guard let moment = try await archive?.history(of: id)?.deletedAt else { return }
    throw SourceError(
      .notFound, "\(id) was deleted \((world.clock.now - moment).ago)", remedy: .ask(.init("restore", id), "to undo")
    ).from(self.name)
  }

  /// True when the record is stored, deleted or compiled in.
  func isKnown(_ id: String) async throws -> Bool {
    if try await stored.history(of: id) != nil { return true }
    return try await bundledRecord(id) != nil
  }

  private func bundledRecord(_ id: String) async throws -> Item? {
    try await bundled?.page(PageRequest(.record(id))).items.first
  }

  func isMissing(_ id: String) -> SourceError {
    SourceError(.notFound, "no such record: \"\(id)\"", remedy: descriptor.remedyOfFinding).from(name)
  }
}

/// The records that a person has deleted, stored or compiled in, latest first.
struct DeletedRecords<Item: SourceItem>: DataSource {
  let source: any SourceSession<Item>

  var profile: Profile { Profile("\(source.name).deleted", paging: .whole, search: .native, lookup: .native) }
  var schema: Schema<Item> { source.schema }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let (archive, compiledIn) = (try source.stored, try source.bundled?.all.items ?? [])
    var (items, unstored) = ([Item](), [String]())
    for id in try await archive.deletions() {
      let stored = try await archive.history(of: id)?.record.map { try schema.read(JSON($0.body)) }
      if let item = stored ?? compiledIn.first(where: { $0.id == id }) { items.append(item) } else { unstored.append(id) }
    }
    let shown = try await archive.edited(items).items
    var page = try RecordList(shown).page(of: self, request.searching, origin: .cache(age: .zero))
    if !unstored.isEmpty {
      let (ids, rest) = (unstored.prefix(3).map { Printable.clean($0) }.joined(separator: ", "), unstored.count - 3)
      page.standing = .partial(
        .recorded(
          "of \(plural(unstored.count, "deleted record")) only the ID is stored: \(ids)\(rest > 0 ? " and \(rest) more" : "")"))
    }
    return page
  }
}
