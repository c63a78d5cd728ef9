/// The copy of a source's records that is compiled in.
public struct BundledRecords<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  private let records: @Sendable () throws -> RecordList<Item>
  private var isShown: (@Sendable (Item) async throws -> Bool)?

  /// Makes the stand-in for the source called `name`.
  public init(_ name: String, of schema: Schema<Item>, records: @escaping @Sendable () throws -> RecordList<Item>) {
    self.schema = schema
    profile = Profile(
      "\(name).bundled", paging: .offset(size: 100, end: .total, lookingBack: false).unchanging(), search: .native,
      lookup: .native)
    self.records = records
  }

  /// All records, including those that are hidden.
  package var all: RecordList<Item> { get throws { try records() } }

  /// Returns the same source without the records for which `isShown` is false.
  func showing(_ isShown: @escaping @Sendable (Item) async throws -> Bool) -> BundledRecords {
    copy(of: self) { $0.isShown = isShown }
  }

  /// The records that are not hidden.
  var shown: RecordList<Item> {
    get async throws {
      guard let isShown else { return try all }
      var shown: [Item] = []
      for item in try all.items where try await isShown(item) { shown.append(item) }
      return RecordList(shown)
    }
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    // All records are at hand, so their number is certain.
    try copy(of: await shown.page(of: self, request.searching, origin: .bundled)) { $0.stored.counted = .complete }
  }
}

extension BundledRecords where Item: Record {
  /// Makes the stand-in for the source called `name`, whose records have their own fields.
  public init(_ name: String, records: @escaping @Sendable () throws -> RecordList<Item>) {
    self.init(name, of: Item.schema, records: records)
  }
}
