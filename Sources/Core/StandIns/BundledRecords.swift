/// The copy of a source's records that is compiled in.
public struct BundledRecords<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  private let records: @Sendable () throws -> [Item]
  private var isShown: (@Sendable (Item) async throws -> Bool)?

  /// The records that stand in for the source called `name`.
  public init(_ name: String, of schema: Schema<Item>, records: @escaping @Sendable () throws -> [Item]) {
    self.schema = schema
    profile = Profile(
      "\(name).bundled", paging: .offset(size: 100, end: .total, lookingBack: false).unchanging(), search: .native,
      lookup: .native)
    self.records = records
  }

  /// All of it.
  package var all: [Item] { get throws { try records() } }

  /// The same without records that somebody hides.
  func showing(_ isShown: @escaping @Sendable (Item) async throws -> Bool) -> BundledRecords {
    changing(self) { $0.isShown = isShown }
  }

  /// What nobody hides of it.
  var shown: [Item] {
    get async throws {
      guard let isShown else { return try all }
      var shown: [Item] = []
      for item in try all where try await isShown(item) { shown.append(item) }
      return shown
    }
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    // Whoever has all of them has counted them.
    try changing(RecordList(await shown).page(of: self, request.searching, origin: .bundled)) { $0.counted = .complete }
  }
}

extension BundledRecords where Item: Record {
  /// The records that stand in for the source called `name`, in their own fields.
  public init(_ name: String, records: @escaping @Sendable () throws -> [Item]) {
    self.init(name, of: Item.schema, records: records)
  }
}
