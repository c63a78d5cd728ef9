/// Records on their way into a store: what lands together or not at all.
///
/// The records are written out here, by whoever received them, so that the store's own thread has nothing left to do but store.
public struct Batch: Sendable {
  /// What happens to a record whose id is kept already.
  public enum Rule: Sendable, Hashable {
    /// The kept one stays, and remembers the other as absorbed.
    case firstStays
    /// The new one takes its place.
    case lastStays
  }

  public let kind: RecordKind
  public let rule: Rule
  /// Whether many more follow at once, so that memory for them is well spent.
  public var isBulk = false
  /// Moves the position of `next` in the same step. When another process has moved it, nothing of the batch lands.
  public var advance: Advance?
  /// How far the sync is that the batch belongs to, noted in the same step.
  public var sync: SyncState?
  public private(set) var fetches: [Fetch] = []
  public private(set) var rows: [Row] = []
  private var writer = JSONWriter()

  /// Where one record lies in ``bytes``.
  public struct Row: Sendable {
    public let fetch: Int
    public let id: Range<Int>
    /// Its own fields as JSON, without those that are null.
    public let body: Range<Int>
    /// What a search looks at, folded: the texts, a line break behind each, and one more at the end.
    public let text: Range<Int>
  }

  public init(_ kind: RecordKind, rule: Rule) {
    self.kind = kind
    self.rule = rule
  }

  public var isEmpty: Bool { rows.isEmpty && fetches.isEmpty && advance == nil && sync == nil }

  /// All rows, one behind the other.
  public var bytes: [UInt8] { writer.bytes }

  /// Adds what one fetch brought.
  public mutating func add<Item>(_ items: [Item], of schema: Schema<Item>, from fetch: Fetch) {
    add(items, by: RowWriter(schema), from: fetch)
  }

  mutating func add<Item>(_ items: [Item], by row: RowWriter<Item>, from fetch: Fetch) {
    fetches.append(fetch)
    rows.reserveCapacity(rows.count + items.count)
    // What a search looks at in the record under way.
    var scratch: [UInt8] = []
    for item in items {
      let (id, body, text) = row.append(item, to: &writer, &scratch)
      rows.append(Row(fetch: fetches.count - 1, id: id, body: body, text: text))
    }
  }
}

/// What became of a batch.
public struct Landed: Sendable, Hashable {
  /// Records that were not kept before.
  public var new = 0
  /// Kept records that changed.
  public var updated = 0
  /// Records that were kept already, and stayed as they were.
  public var duplicates = 0
  /// Records that a person has deleted; they stay so.
  public var deleted = 0
  /// Whether another process had moved the position, so that nothing landed.
  public var isOvertaken = false

  public init() {}

  public static func += (sum: inout Landed, more: Landed) {
    sum.new += more.new
    sum.updated += more.updated
    sum.duplicates += more.duplicates
    sum.deleted += more.deleted
    sum.isOvertaken = sum.isOvertaken || more.isOvertaken
  }
}
