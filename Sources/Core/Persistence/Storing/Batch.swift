/// Records on their way into a store: what lands together or not at all. They are written out here, so that the store's thread only stores.
public struct Batch: Sendable {
  /// What happens to a record whose id is stored already.
  public enum Rule: Sendable, Hashable {
    /// The stored one stays, and remembers the other as absorbed.
    case firstStays
    /// The new one takes its place.
    case lastStays
    /// A person brings it, in a file that was begun at that moment: its fields take the place of what an earlier file brought.
    ///
    /// What the service gave stays, unless the file is `replacing` it: then its values are stored as edits.
    case imported(since: Moment, replacing: Bool = false)

    /// True when values of a file are stored as edits of what the service gave.
    var isReplacing: Bool { if case .imported(_, replacing: true) = self { true } else { false } }
  }

  /// Whose records they are.
  public let kind: RecordKind
  /// What happens to a record whose id is stored already.
  public package(set) var rule: Rule
  /// Whether many more follow at once, so that memory for them is well spent.
  public let isBulk: Bool
  /// Moves the position of `next` in the same step. When another process has moved it, nothing of the batch lands.
  public var advance: Advance?
  /// How far the sync is that the batch belongs to, noted in the same step.
  public var sync: SyncState?
  /// What brought the records; a ``Row`` names its own by its place here.
  public private(set) var fetches: [Fetch] = []
  /// The records, in the order in which they are to be stored.
  public package(set) var rows: [Row] = []
  /// In how many records each column of their writer has a value.
  private(set) var present: [Int] = []
  private var writer = JSONWriter()

  /// Where one record lies in ``bytes``.
  public struct Row: Sendable {
    /// Its place in ``Batch/fetches``.
    public let fetch: Int
    /// Where its id lies, as UTF-8.
    public let id: Range<Int>
    /// Its own fields as JSON, without those that are null.
    public let body: Range<Int>
    /// What a search looks at: the letters of the searched values and of the id, a line break behind each, and one more at the end.
    public let text: Range<Int>
    /// The fields of which a file says that they have no value.
    public let emptied: [FieldPath]
  }

  /// Nothing yet, for records of that kind.
  public init(_ kind: RecordKind, rule: Rule, bulk isBulk: Bool = false) {
    (self.kind, self.rule, self.isBulk) = (kind, rule, isBulk)
  }

  /// Whether there is nothing to store, not even a step of a position or a sync.
  public var isEmpty: Bool { rows.isEmpty && fetches.isEmpty && advance == nil && sync == nil }

  /// All rows, one behind the other.
  public var bytes: [UInt8] { writer.bytes }

  /// Adds what one fetch brought; `emptied` are the fields of a record, by its place, of which a file says that they have no value.
  public mutating func add<Item>(
    _ items: [Item], of schema: Schema<Item>, from fetch: Fetch, emptied: [Int: [FieldPath]] = [:]
  ) {
    add(items, by: RowWriter(schema), from: fetch, emptied: emptied)
  }

  /// Adds what one fetch brought, in the records' own fields.
  public mutating func add<Item: Record>(_ items: [Item], from fetch: Fetch) { add(items, of: Item.schema, from: fetch) }

  mutating func add<Item>(
    _ items: [Item], by row: RowWriter<Item>, from fetch: Fetch, emptied: [Int: [FieldPath]] = [:]
  ) {
    fetches.append(fetch)
    rows.reserveCapacity(rows.count + items.count)
    // What a search looks at in the record under way.
    var scratch = IndexedText()
    if present.isEmpty { present = Array(repeating: 0, count: row.count) }
    for (place, item) in items.enumerated() {
      let (id, body, text) = row.append(item, to: &writer, &scratch, counting: &present)
      rows.append(Row(fetch: fetches.count - 1, id: id, body: body, text: text, emptied: emptied[place] ?? []))
    }
  }
}

/// What became of a batch.
public struct LandingResult: Sendable, Hashable {
  /// Records that were not stored before.
  public var new = 0
  /// Kept records that changed.
  public var updated = 0
  /// Records that changed nothing of what was stored under their id.
  public var duplicates = 0
  /// Records of a file that say something else than the service did, whose records stay.
  public var differing = 0
  /// Records that a person has deleted; they stay so.
  public var deleted = 0
  /// Records of a file under an id that came before in that file, with other values; the first stays.
  public var repeated = 0
  /// Edits of a person that ended, since the service has other values of their fields.
  public var endedEdits = 0
  /// Whether another process had moved the position, so that nothing landed.
  public var isOvertaken = false

  /// Nothing has landed yet.
  public init() {}

  /// Another process had moved the position.
  public static let overtaken = changing(LandingResult()) { $0.isOvertaken = true }

  /// Adds what became of another batch.
  public static func += (sum: inout LandingResult, more: LandingResult) {
    sum.new += more.new
    sum.updated += more.updated
    sum.duplicates += more.duplicates
    sum.differing += more.differing
    sum.deleted += more.deleted
    sum.repeated += more.repeated
    sum.endedEdits += more.endedEdits
    sum.isOvertaken = sum.isOvertaken || more.isOvertaken
  }
}

/// The request that brought some records: what `why` tells about them.
public struct Fetch: Sendable, Hashable {
  /// When it was sent.
  public let at: Moment
  /// What was asked for: `seed=k3x`, or a word such as `import`. It never holds a secret.
  public let request: String
  /// Which part of the answer it was: `page 3`, `offset 200`.
  public let place: String

  /// One that brought records; see ``request`` and ``place`` for how they are written.
  public init(at: Moment, request: String, place: String) {
    (self.at, self.request, self.place) = (at, request, place)
  }

  /// The request of records that a person brought in a file.
  public static let importing = "import"

  /// The request that a store notes of an import that brought no record of its own: its rows corrected what a service gave, or said the same.
  public static let correcting = "correction"

  /// The fetch of a page, by what its source says with it.
  init<Item>(at: Moment, _ page: Page<Item>, place: Place) {
    let parameters = page.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    self.init(at: at, request: parameters.isEmpty ? page.maker.name : parameters.joined(separator: "&"), place: place.text)
  }

  /// What the service was asked for by that name.
  package func parameter(_ name: String) -> String? {
    request.split(separator: "&").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}
