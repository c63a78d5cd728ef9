/// A stream of records into a store: while one batch is being stored, the next one is filled.
///
///     var intake = archive.intake()
///     for lines in file { try await intake.add(records(in: lines), from: fetch) }
///     let landed = try await intake.finish()
///
/// What was given to it is stored once `finish` or `land` has returned.
public struct Intake<Item: SourceItem>: Sendable {
  /// What became of the records so far.
  package private(set) var landed = LandingResult()
  /// What the records look like that were given to it.
  private(set) var shape = ShapeCounts()
  private let store: @Sendable (Batch) async throws -> LandingResult
  private let optimize: @Sendable () async throws -> Void
  package let schema: Schema<Item>
  /// What the store knows of the records.
  package var kind: RecordKind { batch.kind }
  /// True when values of a file are stored as edits of what the service gave.
  package var isReplacing: Bool { batch.rule.isReplacing }
  private let writer: RowWriter<Item>
  private let pace: IntakePace
  private var batch: Batch
  private var begun: Moment?
  private var storing: Task<LandingResult, any Error>?

  init(
    _ kind: RecordKind, of schema: Schema<Item>, rule: Batch.Rule, pace: IntakePace,
    landing land: @escaping @Sendable (Batch) async throws -> LandingResult,
    optimizing optimize: @escaping @Sendable () async throws -> Void = {}
  ) {
    (store, self.optimize) = (land, optimize)
    (self.schema, writer, self.pace) = (schema, RowWriter(schema), pace)
    batch = Batch(kind, rule: rule, bulk: pace.isBulk)
  }

  /// The digests of a record's ID and of what a file says of it.
  package func digests(of item: Item, emptied: [FieldPath]) -> (id: UInt64, values: UInt64) {
    var values = Fingerprint()
    values.combine(schema.body(of: item))
    for path in emptied { values.combine(path.text) }
    return (Fingerprint.of(item.id), values.value)
  }

  /// Stores what there is, so that it is stored when this returns.
  package mutating func land() async throws {
    try await send()
    try await waitForBatch()
  }

  /// Stores what is left, and tells what became of everything; `sync` is how far the sync is by then that it belongs to.
  public mutating func finish(sync: SyncState? = nil) async throws -> LandingResult {
    try await send(sync: sync)
    try await waitForBatch()
    try await optimize()
    return landed
  }

  /// Takes records in, behind which `sync` is how far their sync is; true when a batch went on its way. It waits where the batch before that
  /// is still being stored.
  @discardableResult
  public mutating func add(_ items: [Item], from fetch: Fetch, sync: SyncState? = nil) async throws -> Bool {
    try await add(items, emptied: [:], from: fetch, sync: sync)
  }

  /// The same; `emptied` are the fields of a record, by its place, of which a file says that they have no value.
  @discardableResult
  package mutating func add(
    _ items: [Item], emptied: [Int: [FieldPath]], from fetch: Fetch, sync: SyncState? = nil
  ) async throws -> Bool {
    batch.add(items, by: writer, from: fetch, emptied: emptied)
    if let records = items as? [LooseRecord] {
      for record in records { for field in record.mistyped { shape.mistyped.add(field) } }
    }
    let start = begun ?? fetch.at
    begun = start
    // Half of a batch is filled while the other half is stored.
    guard batch.bytes.count >= pace.bytes / 2 || batch.rows.count >= pace.rows / 2 || fetch.at - start >= pace.patience else {
      return false
    }
    try await send(sync: sync)
    return true
  }

  private mutating func send(sync: SyncState? = nil) async throws {
    try await waitForBatch()
    guard !batch.isEmpty else { return }
    batch.sync = sync
    shape += writer.shape(of: batch.rows.count, present: batch.present)
    let (batch, store) = (batch, store)
    self.batch = Batch(batch.kind, rule: batch.rule, bulk: pace.isBulk)
    begun = nil
    storing = Task { try await store(batch) }
  }

  private mutating func waitForBatch() async throws {
    guard let storing else { return }
    self.storing = nil
    landed += try await storing.value
  }
}

/// How much is on its way into the store at most: what an interruption may cost.
struct IntakePace: Sendable {
  let bytes: Int
  let rows: Int
  /// When a batch lands although it is small.
  let patience: Duration
  /// Whether memory may be spent on it.
  var isBulk = false

  /// Little memory, and after an interruption no more to repeat than came in a moment.
  static let steady = IntakePace(bytes: 8 << 20, rows: 16_000, patience: .milliseconds(50))
  /// Few commits, each of which touches the whole index of ids.
  static let bulk = IntakePace(bytes: 48 << 20, rows: 200_000, patience: .seconds(2), isBulk: true)
}
