/// The copy of a source's records that is compiled in.
public struct BundledRecords<Item: SourceItem>: DataSource {
  public let profile: Profile
  public let schema: Schema<Item>
  private let records: @Sendable () throws -> [Item]

  /// The records that stand in for the source called `name`.
  public init(_ name: String, of schema: Schema<Item>, records: @escaping @Sendable () throws -> [Item]) {
    self.schema = schema
    profile = Profile(
      "\(name).bundled", paging: .offset(size: 100, end: .total, lookingBack: false).unchanging(), search: .native, lookup: .native)
    self.records = records
  }

  /// All of it.
  package var all: [Item] { get throws { try records() } }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    try RecordList(records()).page(of: self, request.searching, origin: .bundled)
  }
}

extension BundledRecords where Item: Record {
  public init(_ name: String, records: @escaping @Sendable () throws -> [Item]) {
    self.init(name, of: Item.schema, records: records)
  }
}
