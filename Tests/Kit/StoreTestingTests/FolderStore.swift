import AggregatorCore
import Platform  // The calls of the system: Glibc, or Darwin.
import Synchronization

// A store as short as it can be. Docs/guides/write-a-store.md goes through it part by part. `GuideTests` checks that this file and its
// tests contain each snippet of the guide, word for word.

// MARK: - The folder

/// A store in a folder: a JSON file for each source, and one for the texts that belong to no source.
///
/// It is short and not fast: a call reads whole files, and writes whole files.
final class FolderStore: RecordStore {
  let path: String
  /// The open files that are locked for claims, by source, part and holder.
  private let claims = Mutex<[String: CInt]>([:])

  init(at path: String) { self.path = path }

  /// Returns a source's file, or an empty one if it does not exist. It needs no lock, because a file is always whole.
  func file(of kind: RecordKind) throws -> SourceFile { try read(fileName(kind)) }

  /// Changes a source's file by `work`, and returns what `work` returns. A new file replaces the old one in one step: a reader finds one or
  /// the other, and after an error the old one. If `busy` is given and the folder is locked, it returns `busy` and changes nothing.
  func changing<Answer>(
    _ kind: RecordKind, orGive busy: Answer? = nil, _ work: (inout SourceFile) throws -> Answer
  ) async throws -> Answer {
    try await locked(orGive: busy) {
      let name = fileName(kind)
      var file = try read(name)
      file.name = kind.name
      let (answer, bytes) = (try work(&file), file.fieldValue.bytes)
      guard let new = fopen("\(path)/\(name).new", "we") else { throw failure("cannot write \(name)") }
      let isWritten = fwrite(bytes, 1, bytes.count, new) == bytes.count && fflush(new) == 0 && fsync(fileno(new)) == 0
      guard fclose(new) == 0, isWritten, rename("\(path)/\(name).new", "\(path)/\(name)") == 0 else {
        throw failure("cannot write \(name)")
      }
      return answer
    }
  }

  /// Runs `work` while no other store can write to the folder. It waits for the lock until the deadline of its task. If `busy` is given, it
  /// does not wait but returns `busy`.
  private func locked<Answer>(orGive busy: Answer? = nil, _ work: () throws -> Answer) async throws -> Answer {
    let lock = try lockFile("lock")
    defer { close(lock) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      if let busy { return busy }
      try Deadline.check()
      // Another process may have the lock, and nothing tells when it gives it back.
      try await Task.sleep(for: .milliseconds(1))
    }
    // Closing the file is not enough: a program that was just started may still have a copy of it.
    defer { flock(lock, LOCK_UN) }
    return try work()
  }

  /// Returns all files as they were at one moment.
  private func files() async throws -> [SourceFile] {
    guard access(path, F_OK) == 0 else { return [] }
    return try await locked {
      guard let folder = opendir(path) else { throw failure("cannot read the folder") }
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
      }
      return try names.filter { $0.hasSuffix(".json") }.map(read)
    }
  }

  private func read(_ name: String) throws -> SourceFile {
    guard let file = fopen("\(path)/\(name)", "re") else {
      if errno == ENOENT { return SourceFile() }
      throw failure("cannot read \(name)")
    }
    defer { fclose(file) }
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part.prefix(count) }
    guard ferror(file) == 0, var content = try? SourceFile(JSON(bytes), as: .own) else {
      throw SourceError(ofStore: "\(path)/\(name) is not what this store has written", remedy: .useAnotherStore)
    }
    content.sync = content.sync?.running(if: isSyncing(content.name))
    return content
  }

  /// Opens a file for a lock. It makes the file and the folder if they are missing. The system releases the lock of a process that dies.
  private func lockFile(_ name: String) throws -> CInt {
    mkdir(path, 0o700)
    let file = open("\(path)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot open \(name)") }
    return file
  }

  private func failure(_ what: String) -> SourceError {
    SourceError(ofStore: "\(what) in \(path): \(String(cString: strerror(errno)))", remedy: .useAnotherStore)
  }

  private func fileName(_ kind: RecordKind) -> String { "\(kind.name.isEmpty ? "%" : fileName(kind.name)).json" }

  /// Returns a file name for a text. Different texts have different names, also on a disk that disregards capitals or accents.
  private func fileName(_ text: String) -> String {
    let plain: ClosedRange<UnicodeScalar> = "a"..."z"
    return text.utf8.map { plain.contains(UnicodeScalar($0)) ? String(UnicodeScalar($0)) : "%\($0)." }.joined()
  }
}

