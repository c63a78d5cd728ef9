/// Records on their way into a store, which land together or not at all. They are encoded here, so that the store's thread only stores.
public struct Batch: Sendable {
  /// The rule for a record whose id is stored already.
  public enum Rule: Sendable, Hashable {
    /// The stored record stays, and the new one is noted as absorbed by it.
    case firstStays
    /// The new record replaces the stored one.
    case lastStays
    /// A person brings the record in a file that was begun at that moment: its fields replace what an earlier file brought.
    ///
    /// The service's values stay, unless the file is `replacing` them: then the file's values are stored as edits.
    case imported(since: Moment, replacing: Bool = false)
    /// The new record is the stored one, read by a new description of its fields. Its fetch and its history stay.
    case rereading

    /// True when values of a file are stored as edits of the service's values.
    var isReplacing: Bool { if case .imported(_, replacing: true) = self { true } else { false } }
  }

  /// The kind of the records.
  public let kind: RecordKind
  /// The rule for a record whose id is stored already.
  public package(set) var rule: Rule
  /// True when many more records follow at once, so that memory is well spent on them.
  public let isBulk: Bool
  /// The step of the position of `next`, made together with the batch. If another process has moved it, nothing of the batch lands.
  public var advance: Advance?
  /// The state of the sync that the batch belongs to, noted together with the batch.
  public var sync: SyncState?
  /// The fields of the stored records that are not known, because they are read from another place since the records came. A value of such a
  /// field does not count as a change.
  var unknown: Set<String> = []
  /// True when a value of a record does not fit its field.
  private(set) var hasMisfits = false
  /// The fetches that brought the records; a ``Row`` names its own by the index here.
  public private(set) var fetches: [Fetch] = []
  /// The records, in the order in which they are to be stored.
  public package(set) var rows: [Row] = []
  private var written = WrittenRows()

  /// The ranges of one record's parts in ``bytes``.
  public struct Row: Sendable {
    /// The index of its fetch in ``Batch/fetches``.
    public let fetch: Int
    /// The range of its id, as UTF-8.
    public let id: Range<Int>
    /// The range of its own fields as JSON, without those that are null.
    public let body: Range<Int>
    /// The range of its text for the search: the letters of searched values and id, a line break after each, and one more at the end.
    public let text: Range<Int>
    /// The fields that have no value according to a file.
    public let emptied: [FieldPath]
  }

  /// Makes an empty batch for records of that kind.
  public init(_ kind: RecordKind, rule: Rule, bulk isBulk: Bool = false) {
    (self.kind, self.rule, self.isBulk) = (kind, rule, isBulk)
  }

  /// True when nothing is to be stored, not even a step of a position or a sync.
  public var isEmpty: Bool { rows.isEmpty && fetches.isEmpty && advance == nil && sync == nil }

  /// The bytes of all rows, one after the other.
  public var bytes: [UInt8] { written.bytes }

  /// The number of records that have a value in each column of their writer.
  var present: [Int] { written.present }

  /// Adds the records of one fetch. `emptied` has, by a record's index, the fields that have no value according to a file.
  public mutating func add<Item>(
    _ items: [Item], of schema: Schema<Item>, from fetch: Fetch, emptied: [Int: [FieldPath]] = [:]
  ) {
    add(items, by: RowWriter(schema), from: fetch, emptied: emptied, misfits: [:])
  }

  /// Adds the records of one fetch, in their own fields.
  public mutating func add<Item: Record>(_ items: [Item], from fetch: Fetch) { add(items, of: Item.schema, from: fetch) }

  mutating func add<Item>(
    _ items: consuming [Item], by row: RowWriter<Item>, from fetch: Fetch, emptied: [Int: [FieldPath]] = [:],
    misfits: [String: [Misfit]]
  ) {
    fetches.append(fetch)
    hasMisfits = hasMisfits || !misfits.isEmpty
    items.withUnsafeMutableBufferPointer { items in
      for index in 0..<items.count {
        // A record is moved out of the list and back. A copy would count a reference to each of its texts.
        let item = items.moveElement(from: index)
        let (id, body, text) = row.append(item, to: &written, misfits: misfits.isEmpty ? [] : misfits[item.id] ?? [])
        items.initializeElement(at: index, to: consume item)
        rows.append(Row(fetch: fetches.count - 1, id: id, body: body, text: text, emptied: emptied[index] ?? []))
      }
    }
  }

  /// Removes everything that is to be stored, and keeps the memory for what comes next.
  mutating func clear() {
    (advance, sync, hasMisfits) = (nil, nil, false)
    fetches.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    written.removeAll()
  }
}

/// The counts of what became of a batch.
public struct LandingResult: Sendable, Hashable {
  /// Records that were not stored before.
  public var new = 0
  /// Stored records that changed.
  public var updated = 0
  /// Records that were gone, and are there again.
  public var returned = 0
  /// Records of another list that are in this one too, with the same values in the fields of both.
  public var readAnew = 0
  /// Records that changed nothing of what was stored under their id.
  public var duplicates = 0
  /// Records of a file that differ from the service's records, which stay.
  public var differing = 0
  /// Records that a person has deleted, and that stay deleted.
  public var deleted = 0
  /// Records of a file that a sync found gone, and that stay gone.
  public var gone = 0
  /// Records of a file under an id that came before in that file, with other values; the first stays.
  public var repeated = 0
  /// Edits of a person that ended, because the service has other values for their fields.
  public var endedEdits = 0
  /// True when another process had moved the position, so that nothing landed.
  public var isOvertaken = false

  /// True when a stored record is another one now, or is new.
  var hasChanges: Bool { new + updated + returned + readAnew > 0 }

  /// Makes the counts before anything has landed.
  public init() {}

  /// Another process had moved the position.
  public static let overtaken = copy(of: LandingResult()) { $0.isOvertaken = true }

  private static let counts: [any WritableKeyPath<LandingResult, Int> & Sendable] = [
    \.new, \.updated, \.returned, \.readAnew, \.duplicates, \.differing, \.deleted, \.gone, \.repeated, \.endedEdits,
  ]

  /// Adds the counts of another batch.
  public static func += (sum: inout LandingResult, more: LandingResult) {
    for count in counts { sum[keyPath: count] += more[keyPath: count] }
    sum.isOvertaken = sum.isOvertaken || more.isOvertaken
  }
}

/// The request that brought some records, as `why` shows it.
public struct Fetch: Sendable, Hashable {
  /// The moment at which it was sent.
  public let at: Moment
  /// The parameters of the request, such as `seed=k3x`, or a word such as `import`. It never holds a secret.
  public let request: String
  /// The part of the answer: `page 3`, `offset 200`.
  public let place: String

  /// Makes a request that brought records; see ``request`` and ``place`` for how they are written.
  public init(at: Moment, request: String, place: String) {
    (self.at, self.request, self.place) = (at, request, place)
  }

  /// The request of records that a person brought in a file.
  public static let importing = "import"
  /// True when a person brought the records in a file.
  var isImport: Bool { request == Fetch.importing }
  /// The request of records that were only read anew by another description.
  static let rereading = "reading anew"
  /// The request that a store notes for an import without a record of its own: all its rows corrected a service's records or repeated them.
  public static let correcting = "correction"

  /// Makes the fetch of a page from what its source says with it.
  init<Item>(at: Moment, _ page: Page<Item>, place: Place) {
    let parameters = page.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    self.init(at: at, request: parameters.isEmpty ? page.maker.name : parameters.joined(separator: "&"), place: place.text)
  }

  package func parameter(_ name: String) -> String? {
    request.split(separator: "&").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}
