import Synchronization

/// A store for the life of a process: for use without a writable folder, in a replay, and in tests.
public final class StoreInMemory: RecordStore {
  private let contents = Mutex(Contents())

  private struct Contents {
    var records: [String: RecordsInMemory] = [:]
    var answers: [AnswerKey: [CachedAnswer]] = [:]
    var keepsakes: [String: String] = [:]
    /// The holder of each claimed part of a sync, by the name of the records and that of the part.
    var claims: [[String]: UInt64] = [:]
  }

  /// Makes an empty store.
  public init() {}

  private func with<Result: Sendable>(
    _ kind: RecordKind, _ body: (inout RecordsInMemory) throws -> Result
  ) rethrows -> Result { try contents.withLock { try body(&$0.records[kind.name, default: RecordsInMemory()]) } }

  public func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    try contents.withLock { contents in
      let stored = contents.keepsakes[kind.stampName].map { ListStamp(text: $0) }
      let new = try stamp(stored)
      guard new != stored else { return }
      contents.keepsakes[kind.stampName] = new.text
      if let stored, stored.isOutdated(by: new) { contents.records[kind.name]?.becomeOutdated() }
      for (key, steps) in contents.answers where key.sourceName == kind.name {
        contents.answers[key] = steps.map { $0.following(stored, to: new) }
      }
    }
  }

  public func land(_ batch: Batch) async throws -> LandingResult { try with(batch.kind) { try $0.land(batch) } }

  public func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {}

  /// Returns a copy, which shares everything with the store until something lands.
  public func snapshot() async throws -> any RecordSnapshot {
    contents.withLock { Snapshot(records: $0.records, keepsakes: $0.keepsakes, claims: $0.claims) }
  }

  private struct Snapshot: RecordSnapshot {
    let records: [String: RecordsInMemory]
    let keepsakes: [String: String]
    let claims: [[String]: UInt64]

    func rows(of kind: RecordKind, _ question: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
      try Task.checkCancellation()
      return records[kind.name]?.rows(question, after: row, count: count) ?? StoredRows(rows: [], next: nil)
    }

    func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
      try Task.checkCancellation()
      return records[kind.name]?.traces(query, after: row, count: count) ?? TracedRows(rows: [], next: nil)
    }

    func census(of kind: RecordKind) async throws -> Census { records[kind.name]?.census ?? Census(count: 0, newest: nil) }
    func removals(of kind: RecordKind) async throws -> Removals { records[kind.name]?.removals ?? Removals() }
    func sync(of kind: RecordKind) async throws -> SyncState? {
      records[kind.name]?.sync?.running(if: claims[[kind.name, Claim.everything]] != nil)
    }
    func position(of kind: RecordKind) async throws -> Position { records[kind.name]?.position ?? Position() }
    func edits(of kind: RecordKind) async throws -> [Edit] { records[kind.name]?.edits ?? [] }
    func storedText(_ name: String) async throws -> String? { keepsakes[name] }
  }

  public func position(of kind: RecordKind) async throws -> Position { with(kind) { $0.position } }

  public func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int {
    with(kind) { $0.waiting(most).count }
  }

  public func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    with(kind) { records in
      let taken = records.waiting(count)
      for index in taken { records.rows[index].isShown = true }
      return taken.map(records.stored)
    }
  }

  public func giveBack(_ ids: [String], to kind: RecordKind) async throws {
    with(kind) { records in
      for index in ids.compactMap(records.index(of:)) { records.rows[index].isShown = false }
    }
  }

  public func reset(_ kind: RecordKind) async throws {
    with(kind) { records in
      for index in records.rows.indices { records.rows[index].isShown = false }
      records.position = records.position.begunAgain
    }
  }

  public func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    with(kind) { records in records.those(of: ids) { $0.reading == reading } }
  }
}

extension StoreInMemory {
  public func claim(_ claim: Claim, of kind: RecordKind) async throws {
    try contents.withLock { contents in
      guard contents.claims[[kind.name, claim.part]] == nil else { throw Claim.isTaken }
      contents.claims[[kind.name, claim.part]] = claim.holder
    }
  }

  public func release(_ claim: Claim, of kind: RecordKind) async {
    contents.withLock { contents in
      if contents.claims[[kind.name, claim.part]] == claim.holder { contents.claims[[kind.name, claim.part]] = nil }
    }
  }