/// Everything that the store knows of one source.
struct SourceFile: Part {
  var name = ""
  var rows: [Row] = []
  /// The number of the row that was added last.
  var lastRow = 0
  /// The moment at which the last records came, in nanoseconds; nil before that.
  var newest: Int?
  /// True when some records came otherwise than from a person's file.
  var hasOthers = false
  var deletions: [Deletion] = []
  var edits: [Edit] = []
  var position = Position()
  var sync: SyncState?
  var syncsBegun = 0
  var changes: [RecordChange] = []
  var answers: [Answer] = []
  fileprivate var texts = Value.object([])

  static let fields: [Field<SourceFile>] = [
    Field("name", \.name), Field("rows", \.rows), Field("lastRow", \.lastRow), Field("newest", \.newest),
    Field("hasOthers", \.hasOthers), Field("deletions", \.deletions), Field("edits", \.edits), Field("position", \.position),
    Field("sync", \.sync), Field("syncsBegun", \.syncsBegun), Field("changes", \.changes), Field("answers", \.answers),
    Field("texts", \.texts),
  ]

  struct Row: Part {
    var number = 0
    var id = ""
    var body = ""
    /// The request that brought the row last. `sync` is the number of its sync, and `syncsBegun` counts the syncs that had begun by then.
    var fetch = Fetch(at: Moment(nanoseconds: 0), request: "", place: "")
    var sync: Int?
    var syncsBegun = 0
    /// The number of the last reading of the list that met the row; nil if none did.
    var reading: Int?
    var isShown = false
    /// The moment at which a sync missed the row, in nanoseconds; nil if none did. Zero means that an earlier description read it.
    /// Deletions are noted elsewhere.
    var gone: Int?
    var absorbed: [History.DuplicateRecord] = []

    static let fields: [Field<Row>] = [
      Field("number", \.number), Field("id", \.id), Field("body", \.body), Field("fetch", \.fetch), Field("sync", \.sync),
      Field("syncsBegun", \.syncsBegun), Field("reading", \.reading), Field("isShown", \.isShown), Field("gone", \.gone),
      Field("absorbed", \.absorbed),
    ]

    var bytes: [UInt8] { Array(body.utf8) }
    var stored: StoredRow { StoredRow(row: Int64(number), body: bytes) }
    var isImported: Bool { fetch.request == Fetch.importing }
  }

  /// The indices of all rows by the bytes of their ids, because two texts with different bytes can be equal in Swift.
  var indices: [[UInt8]: Int] { Dictionary(uniqueKeysWithValues: rows.indices.map { (Array(rows[$0].id.utf8), $0) }) }

  /// The indices of the rows that are neither deleted nor gone, in the order in which they came.
  var there: [Int] {
    let deleted = Set(deletions.map { Array($0.id.utf8) })
    return rows.indices.filter { rows[$0].gone == nil && !deleted.contains(Array(rows[$0].id.utf8)) }
  }

  func indices(of ids: [String]) -> [Int] {
    let indices = indices
    return ids.compactMap { indices[Array($0.utf8)] }
  }

  func trace(_ index: Int) -> TracedRow {
    let row = rows[index]
    return TracedRow(
      row.stored, id: row.id, fetch: row.fetch, gone: row.gone.map { Moment(nanoseconds: Int64($0)) },
      deletedAt: deletion(of: row.id).map { deletions[$0].moment })
  }

  /// The text that the store noted under a name, such as the stamp of the list; nil if it noted none.
  subscript(name: String) -> String? {
    get { if case .text(let text)? = texts[name] { text } else { nil } }
    set { texts[name] = newValue.map { .text($0) } }
  }
}

// MARK: - Lists

