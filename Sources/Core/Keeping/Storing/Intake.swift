/// A stream of records into a store: while one batch is being stored, the next one is filled.
///
///     var intake = archive.intake()
///     for lines in file { try await intake.add(records(in: lines), from: fetch) }
///     let landed = try await intake.finish()
///
/// All records that were added are stored once `finish` or `land` has returned.
public struct Intake<Item: SourceItem>: Sendable {
  /// The counts of what became of the records so far.
  package private(set) var landed = LandingResult()
  /// The values that do not fit their fields, among the records that were added.
  package private(set) var misfits = Misfits()
  /// The shape of the records that were added.
  private(set) var shape = ShapeCounts()
  /// The shape that records must have to be stored; nil if any shape will do.
  var due: ExpectedShape?
  /// The fields of the stored records that are not known, because they are read from another place since the records came.
  var unknown: Set<String> = []
  /// The shape of the rows that were read for the records so far, as far as the records do not show it: broken rows and unknown fields.
  var read = ShapeCounts()
  /// The shape of the records that were added and are not handed over yet.
  private var added = ShapeCounts()
  private let store: @Sendable (Batch) async throws -> LandingResult
  private let optimize: @Sendable () async throws -> Void
  package let schema: Schema<Item>
  /// The kind of the records, as the store knows it.
  package var kind: RecordKind { batch.kind }
  /// True when values of a file are stored as edits of the service's values.
  package var isReplacing: Bool { batch.rule.isReplacing }
  private let writer: RowWriter<Item>
  private let pace: IntakePace
  private var batch: Batch
  /// The last batch that was handed to the store. Once it is stored, the next batch is filled in its memory.
  private var sent: Batch
  private var begun: Moment?
  /// The number of rows with which the next batch is handed over. It doubles, so that the store need not wait for the first large batch.
  private var fullRows: Int
  private var storing: Task<LandingResult, any Error>?

  init(
    _ kind: RecordKind, of schema: Schema<Item>, rule: Batch.Rule, pace: IntakePace,
    landing land: @escaping @Sendable (Batch) async throws -> LandingResult,
    optimizing optimize: @escaping @Sendable () async throws -> Void = {}
  ) {
    (store, self.optimize) = (land, optimize)
    (self.schema, writer, self.pace) = (schema, RowWriter(schema), pace)
    batch = Batch(kind, rule: rule, bulk: pace.isBulk)
    sent = batch
    fullRows = IntakePace.steady.rows / 2
  }

  /// Returns the digests of a record's ID and of its values according to a file.
  package func digests(of item: Item, emptied: [FieldPath]) -> (id: UInt64, values: UInt64) {
    var values = Fingerprint()
    values.combine(schema.body(of: item))
    for path in emptied { values.combine(path.text) }
    return (Fingerprint.of(item.id), values.value)
  }

  /// Stores all records added so far; they are stored when this returns. `sync` is the state of their sync after them.
  package mutating func land(sync: SyncState? = nil) async throws {
    try await send(sync: sync)
    try await waitForBatch()
  }

  /// Stores the rest, and returns the counts of everything; `sync` is the state of the sync after that.
  public mutating func finish(sync: SyncState? = nil) async throws -> LandingResult {
    try await send(sync: sync)
    try await waitForBatch()
    try await optimize()
    return landed
  }

  /// Adds records to the current batch. `sync` is the state of their sync after them. Returns true if a batch was handed to the store;
  /// before that it waits until the last batch is stored.
  @discardableResult
  public mutating func add(_ items: consuming [Item], from fetch: Fetch, sync: SyncState? = nil) async throws -> Bool {
    try await add(items, emptied: [:], misfits: [:], from: fetch, sync: sync)
  }

  /// Does the same. `emptied` has, by a record's index, the fields that have no value according to a file, and `misfits` the values that do
  /// not fit, by the ids of records.
  @discardableResult
  package mutating func add(
    _ items: consuming [Item], emptied: [Int: [FieldPath]], misfits: [String: [Misfit]], from fetch: Fetch,
    sync: SyncState? = nil
  ) async throws -> Bool {
    if !misfits.isEmpty {
      for index in items.indices {
        guard let unfit = misfits[items[index].id] else { continue }
        self.misfits.add(unfit, of: items[index])
        for misfit in unfit {
          added.mistyped.add(misfit.field)
          if let type = misfit.type { added.note(type: type, of: misfit.field) }
          // A value that was left out is not missing.
          if !(items[index] is LooseRecord) { added.present.add(misfit.field) }
        }
      }
    }
    batch.add(items, by: writer, from: fetch, emptied: emptied, misfits: misfits)
    let start = begun ?? fetch.at
    begun = start
    // Half of a batch is filled while the other half is stored.
    guard batch.bytes.count >= pace.bytes / 2 || batch.rows.count >= fullRows || fetch.at - start >= pace.patience else {
      return false
    }
    try await send(sync: sync)
    fullRows = min(fullRows * 2, pace.rows / 2)
    return true
  }

  /// The differences of the records that were added, and of the rows read so far, from the due shape.
  private var differences: [ShapeDrift] {
    guard let due else { return [] }
    let rows = due.differences(of: copy(of: read) { $0.records = shape.records })
    return rows.filter { [.keyless, .broken, .new].contains($0.kind) } + due.differences(of: added)
  }

  /// Leaves out the records that were not handed over.
  mutating func leaveOut() { batch.clear() }

  private mutating func send(sync: SyncState? = nil) async throws {
    try await waitForBatch()
    guard !batch.isEmpty else { return }
    (batch.sync, batch.unknown) = (sync, unknown)
    added += writer.shape(of: batch.rows.count, present: batch.present)
    shape += added
    let different = differences
    added = ShapeCounts()
    if !different.isEmpty {
      let what = different.map(\.sentence).joined(separator: ", ")
      throw SourceError(.otherShape, "frozen: \(what); \(batch.rows.count) records of that shape were not stored")
    }
    let (batch, store) = (batch, store)
    swap(&self.batch, &sent)
    self.batch.clear()
    begun = nil
    storing = Task { try await store(batch) }
  }

  private mutating func waitForBatch() async throws {
    guard let storing else { return }
    self.storing = nil
    landed += try await storing.value
  }
}

/// The most that may be on its way into the store at once, which is what an interruption can cost.
struct IntakePace: Sendable {
  let bytes: Int
  let rows: Int
  /// The time after which a batch lands although it is small.
  let patience: Duration
  /// True when much memory may be used.
  var isBulk = false

  /// A pace that takes little memory; an interruption costs no more than what came in a moment.
  static let steady = IntakePace(bytes: 3 << 20, rows: 8_000, patience: .milliseconds(50))
  /// A pace with few commits, because each of them touches the whole index of ids.
  static let bulk = IntakePace(bytes: 48 << 20, rows: 200_000, patience: .seconds(2), isBulk: true)
}
