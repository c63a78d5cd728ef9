/// What a person brought in a file, where it answers at all: a file is seldom everything, so what it lacks is asked for elsewhere.
struct ImportedRecords<Item: SourceItem>: DataSource {
  let records: StoredRecords<Item>
  let archive: Archive<Item>

  var profile: Profile { records.profile }
  var schema: Schema<Item> { records.schema }
  var description: String { "\(archive.kind.name).imported" }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if request.cursor != nil { return try await records.page(request) }
    guard try await archive.hasImports else { throw SourceError(.notKept, "nothing was imported") }
    let page = try await records.page(request)
    guard page.received > 0 else { throw SourceError(.notKept, "no imported record matches") }
    return page
  }
}

extension Archive {
  /// Whether a person brought some of the records in a file.
  fileprivate var hasImports: Bool {
    get async throws { try await keeper.snapshot().census(of: kind).hasImports }
  }
}
