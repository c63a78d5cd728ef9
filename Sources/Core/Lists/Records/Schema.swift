/// The description of a source's records. Tables, cards, CSV, JSON, search and the store all read it.
///
/// A ``Record`` has it as a static property. For records whose fields are known only at run time, it is made then; see ``LooseRecord``.
public final class Schema<Item: SourceItem>: Sendable {
  /// The fields in the order in which they are printed and written.
  public let fields: [Field<Item>]
  /// The descriptions of the fields, without a record.
  public let outline: [FieldOutline]
  /// The paths of the values that are times.
  let times: [FieldPath]
  /// The path to a record's id.
  public let idPath: FieldPath
  /// Fields that only a search looks at, such as other names; they are never printed. A field with the role of a title counts as a title.
  public let searchOnly: [Field<Item>]
  /// The compiled-in names of the records in other languages, which a search looks at too.
  public let translations: NameTable?
  /// Turns a typed name into the form of an id. Two texts with the same result mean the same record.
  public let identity: @Sendable (String) -> String
  /// The names of the fields whose values are in a row of the service where they are in a record: below the field's own name. Empty if
  /// that is not known.
  package let unmoved: Set<String>
  private let isMeant: @Sendable (Item, String) -> Bool
  private let readRow: @Sendable (JSON, RowForm) throws -> Item

  /// A description. By default the id is the field called `id`, otherwise the first field that is never cut, otherwise the first field. Ids
  /// that differ in case are different, unless `identity` makes them equal. A record answers only to its id, unless `answers` is given.
  public convenience init(
    _ fields: [Field<Item>], searchOnly: [Field<Item>] = [], translations: NameTable? = nil, id: FieldPath? = nil,
    identity: @escaping @Sendable (String) -> String = { $0 },
    answers: (@Sendable (_ item: Item, _ name: String) -> Bool)? = nil, read: @escaping @Sendable (JSON, RowForm) throws -> Item
  ) {
    self.init(
      fields, searchOnly: searchOnly, translations: translations, id: id, identity: identity, answers: answers, unmoved: [],
      read: read)
  }

  /// Makes the description of records whose ``unmoved`` fields are known.
  package init(
    _ fields: [Field<Item>], searchOnly: [Field<Item>], translations: NameTable?, id: FieldPath?,
    identity: @escaping @Sendable (String) -> String, answers: (@Sendable (_ item: Item, _ name: String) -> Bool)? = nil,
    unmoved: Set<String>, read: @escaping @Sendable (JSON, RowForm) throws -> Item
  ) {
    (self.fields, self.searchOnly, self.translations, self.unmoved) = (fields, searchOnly, translations, unmoved)
    outline = fields.map { $0.outline }
    times = outline.leaves.filter { $0.kind == .time }.map { $0.path }
    let field = outline.first { $0.name == "id" } ?? outline.first { $0.width == .whole } ?? outline.first
    idPath = id ?? FieldPath(field.map { [$0.name] } ?? [])
    (self.identity, readRow, isMeant) = (identity, read, answers ?? { $0.id == identity($1) })
  }

  /// True when a person who types `name` means this record.
  public func answers(_ item: Item, to name: String) -> Bool { isMeant(item, name) }

  /// Reads a record from its own fields, as JSON wrote them, or from a row of the service.
  public func read(_ row: JSON, as form: RowForm = .own) throws -> Item { try readRow(row, form) }

  /// Returns the id in a row of the service that cannot be read as a whole; nil if the id is derived or missing.
  func id(of row: JSON) -> String? {
    switch idPathInRow.flatMap({ try? row.value(at: $0)?.value }) {
    case .text(let id): return id
    case .int(let id): return String(id)
    default: return nil
    }
  }

  /// True when a row of the service has no id where it should be.
  func lacksKey(_ row: JSON) -> Bool { idPathInRow != nil && id(of: row) == nil }

