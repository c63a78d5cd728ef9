/// A stream of records into a store: while one batch is being stored, the next one is filled.
///
///     var intake = archive.intake()
///     for lines in file { try await intake.add(records(in: lines), from: fetch) }
///     let landed = try await intake.finish()
///
/// All records that were added are stored once `finish` or `land` has returned.
public struct Intake<Item: SourceItem>: Sendable {
  /// The values that do not fit their fields, among the records that were added.
  package private(set) var misfits = Misfits()
  /// The shape of the records that were added, and the one that they must have.
  var shapes = IntakeShapes()
  /// The fields of the stored records that are not known, because they are read from another place since the records came.
  var unknown: Set<String> = []
  package let schema: Schema<Item>
  private var queue: BatchQueue
  private let writer: RowWriter<Item>
  private let optimize: @Sendable () async throws -> Void

  init(
    _ kind: RecordKind, of schema: Schema<Item>, rule: Batch.Rule, pace: IntakePace,
    landing land: @escaping @Sendable (Batch) async throws -> LandingResult,
    optimizing optimize: @escaping @Sendable () async throws -> Void = {}
  ) {
    (self.schema, writer, self.optimize) = (schema, RowWriter(schema), optimize)
    queue = BatchQueue(Batch(kind, rule: rule, bulk: pace.isBulk), pace: pace, landing: land)
  }

  /// The counts of what became of the records so far.
  package var landed: LandingResult { queue.landed }
  package var kind: RecordKind { queue.batch.kind }
  /// True when values of a file are stored as edits of the service's values.
  package var isReplacing: Bool { queue.batch.rule.isReplacing }

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
    try await queue.wait()
  }

  /// Stores the rest, and returns the counts of everything; `sync` is the state of the sync after that.
  ///
  /// Everything is stored and found by then, so a store that then fails to make reading faster is told by an event alone.
  public mutating func finish(sync: SyncState? = nil) async throws -> LandingResult {
    try await land(sync: sync)
    do { try await optimize() } catch let error as SourceError {
      let text = "everything is stored, but searching may be slow until the next time: \(error.message)"
      Event.emit(.noticed(source: kind.name, text))
    }
    return landed
  }

  /// Adds records to the current batch. `emptied` has, by a record's index, the fields that have no value according to a file, and `misfits`
  /// the values that do not fit, by the ids of records. `sync` is the state of their sync after them. Returns true if a batch was handed to the
  /// store; before that it waits until the last batch is stored.
  @discardableResult
  public mutating func add(
    _ items: consuming [Item], emptied: [Int: [FieldPath]] = [:], misfits: [String: [Misfit]] = [:], from fetch: Fetch,
    sync: SyncState? = nil
  ) async throws -> Bool {
    try await add(items, emptied: emptied, misfits: misfits, from: fetch, sync: sync, noting: nil)
  }

  /// The same. `note` is called with the records as they are written for the store, and the bytes in which they are.
  mutating func add(
    _ items: consuming [Item], emptied: [Int: [FieldPath]] = [:], misfits: [String: [Misfit]], from fetch: Fetch,
    sync: SyncState?,
    noting note: (@Sendable (ArraySlice<Batch.Row>, [UInt8]) -> Void)?
  ) async throws -> Bool {
    if !misfits.isEmpty {
      for index in items.indices {
        guard let unfit = misfits[items[index].id] else { continue }
        self.misfits.add(unfit, of: items[index])
        shapes.note(unfit, of: items[index])
      }
    }
    let before = queue.batch.rows.count
    queue.batch.add(items, by: writer, from: fetch, emptied: emptied, misfits: misfits)
    note?(queue.batch.rows.dropFirst(before), queue.batch.bytes)
    guard queue.isDue(at: fetch.at) else { return false }
    try await send(sync: sync)
    queue.grow()
    return true
  }

  /// Leaves out the records that were not handed over.
  mutating func leaveOut() { queue.batch.clear() }

  private mutating func send(sync: SyncState? = nil) async throws {
    try await queue.wait()
    guard !queue.batch.isEmpty else { return }
    (queue.batch.sync, queue.batch.unknown) = (sync, unknown)
    try shapes.send(writer.shape(of: queue.batch.rows.count, present: queue.batch.present))
    queue.send()
  }
}
