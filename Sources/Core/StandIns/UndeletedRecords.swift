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

/// The records that a person has deleted, stored or compiled in, the latest first.
package struct DeletedRecords<Item: SourceItem>: DataSource {
  let bundled: BundledRecords<Item>?
  let archive: Archive<Item>

  package init(bundled: BundledRecords<Item>?, archive: Archive<Item>) { (self.bundled, self.archive) = (bundled, archive) }

  package var profile: Profile { Profile("\(archive.kind.name).deleted", paging: .whole, search: .native, lookup: .native) }
  package var schema: Schema<Item> { archive.schema }

  package func page(_ request: PageRequest) async throws -> Page<Item> {
    let compiledIn = try bundled?.all ?? []
    var items: [Item] = []
    for id in try await archive.deletions() {
      let stored = try await archive.history(of: id)?.record.map { try schema.read(JSON($0.body)) }
      if let item = stored ?? compiledIn.first(where: { $0.id == id }) { items.append(item) }
    }
    return try RecordList(items).page(of: self, request.searching, origin: .cache(age: .zero))
  }
}
