/// The description of a source's records, which tables, cards, CSV, JSON, search and the store all read.
///
/// A ``Record`` has it as a static; of records whose fields are known only at run time it is made then: see ``LooseRecord``.
public struct Schema<Item: SourceItem>: Sendable {
  /// In the order in which they are printed and written.
  public let fields: [Field<Item>]
  /// What a search looks at beside them and nothing prints: other names, say. One with the role of a title counts as a title.
  public let searchOnly: [Field<Item>]
  /// What the records are called in other languages, as far as that is compiled in; a search looks there too.
  public let translations: NameTable?
  /// What a person means who types a name, as ids are written: two texts with one identity mean the same record.
  public let identity: @Sendable (String) -> String
  private let declaredID: FieldPath?
  private let isMeant: @Sendable (Item, String) -> Bool
  private let readRow: @Sendable (JSON, RowForm) throws -> Item

  /// A description. The id is in the field called `id`, else in the first one that is never cut, else in the first, unless `id` says
  /// otherwise. Ids that differ in case are different records unless `identity` says otherwise, and a record answers to its id alone
  /// unless `answers` does.
  public init(
    _ fields: [Field<Item>], searchOnly: [Field<Item>] = [], translations: NameTable? = nil, id: FieldPath? = nil,
    identity: @escaping @Sendable (String) -> String = { $0 },
    answers: (@Sendable (_ item: Item, _ name: String) -> Bool)? = nil, read: @escaping @Sendable (JSON, RowForm) throws -> Item
  ) {
    (self.fields, self.searchOnly, self.translations) = (fields, searchOnly, translations)
    (declaredID, self.identity, readRow) = (id, identity, read)
    isMeant = answers ?? { $0.id == identity($1) }
  }

  /// The way to the value that is a record's id.
  public var idPath: FieldPath {
    let field = fields.first { $0.name == "id" } ?? fields.first { $0.outline.width == .whole } ?? fields.first
    return declaredID ?? FieldPath(field.map { [$0.name] } ?? [])
  }

  /// Whether a person who names `name` means this record.
  public func answers(_ item: Item, to name: String) -> Bool { isMeant(item, name) }

  /// Reads a record from its own fields, as JSON wrote them, or from a row of the service.
  public func read(_ row: JSON, as form: RowForm = .own) throws -> Item { try readRow(row, form) }

  /// The id in a row of the service that cannot be read as a whole; nil where it is worked out, or missing.
  func id(of row: JSON) -> String? {
    switch keyPlace.flatMap({ try? row.value(at: $0)?.value }) {
    case .text(let id): return id
    case .int(let id): return String(id)
    default: return nil
    }
  }

  /// True when a row of the service has nothing where its id is due.
  func lacksKey(_ row: JSON) -> Bool { keyPlace != nil && id(of: row) == nil }

  /// Where a row of the service has its id; nil where that is worked out.
  private var keyPlace: FieldPath? {
    let path = idPath
    return path.names.count == 1 ? fields.first { $0.name == path.names[0] }?.reader?.place : nil
  }

  /// The names of the fields that a record works out from its others. Where none has a reader of its own, `read` reads them all.
  package var derived: Set<String> {
    let all = fields + searchOnly
    return all.contains { $0.reader != nil } ? Set(all.lazy.filter { $0.reader == nil }.map(\.name)) : []
  }

  /// All fields and what they hold in a record, in order; a computed one holds nothing.
  public func value(of item: Item) -> Value { .object(fields.map { Member(name: $0.name, value: $0.value(item)) }) }

  /// The same with what is there for searching alone: what is stored of a record.
  func storedValue(of item: Item) -> Value {
    .object((fields + searchOnly).map { Member(name: $0.name, value: $0.value(item)) })
  }

  /// The same as JSON.
  func body(of item: Item) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(storedValue(of: item))
    return writer.bytes
  }

  /// The fields without their records.
  public var outline: [FieldOutline] { fields.map { $0.outline } }
}

extension Schema {
  /// Where a record's pictures are. A field for a picture holds one address, a list of them, or an object with an address for each size, of
  /// which the largest counts.
  public func pictures(of item: Item) -> [WebAddress] {
    var seen: Set<WebAddress> = []
    return fields.filter { $0.role == .picture }.flatMap { addresses(in: $0.value(item)) }.filter { seen.insert($0).inserted }
  }

  /// The page about a record; nil where it has none, or one that is no address of the web.
  public func link(of item: Item) -> WebAddress? {
    fields.lazy.filter { $0.role == .link }.flatMap { addresses(in: $0.value(item)) }.first
  }
}

private func addresses(in value: Value) -> [WebAddress] {
  switch value {
  case .text(let text): [address(text)].compactMap { $0 }
  case .list(let values): values.flatMap(addresses)
  case .object(let members): largest(of: members).map { [$0] } ?? []
  case .null, .bool, .int, .double, .decimal: []
  }
}

private func address(_ text: String) -> WebAddress? {
  let text = text.trimmingSpaces
  return WebAddress(text.hasPrefix("//") ? "https:" + text : text)
}

/// The address with the name of the largest size; the first of those that are alike.
private func largest(of members: [Member]) -> WebAddress? {
  var found: (address: WebAddress, size: Int)?
  for member in members {
    guard case .text(let text) = member.value, let address = address(text) else { continue }
    let size = size(member.name)
    if found.map({ $0.size < size }) ?? true { found = (address, size) }
  }
  return found?.address
}

/// How large a size is that somebody called `name`: `thumb`, `medium_url`, `w500`, `1280x720`.
private func size(_ name: String) -> Int {
  let name = name.lowercased()
  let numbers = name.split { !("0"..."9").contains($0) }.compactMap { Int($0) }.filter { $0 < 1 << 20 }
  // A number of pixels says it; a digit may count something else.
  if let most = numbers.max(), most >= 16 { return most }
  let known = [
    ("thumb", 150), ("tiny", 50), ("icon", 50), ("small", 300), ("medium", 500), ("original", 1 << 20), ("full", 1 << 20),
    ("super", 1100), ("xlarge", 1100), ("screen", 900), ("large", 1000),
  ]
  return known.first { name.contains($0.0) }?.1 ?? 400
}