// A batch changes one file, so it lands whole or not at all. Core says what becomes of each record. A search may find too much, because the
// reader checks each row again.
extension FolderStore: ListStore {
  func land(_ batch: Batch) async throws -> LandingResult { try await changing(batch.kind) { try $0.land(batch) } }

  func optimize(_ kind: RecordKind, bulk isBulk: Bool) async throws {}

  func snapshot() async throws -> any RecordSnapshot { FolderSnapshot(files: try await files()) }

  func stamp(_ kind: RecordKind, _ stamp: @Sendable (ListStamp?) throws -> ListStamp) async throws {
    try await changing(kind) { file in
      let stored = file[kind.stampName].map { ListStamp(text: $0) }
      let new = try stamp(stored)
      file[kind.stampName] = new.text
      for index in file.answers.indices { file.answers[index].page = file.answers[index].page?.following(stored, to: new) }
      guard let stored, stored.isOutdated(by: new) else { return }
      for index in file.rows.indices where !file.rows[index].isImported { file.rows[index].gone = 0 }
      (file.position, file.sync) = (file.position.outdated, file.sync?.outdated)
    }
  }
}

extension SourceFile {
  mutating func land(_ batch: Batch) throws -> LandingResult {
    if let state = batch.sync, state.noted(over: sync) == nil { throw SyncState.isOvertaken(batch.kind) }
    if let advance = batch.advance {
      guard let next = position.advanced(by: advance) else { return .overtaken }
      position = next
    }
    var (plan, indices) = (LandingPlan(batch, under: edits, after: sync), indices)
    for new in batch.rows {
      let (id, fetch) = (String(decoding: batch.bytes[new.id], as: UTF8.self), batch.fetches[new.fetch])
      let isDeleted = deletion(of: id) != nil
      if isDeleted, plan.leavesOutDeleted {
        plan.deleted()
        continue
      }
      let (landing, index): (Batch.Landing, Int)
      if let known = indices[Array(id.utf8)] {
        let row = rows[known]
        index = known
        landing = try plan.landing(
          of: new, on: row.bytes[...], from: row.fetch, gone: row.gone != nil, outdated: row.gone == 0,
          deleted: isDeleted)
      } else {
        (landing, index, lastRow) = (plan.new(new, deleted: isDeleted), rows.count, lastRow + 1)
        rows.append(Row(number: lastRow, id: id))
        indices[Array(id.utf8)] = index
      }
      if let body = landing.body { rows[index].body = String(decoding: body, as: UTF8.self) }
      if landing.isOfItsFetch { (rows[index].fetch, rows[index].sync, rows[index].syncsBegun) = (fetch, batch.sync?.number, syncsBegun) }
      if landing.isThereAgain { rows[index].gone = nil }
      if landing.isAbsorbed {
        rows[index].absorbed.append(History.DuplicateRecord(body: Array(batch.bytes[new.body]), fetch: fetch))
      }
      if let (before, after, ended) = landing.change { note(rows[index], at: fetch.at, before: before, after: after, ending: ended) }
      rows[index].reading = batch.advance?.to?.reading ?? rows[index].reading
    }
    newest = batch.fetches.map { Int($0.at.nanoseconds) }.max() ?? newest
    let (removed, added) = plan.edits.changes
    edits = edits.filter { !removed.contains($0) } + added
    hasOthers = hasOthers || batch.fetches.contains { $0.request != Fetch.importing }
    // The store alone counts what landed of a sync.
    if let state = batch.sync { sync = state.noted(over: sync, landing: plan.landed) }
    return plan.landed
  }
}

struct FolderSnapshot: RecordSnapshot {
  let files: [SourceFile]

  private func file(of kind: RecordKind) -> SourceFile { files.first { $0.name == kind.name } ?? SourceFile() }

