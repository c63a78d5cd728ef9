/// A list without an end, as far as it was read: the kept records, and one page of the service where none are kept yet.
struct EndlessList<Item: SourceItem>: DataSource {
  let records: StoredRecords<Item>
  let archive: Archive<Item>
  /// Brings the first page; nil where the service may not be asked.
  let reading: NextReader<Item>?
  /// A further page of the service, which is the whole answer where nothing else may be.
  var further: OnePage<Item>?

  var profile: Profile { further.map { records.profile.holding($0.profile) } ?? records.profile }
  var schema: Schema<Item> { records.schema }
  var description: String { "\(records)" }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if let further, request.cursor == nil, request.query.isList { return try await further.page(request) }
    var page = try await records.page(request)
    // Once something was read of the service, that is what most of it is.
    if page.origin.isImported { page.origin.isImported = try await archive.position().revision == 0 }
    // Only where nothing is found is it worth knowing whether there was anything.
    guard request.cursor == nil, page.received == 0, page.searched ?? page.total ?? 0 == 0, try await archive.isEmpty else { return page }
    guard let reading else { throw SourceError(.notStored, "nothing is stored yet") }
    try await reading.fetchOne(deadline: request.deadline)
    return try await records.page(request)
  }
}

extension Query {
  /// Whether it asks for many records.
  fileprivate var isList: Bool {
    if case .record = self { false } else { true }
  }
}

extension Archive {
  /// Whether nothing was ever kept; where all that came was deleted, something was.
  public var isEmpty: Bool {
    get async throws { try await keeper.snapshot().census(of: kind).newest == nil }
  }
}
