/// The copy that is compiled in, without the records that a person has deleted.
struct UndeletedRecords<Item: SourceItem>: DataSource {
  let bundled: BundledRecords<Item>
  let archive: Archive<Item>

  var profile: Profile { bundled.profile }
  var schema: Schema<Item> { bundled.schema }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var rest: [Item] = []
    for item in try bundled.all where try await archive.history(of: item.id)?.deletedAt == nil { rest.append(item) }
    return try RecordList(rest).page(of: self, request.searching, origin: .bundled)
  }
}