  public func sync(of kind: RecordKind) async throws -> SyncState? { try await snapshot().sync(of: kind) }

  public func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    with(kind) { $0.beginSync(at: moment, full: isFull, mark: mark) }
  }

  public func note(_ state: SyncState, of kind: RecordKind) async throws -> Int {
    try with(kind) { try $0.note(state, of: kind) }
  }

  public func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    with(kind) { records in records.those(of: ids) { records.fetches[$0.fetch].sync == number } }
  }

  public func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    contents.withLock { $0.keepsakes[kind.name(of: note)] = text }
  }

  public func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    with(kind) { Array($0.changes.reversed().filter { $0.at >= moment }.prefix(most)) }
  }

  public func unmet(of kind: RecordKind) async throws -> Int { with(kind) { $0.unmet } }

  @discardableResult
  public func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    with(kind) { records in
      let first = records.deleted[Array(id.utf8)] ?? moment
      records.deleted[Array(id.utf8)] = first
      return first
    }
  }

  @discardableResult
  public func restore(_ id: String, of kind: RecordKind) async throws -> Bool {
    with(kind) { $0.deleted.removeValue(forKey: Array(id.utf8)) != nil }
  }

  @discardableResult
  public func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    with(kind) { $0.takeBackEdits(of: id) }
  }

  public func deletions(of kind: RecordKind) async throws -> [String] {
    with(kind) { $0.deleted.sorted { $0.value > $1.value }.map { String(decoding: $0.key, as: UTF8.self) } }
  }

  public func history(of id: String, of kind: RecordKind) async throws -> History? { with(kind) { $0.history(of: id) } }

  public func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
    contents.withLock { contents in contents.answers[key].flatMap { $0.indices.contains(step) ? $0[step] : nil } }
  }

  @discardableResult public func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    contents.withLock { contents in
      var steps = contents.answers[key] ?? []
      guard answer.mayBeCached(as: step, after: steps.last.map { (steps.count - 1, $0.walk) }) else { return false }
      if step == 0 { steps = [] }
      contents.answers[key] = steps + [answer]
      return true
    }
  }

  public func holdings() async throws -> [Holding] {
    contents.withLock { contents in
      let sources = contents.records.sorted { $0.key < $1.key }
      let answers = Dictionary(grouping: contents.answers) { $0.key.sourceName }.sorted { $0.key < $1.key }
      let records = sources.map { name, records in
        Holding(name, "records", records.rows.map { ($0.body.count, records.fetches[$0.fetch].fetch.at) })
      }
      let cached = answers.map { Holding($0, "answers", $1.flatMap(\.value).map { ($0.rows.count, $0.at) }) }
      let deletions = sources.map { Holding($0, "deletions", $1.deleted.map { ($0.count, $1) }) }
      return (records + cached + deletions).filter { $0.rows > 0 }
    }
  }

  @discardableResult public func clearAnswers() async throws -> Int {
    contents.withLock { contents in
      defer { contents.answers = [:] }
      return contents.answers.values.reduce(0) { $0 + $1.count }
    }
  }

  @discardableResult public func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    contents.withLock { contents in
      guard !importedOnly else { return contents.records[kind.name]?.forgetImported() ?? 0 }
      contents.keepsakes = contents.keepsakes.filter { !kind.owns(keepsake: $0.key) }
      contents.answers = contents.answers.filter { $0.key.sourceName != kind.name }
      return contents.records[kind.name]?.forget() ?? 0
    }
  }

  public func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    if let value = contents.withLock({ $0.keepsakes[name] }) { return value }
    // The caller's closure runs outside the lock.
    let made = make()
    return contents.withLock { contents in
      let value = contents.keepsakes[name] ?? made
      contents.keepsakes[name] = value
      return value
    }
  }
}

extension Holding {
  /// Sums up some things of one kind, each with its size and the moment at which it came.
  fileprivate init(_ source: String, _ kind: String, _ things: [(bytes: Int, at: Moment)]) {
    self.init(
      source: source, kind: kind, rows: things.count, bytes: things.reduce(0) { $0 + $1.bytes }, oldest: things.map(\.at).min(),
      newest: things.map(\.at).max())
  }
}
