/// Two batches on their way into a store: one is filled while the other one is stored.
struct BatchQueue: Sendable {
  /// The counts of what became of the records so far.
  private(set) var landed = LandingResult()
  /// The batch that is filled.
  var batch: Batch
  private let store: @Sendable (Batch) async throws -> LandingResult
  private let pace: IntakePace
  /// The last batch that was handed to the store. Once it is stored, the next batch is filled in its memory.
  private var sent: Batch
  /// The time of the batch's first record.
  private var begun: Moment?
  /// The number of rows with which the next batch is handed over. It doubles, so that the store need not wait for the first large batch.
  private var fullRows = IntakePace.steady.rows / 2
  private var storing: Task<LandingResult, any Error>?

  init(_ batch: Batch, pace: IntakePace, landing store: @escaping @Sendable (Batch) async throws -> LandingResult) {
    (self.batch, sent, self.pace, self.store) = (batch, batch, pace, store)
  }

  /// True when the batch is large enough to be handed over, or has waited long enough, now that records of this time were added.
  mutating func isDue(at time: Moment) -> Bool {
    let start = begun ?? time
    begun = start
    // Half of a batch is filled while the other half is stored.
    return batch.bytes.count >= pace.bytes / 2 || batch.rows.count >= fullRows || time - start >= pace.patience
  }

  /// Hands the batch to the store, which must have stored the last one.
  mutating func send() {
    let (batch, store) = (batch, store)
    swap(&self.batch, &sent)
    self.batch.clear()
    begun = nil
    storing = Task { try await store(batch) }
  }

  mutating func grow() { fullRows = min(fullRows * 2, pace.rows / 2) }

  /// Returns once the last batch is stored.
  mutating func wait() async throws {
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
