/// The records of a source, once all of them were stored: before that it answers nothing, so that a part is never taken for the whole.
///
/// While a later sync is unfinished the records are there still, and a walk over them says that it is.
struct SyncedRecords<Item: SourceItem>: DataSource {
  private let records: StoredRecords<Item>
  private let kind: RecordKind
  private let keeper: any SyncKeeper
  private var answersLookups = true

  init(_ records: StoredRecords<Item>, kind: RecordKind, keeper: any SyncKeeper) {
    self.records = records
    self.kind = kind
    self.keeper = keeper
  }

  var profile: Profile { records.profile }
  var schema: Schema<Item> { records.schema }
  var description: String { "\(kind.name).synced\(answersLookups ? "" : ".listing()")" }

  /// The same for lists and searches alone: what a sync stores of a record is what lists say of it.
  func listing() -> SyncedRecords {
    var listing = self
    listing.answersLookups = false
    return listing
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if request.cursor == nil {
      if case .record = request.query, !answersLookups { throw SourceError(.notKept, "no answer is stored") }
      guard try await keeper.sync(of: kind)?.isWhole == true else {
        throw SourceError(.notKept, "\(kind.name) was never synced completely")
      }
    }
    return try await records.page(request)
  }
}