  /// The path of the id in a row of the service; nil if the id is derived, or is inside a part.
  private var idPathInRow: FieldPath? {
    let path = idPath
    return path.names.count == 1 ? fields.first { $0.name == path.names[0] }?.reader?.rowPath : nil
  }

  /// The names of the fields that a record derives from its other fields. Empty if no field has its own reader: `read` then reads all.
  package var derived: Set<String> {
    var (names, hasReaders): (Set<String>, Bool) = ([], false)
    // No list of both is made: its type would be looked up at every start.
    func note(_ fields: [Field<Item>]) {
      for field in fields { if field.reader == nil { names.insert(field.name) } else { hasReaders = true } }
    }
    note(fields)
    note(searchOnly)
    return hasReaders ? names : []
  }

  /// Returns an object with all fields and their values, in order; a computed field is null.
  public func value(of item: Item) -> Value { .object(fields.map { Member(name: $0.name, value: $0.value(item)) }) }

  /// Returns the same object with the fields that are only searched: the value that is stored for a record.
  func storedValue(of item: Item, misfits: [Misfit] = []) -> Value {
    let members = (fields + searchOnly).map { Member(name: $0.name, value: $0.value(item)) }
    return .object(members + [item.mark(of: misfits)].compactMap(\.self))
  }

  package func body(of item: Item) -> [UInt8] { storedValue(of: item).bytes }

  /// Returns a hash of what is stored of a record, by which two records with the same id can be told apart. It is the same for the same
  /// values, however they are written.
  package func contentDigest(of item: Item) -> UInt64 {
    Fingerprint.of(storedValue(of: item).spellingTimes(at: times).canonical)
  }

  /// Returns a digest by which a record that has changed is told from the same one that comes again in an answer to `query`: of the
  /// time of its last change if `field` has that, else of all that is stored of it. Nil if the query is not for changes.
  func stateDigest(for query: Query, by field: String?) -> (@Sendable (Item) -> UInt64)? {
    guard case .changed = query else { return nil }
    let timeField = fields.first { $0.name == field }
    return { [self] item in
      guard let time = timeField?.value(item), time != .null else { return contentDigest(of: item) }
      return Fingerprint.of(time.bytes)
    }
  }
}

extension Schema {
  /// Returns the addresses of a record's pictures, each once. A picture field holds one address, a list of addresses, or an object with an
  /// address for each size, of which the largest counts.
  public func pictures(of item: Item) -> [WebAddress] {
    var seen: Set<WebAddress> = []
    return fields.filter { $0.role == .picture }.flatMap { addresses(in: $0.value(item)) }.filter { seen.insert($0).inserted }
  }

  /// Returns the address of the page about a record; nil if it has none, or if the value is not a web address.
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

/// The address whose name means the largest size; the first of equals.
private func largest(of members: [Member]) -> WebAddress? {
  var found: (address: WebAddress, size: Int)?
  for member in members {
    guard case .text(let text) = member.value, let address = address(text) else { continue }
    let size = size(member.name)
    if found.map({ $0.size < size }) ?? true { found = (address, size) }
  }
  return found?.address
}

/// The size in pixels that a name such as `thumb`, `medium_url`, `w500` or `1280x720` stands for.
private func size(_ name: String) -> Int {
  let name = name.lowercased()
  let numbers = name.split { !("0"..."9").contains($0) }.compactMap { Int($0) }.filter { $0 < 1 << 20 }
  // A number of pixels is the size; a small number may count something else.
  if let most = numbers.max(), most >= 16 { return most }
  let known = [
    ("thumb", 150), ("tiny", 50), ("icon", 50), ("small", 300), ("medium", 500), ("original", 1 << 20), ("full", 1 << 20),
    ("super", 1100), ("xlarge", 1100), ("screen", 900), ("large", 1000),
  ]
  return known.first { name.contains($0.0) }?.1 ?? 400
}