  func rows(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
    let file = file(of: kind)
    let there = file.there.map { file.rows[$0].stored }
    func found(_ ids: [String]) -> [StoredRow] { Set(file.indices(of: ids)).intersection(file.there).map { file.rows[$0].stored } }
    switch query {
    case .id(let id): return StoredRows(rows: found([id]), next: nil)
    case .ids(let ids): return StoredRows(rows: found(ids), next: nil)
    case .rows(let numbers): return StoredRows(rows: there.filter { Set(numbers).contains($0.row) }, next: nil)
    case .everything, .maybeMatching:
      let rest = there.filter { $0.row > row }
      return StoredRows(rows: Array(rest.prefix(count)), next: rest.count > count ? rest.prefix(count).last?.row ?? row : nil)
    }
  }

  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
    let file = file(of: kind)
    switch query {
    case .id(let id): return TracedRows(rows: file.indices(of: [id]).map(file.trace), next: nil)
    case .ids(let ids): return TracedRows(rows: file.indices(of: ids).map(file.trace), next: nil)
    case .rows(let numbers):
      return TracedRows(rows: file.rows.indices.filter { numbers.contains(file.rows[$0].stored.row) }.map(file.trace), next: nil)
    case .everything, .maybeMatching:
      let rest = file.rows.indices.filter { file.rows[$0].stored.row > row }.map(file.trace)
      return TracedRows(rows: Array(rest.prefix(count)), next: rest.count > count ? rest.prefix(count).last?.stored.row ?? row : nil)
    }
  }

  func census(of kind: RecordKind) async throws -> Census {
    let file = file(of: kind)
    return Census(
      count: file.there.count, newest: file.newest.map { Moment(nanoseconds: Int64($0)) },
      hasImports: file.rows.contains { $0.isImported && $0.syncsBegun == file.syncsBegun }, hasOthers: file.hasOthers)
  }

  func removals(of kind: RecordKind) async throws -> Removals {
    let file = file(of: kind)
    return Removals(deleted: file.deletions.count, gone: file.rows.count { $0.gone ?? 0 > 0 })
  }

  func sync(of kind: RecordKind) async throws -> SyncState? { file(of: kind).sync }

  func position(of kind: RecordKind) async throws -> Position { file(of: kind).position }

  func edits(of kind: RecordKind) async throws -> [Edit] { file(of: kind).edits }

  func storedText(_ name: String) async throws -> String? { files.lazy.compactMap { $0[name] }.first }
}

// MARK: - Positions

// Each row notes whether a person has seen it. So no row is skipped, even one that becomes visible late. Rows that are given back come
// first, because they are the oldest of those that wait.
extension FolderStore: PositionStore {
  func position(of kind: RecordKind) async throws -> Position { try file(of: kind).position }

  func waiting(of kind: RecordKind, upTo most: Int) async throws -> Int { min(try file(of: kind).waiting.count, most) }

  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow] {
    try await changing(kind) { file in
      let taken = file.waiting.prefix(count)
      for index in taken { file.rows[index].isShown = true }
      return taken.map { file.rows[$0].stored }
    }
  }

  func giveBack(_ ids: [String], to kind: RecordKind) async throws {
    try await changing(kind) { file in
      for index in file.indices(of: ids) { file.rows[index].isShown = false }
    }
  }

  func reset(_ kind: RecordKind) async throws {
    try await changing(kind) { file in
      for index in file.rows.indices { file.rows[index].isShown = false }
      file.position = file.position.begunAgain
    }
  }

  func met(_ ids: [String], of kind: RecordKind, reading: Int) async throws -> Set<String> {
    let file = try file(of: kind)
    return Set(file.indices(of: ids).map { file.rows[$0] }.filter { $0.reading == reading }.map(\.id))
  }
}

extension SourceFile {
  fileprivate var waiting: [Int] { there.filter { !rows[$0].isShown } }
}

// MARK: - Syncs

