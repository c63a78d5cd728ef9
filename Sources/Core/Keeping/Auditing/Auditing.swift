/// Compares a stored list with a random part of what its service says now.
///
///     let audit = try await Auditing(live, of: archive, by: SeededDice(seed: 7)).run(requests: 20)
///
/// By place: each row of a page at a random place must be stored. By id: the service must have each of some random stored records. A list
/// that can only be read from its beginning is read again in pages of another size, as far as the requests go. Of lists below parents those
/// of random parents are read.
public struct Auditing<Item: SourceItem>: Sendable {
  private let source: any DataSource<Item>
  private let archive: Archive<Item>
  private let seed: Int
  private let dice: any Dice
  private let requests: RequestCap
  private let clock: any Timekeeper

  /// Makes a recount of the records in `archive`, whose service `source` asks; `requests` counts its requests. Its draws are the same for
  /// the same seed.
  public init(
    _ source: some DataSource<Item>, of archive: Archive<Item>, seed: Int, counting requests: RequestCap = RequestCap(),
    clock: some Timekeeper = SystemTime()
  ) {
    (self.source, self.archive, self.seed, self.requests, self.clock) = (source, archive, seed, requests, clock)
    dice = SeededDice(seed: UInt64(bitPattern: Int64(seed)))
  }

  /// Recounts with at most that many requests for a page or a record, and stores the result. Throws if nothing is stored, if the stored
  /// records are of another list, or if not even one request is answered.
  public func run(requests most: Int) async throws -> Audit {
    try await archive.check()
    let (stored, sent) = (try await StoredIDs(archive), requests.count)
    let name = archive.kind.name
    // What a sync has not read yet would count as missing.
    guard stored.sync == nil ? !stored.census.hasOthers : stored.sync?.verdict != nil else {
      throw SourceError(
        .notStored,
        "\(stored.sync == nil ? "no sync of \(name) has ended" : "the last sync of \(name) has not ended"), so that it cannot be compared",
        remedy: .ask("sync", "to end it"))
    }
    guard stored.count > 0 || stored.sync != nil else {
      throw SourceError(.notStored, "nothing of \(name) is stored to be compared", remedy: .ask("sync", "to store it"))
    }
    var run = AuditRun(source: source, stored: stored, dice: dice, most: most)
    (run.audit.seed, run.audit.stored, run.audit.list) = (seed, stored.count, archive.listDigest)
    try await read(&run)
    if run.mayHaveMissedRows {
      var other = AuditRun(source: source, stored: stored, dice: dice, most: run.requestsLeft)
      do { try await read(&other) } catch is SourceError {}
      run.confirmGone(by: other)
    }
    run.audit.at = clock.now
    run.audit.requests = max(run.audit.requests, requests.count - sent)
    if stored.census.hasImports { run.audit.doubts.append("imported records are among those that are stored") }
    run.doubtUnchangedPages()
    // Without them the next sync asks for every page in full.
    if run.doubtsUnchangedPages { try await archive.noteIfWritable("", as: .pages) }
    try await archive.noteIfWritable(run.audit.text, as: .audit)
    return run.audit
  }

  private func read(_ run: inout AuditRun<Item>) async throws {
    switch source.profile.paging.style {
    case .whole: try await run.readWhole()
    case .token, .keyset: if try await !run.drawParents() { try await run.walk() }
    case .offset, .number: try await run.drawPlaces()
    }
  }
}

extension Archive {
  /// A digest of all that decides which rows are read.
  var listDigest: String {
    [list?.address, present?.rows ?? present?.reading].compactMap(\.self).joined(separator: " ")
  }

  /// Notes a text of a recount beside the records. Where the store cannot be written, its result is told all the same.
  fileprivate func noteIfWritable(_ text: String, as note: RecordNote) async throws {
    guard plan == nil else { return }
    do { try await writable.note(text, as: note, of: kind) } catch let error as SourceError where error.kind == .storage {
      Event.emit(.storeFailed(error))
    }
  }
}
