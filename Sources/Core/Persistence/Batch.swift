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
  public mutating func add<Item: Record>(_ items: [Item], from fetch: Fetch) {
    fetches.append(fetch)
    rows.reserveCapacity(rows.count + items.count)
    for item in items {
      let id = written { $0.bytes.append(contentsOf: item.id.utf8) }
      let start = writer.bytes.count
      var texts: [Value] = []
      writer.beginObject()
      for field in Item.fields {
        let value = field.value(item)
        writer.write(member: field.name, value)
        if field.isSearchable { texts.append(value) }
      }
      writer.endObject()
      let body = start..<writer.bytes.count
      let text = written { writer in
        for text in texts { writer.append(searchable: text) }
        writer.endLine()
      }
      rows.append(Row(fetch: fetches.count - 1, id: id, body: body, text: text))
    }
  }

  private mutating func written(_ write: (inout JSONWriter) -> Void) -> Range<Int> {
    let start = writer.bytes.count
    write(&writer)
    return start..<writer.bytes.count
  }
}

extension JSONWriter {
  /// A member, unless it is null; so are its own.
  mutating func write(member name: String, _ value: Value) {
    switch value {
    case .null: return
    case .object(let members):
      key(name)
      beginObject()
      for member in members { write(member: member.name, member.value) }
      endObject()
    default:
      key(name)
      write(value)
    }
  }

  /// The texts in `value`, folded, with a line break behind each.
  mutating func append(searchable value: Value) {
    switch value {
    case .text(var text):
      let start = bytes.count
      text.withUTF8 { Fold.fold(utf8: $0, into: &bytes) }
      // The index would stop reading there.
      for index in bytes[start...].indices where bytes[index] == 0 { bytes[index] = 1 }
      endLine()
    case .list(let values): for value in values { append(searchable: value) }
    case .object(let members): for member in members { append(searchable: member.value) }
    case .null, .bool, .int, .double: break
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