// Each row notes which sync brought it, and how many syncs had begun by then. If more syncs have begun since, the last one has not met the
// row. A claim is a lock on a file. It ends with its process.
extension FolderStore: SyncStore {
  func claim(_ claim: Claim, of kind: RecordKind) async throws {
    let file = try lockFile("\(fileName("\(kind.name) \(claim.part)")).claim")
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Claim.isTaken
    }
    claims.withLock { $0["\(kind.name) \(claim.part) \(claim.holder)"] = file }
  }

  /// True while this process syncs the records. A sync of another process counts as one that has stopped.
  private func isSyncing(_ name: String) -> Bool {
    claims.withLock { $0.keys.contains { $0.hasPrefix("\(name) \(Claim.everything) ") } }
  }

  func release(_ claim: Claim, of kind: RecordKind) async {
    guard let file = claims.withLock({ $0.removeValue(forKey: "\(kind.name) \(claim.part) \(claim.holder)") }) else { return }
    flock(file, LOCK_UN)
    close(file)
  }

  func sync(of kind: RecordKind) async throws -> SyncState? { try file(of: kind).sync }

  func beginSync(of kind: RecordKind, at moment: Moment, full isFull: Bool, mark: Moment?) async throws -> SyncState {
    try await changing(kind) { file in
      let state = SyncState(after: file.sync, at: moment, full: isFull, mark: mark)
      (file.sync, file.syncsBegun) = (state, file.syncsBegun + 1)
      return state
    }
  }

  func note(_ state: SyncState, of kind: RecordKind) async throws -> Int {
    try await changing(kind) { file in
      guard let noted = state.noted(over: file.sync) else { throw SyncState.isOvertaken(kind) }
      file.sync = noted
      let unmet = state.tellsGone ? file.rows.indices.filter { file.rows[$0].gone == nil && file.isUnmet($0) } : []
      for index in unmet {
        file.note(file.rows[index], at: state.ended ?? state.began, before: file.rows[index].bytes[...], after: nil)
        file.rows[index].gone = Int((state.ended ?? state.began).nanoseconds)
      }
      if state.tellsGone { file.rows.removeAll { $0.gone == 0 } }
      return unmet.count
    }
  }

  func met(_ ids: [String], of kind: RecordKind, sync number: Int) async throws -> Set<String> {
    let file = try file(of: kind)
    return Set(file.indices(of: ids).map { file.rows[$0] }.filter { $0.sync == number }.map(\.id))
  }

  func changes(of kind: RecordKind, since moment: Moment, upTo most: Int) async throws -> [RecordChange] {
    Array(try file(of: kind).changes.reversed().filter { $0.at >= moment }.prefix(most))
  }

  func note(_ text: String, as note: RecordNote, of kind: RecordKind) async throws {
    try await changing(kind) { $0[kind.name(of: note)] = text }
  }

  func unmet(of kind: RecordKind) async throws -> Int {
    let file = try file(of: kind)
    return file.there.count { file.isUnmet($0) }
  }
}

extension SourceFile {
  fileprivate func isUnmet(_ index: Int) -> Bool {
    // What only a person's file brought was never in the list.
    rows[index].syncsBegun < syncsBegun && (rows[index].reading != nil || !rows[index].isImported)
  }

  fileprivate mutating func note(
    _ row: Row, at moment: Moment, before: ArraySlice<UInt8>?, after: ArraySlice<UInt8>?, ending edits: [FieldPath] = []
  ) {
    let (number, before, after) = ((changes.last?.number ?? 0) + 1, before.map { Array($0) }, after.map { Array($0) })
    changes.append(RecordChange(number, id: row.id, at: moment, before: before, after: after, endedEdits: edits))
    changes.removeFirst(max(0, changes.count - RecordChange.mostStored))
  }
}

// MARK: - Deletions

// Deletions and edits are noted beside the rows, also for an id that is not stored.
extension FolderStore: DeletionStore {
  func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment {
    try await changing(kind) { file in
      if let known = file.deletion(of: id) { return file.deletions[known].moment }
      file.deletions.append(SourceFile.Deletion(id: id, at: Int(moment.nanoseconds)))
      return moment
    }
  }

  func restore(_ id: String, of kind: RecordKind) async throws -> Bool {
    try await changing(kind) { file in file.deletion(of: id).map { file.deletions.remove(at: $0) } != nil }
  }

  func takeBackEdits(of id: String, in kind: RecordKind) async throws -> [FieldPath] {
    try await changing(kind) { file in
      let taken = file.edits.filter { $0.id.utf8.elementsEqual(id.utf8) }
      file.edits.removeAll { taken.contains($0) }
      return taken.map(\.path)
    }
  }

  func deletions(of kind: RecordKind) async throws -> [String] {
    try file(of: kind).deletions.sorted { $0.at > $1.at }.map(\.id)
  }

  func history(of id: String, of kind: RecordKind) async throws -> History? {
    let file = try file(of: kind)
    let (row, deletion) = (file.indices(of: [id]).first.map { file.rows[$0] }, file.deletion(of: id).map { file.deletions[$0] })
    guard row != nil || deletion != nil else { return nil }
    return History(record: row?.stored, fetch: row?.fetch, absorbed: row?.absorbed ?? [], deletedAt: deletion?.moment)
  }
}

extension SourceFile {
  struct Deletion: Part {
    var id = ""
    var at = 0

    static let fields: [Field<Deletion>] = [Field("id", \.id), Field("at", \.at)]

    var moment: Moment { Moment(nanoseconds: Int64(at)) }
  }

  fileprivate func deletion(of id: String) -> Int? { deletions.firstIndex { $0.id.utf8.elementsEqual(id.utf8) } }
}

// MARK: - Answers

// An answer is the pages of one walk, one after the other. The first page of another walk replaces them. A page is not worth waiting for:
// if the folder is locked, it is not cached.
extension FolderStore: AnswerStore {
  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? {
    try file(of: RecordKind(key.sourceName)).answers.filter { $0.key == key }.dropFirst(step).first?.page
  }

  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    try await changing(RecordKind(key.sourceName), orGive: false) { file in
      let steps = file.answers.filter { $0.key == key }
      guard answer.mayBeCached(as: step, after: steps.last?.page.map { (steps.count - 1, $0.walk) }) else { return false }
      if step == 0 { file.answers.removeAll { $0.key == key } }
      file.answers.append(SourceFile.Answer(source: key.source, query: key.query, page: answer))
      return true
    }
  }
}

extension SourceFile {
  struct Answer: Part {
    var source = ""
    var query = ""
    var page: CachedAnswer?

    static let fields: [Field<Answer>] = [Field("source", \.source), Field("query", \.query), Field("page", \.page)]

    var key: AnswerKey { AnswerKey(source: source, query: query) }
  }
}

// MARK: - Upkeep

// The counts of what is stored, the calls that remove it, and texts that are made once. These texts belong to no source: they are in a file
// of their own.
extension FolderStore {
  func holdings() async throws -> [Holding] {
    try await files().flatMap { file in
      [
        Holding(file.name, "records", file.rows.map { ($0.body.utf8.count, $0.fetch.at) }),
        Holding(file.name, "answers", file.answers.compactMap(\.page).map { ($0.rows.count, $0.at) }),
        Holding(file.name, "deletions", file.deletions.map { ($0.id.utf8.count, $0.moment) }),
      ]
    }
    .filter { $0.rows > 0 }
  }

  func clearAnswers() async throws -> Int {
    var count = 0
    for file in try await files() where !file.answers.isEmpty {
      count += try await changing(RecordKind(file.name)) { file in
        defer { file.answers = [] }
        return file.answers.count
      }
    }
    return count
  }

  func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int {
    if !importedOnly { try await changing(RecordKind("")) { $0.forgetTexts { kind.owns(keepsake: $0) } } }
    return try await changing(kind) { file in
      let (count, deletions) = (file.rows.count, file.deletions)
      file.rows.removeAll { !importedOnly || $0.isImported }
      file.newest = file.rows.map { Int($0.fetch.at.nanoseconds) }.max()
      defer { if !importedOnly { file = SourceFile(name: kind.name, deletions: deletions) } }
      return count - file.rows.count
    }
  }

  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String {
    try await changing(RecordKind("")) { file in
      let text = file[name] ?? make()
      file[name] = text
      return text
    }
  }
}

extension SourceFile {
  fileprivate mutating func forgetTexts(where isForgotten: (String) -> Bool) {
    guard case .object(let members) = texts else { return }
    texts = .object(members.filter { !isForgotten($0.name) })
  }
}

extension Holding {
  fileprivate init(_ source: String, _ kind: String, _ things: [(bytes: Int, at: Moment)]) {
    self.init(
      source: source, kind: kind, rows: things.count, bytes: things.reduce(0) { $0 + $1.bytes }, oldest: things.map(\.at).min(),
      newest: things.map(\.at).max())
  }
}
