package import AggregatorCore
import HTML

/// Reads a service's rows by the fields of a manifest.
struct ManifestRowReader: Sendable {
  /// The way in which one field gets its value.
  private enum Way {
    /// From the row, by a name or at a path.
    case member(String)
    case path(ValuePath)
    /// From the fields before it and other known values.
    case text(Template)
    /// From the key of the row.
    case rowKey
    /// Not from the row: the field is the key of several fields, or only the full record has it.
    case nothing
  }

  private let columns: [(field: ManifestField, way: Way, isNeeded: Bool)]
  private let keyIndices: [Int]
  private let key: String
  /// True when a field is the row itself, in a list of texts.
  private let takesAnything: Bool
  private let unwrap: ValuePath?
  /// The members of a row that fields read.
  private let known: Set<String>
  /// The address against which relative addresses are resolved; nil for the rows of a program.
  private let base: WebAddress?

  /// The names of the fields whose values are in a row where they are in a record: below the field's own name.
  var unmoved: Set<String> {
    guard unwrap == nil else { return [] }
    return Set(columns.compactMap { if case .member(let name) = $0.way, name == $0.field.name { name } else { nil } })
  }

  /// Reads the rows of a list, or full records if `isFull`.
  init(of source: ManifestSource, from base: WebAddress?, isFull: Bool = false) {
    (self.base, key, unwrap) = (base, source.key, source.list.rows.unwrap)
    keyIndices = source.keyFields.compactMap { key in source.fields.firstIndex { $0.name == key } }
    columns = source.fields.map { field in
      let isMissing = field.isDetail && !isFull
      let way: Way =
        if field.name == source.list.rows.keyed {
          .rowKey
        } else if !source.keyParts.isEmpty, field.name == source.key {
          .nothing
        } else if let text = field.text {
          .text(text)
        } else if isMissing {
          .nothing
        } else if case .member(let name) = field.path.steps.first, field.path.steps.count == 1 {
          .member(name)
        } else {
          .path(field.path)
        }
      return (field, way, isNeeded: field.isRequired && !isMissing && field.name != source.key)
    }
    known = Set(source.fields.compactMap { if case .member(let name) = $0.path.steps.first { name } else { nil } })
    takesAnything = columns.contains { if case .path("") = $0.way { true } else { false } }
  }

  /// Reads a record. A value that does not fit its field stays as it came and is noted in the row. `values` are those of the settings and of
  /// the record's parent.
  func record(_ row: JSON, _ values: [String: Value] = [:], key rowKey: String? = nil) throws -> LooseRecord {
    if !takesAnything, row.kind != .object { throw row.mismatch("an object") }
    let inner = unwrap?.value(in: row)
    var members: [Member] = []
    members.reserveCapacity(columns.count)
    for (field, way, isNeeded) in columns {
      var value: Value
      do {
        value =
          switch way {
          case .member(let name):
            try (inner?[name] ?? row[name]).map { try field.type.read($0, for: field, from: base) } ?? .null
          case .path(let path):
            try self.value(of: field, at: path, in: inner.flatMap { path.value(in: $0) == nil ? nil : $0 } ?? row)
          case .text(let text): text.joined { name in members.first { $0.name == name }?.value ?? values[name] ?? .null }
          case .rowKey: .text(rowKey ?? row.name ?? "")
          case .nothing: .null
          }
      } catch let error as SourceError where error.kind == .malformed && !isNeeded {
        value = .null
        if let unfit = unfitValue(way, in: inner ?? row) ?? unfitValue(way, in: row) {
          value = unfit.value
          row.noteMisfit(of: field.name, unfit.json)
        }
      }
      if isNeeded, value.isNull { throw row.error("the field \(field.name) is missing") }
      members.append(Member(name: field.name, value: value.isNull && field.type == .texts ? .list([]) : value))
    }
    guard let id = id(of: members) else { throw row.error("a record without its key \(key)") }
    // A key of several fields is itself the first field (`ManifestField.jointKey`).
    if keyIndices.count > 1 { members[0].value = .text(id) }
    return LooseRecord(id: id, value: .object(members))
  }

  /// Returns what a row has where the value of a field does not fit: that value, or what is in its way.
  private func unfitValue(_ way: Way, in row: JSON) -> (value: Value, json: JSON)? {
    let path: ValuePath
    switch way {
    case .member(let name): path = ValuePath([name])
    case .path(let found): path = found
    case .text, .rowKey, .nothing: return nil
    }
    if path.isMany, let values = path.values(in: row), let first = values.first { return (.list(values.map(\.value)), first) }
    return (path.value(in: row) ?? path.obstacle(in: row)).map { ($0.value, $0) }
  }

  /// True when a row has no value where its key should be.
  func lacksKey(_ row: JSON) -> Bool {
    let inner = unwrap?.value(in: row) ?? row
    return keyIndices.contains { index in
      switch columns[index].way {
      case .member(let name): !(inner[name] ?? row[name]).mayBeID
      case .path(let path): !(path.value(in: inner) ?? path.value(in: row)).mayBeID
      case .text, .rowKey, .nothing: false
      }
    }
  }

  /// Counts the members of the first rows that no field reads.
  func countUnknownMembers(of rows: [JSON], into shape: inout ShapeCounts) {
    guard !takesAnything else { return }
    for row in rows.prefix(50) {
      shape.sampled += 1
      let row = unwrap?.value(in: row) ?? row
      for name in Set(row.members.map(\.key)).subtracting(known) where !name.isEmpty {
        shape.unknown.add(name)
        if let value = row[name], !value.isNull { shape.note(type: value.typeName, of: name) }
      }
    }
  }

  /// Returns the ID from the values of the key; nil if one is missing. A `/` inside one of several parts is escaped.
  private func id(of members: [Member]) -> String? {
    let parts = keyIndices.compactMap { members[$0].value.keyText }
    guard parts.count == keyIndices.count else { return nil }
    if parts.count == 1 { return parts[0] }
    return parts.map { $0.replacingEach("%", with: "%25").replacingEach("/", with: "%2F") }.joined(separator: "/")
  }

  /// Returns null for a missing value. Throws if something else is in its way, such as a text instead of an object.
  private func null(at path: ValuePath, in row: JSON) throws -> Value {
    if let obstacle = path.obstacle(in: row) {
      throw obstacle.error("\(path.text) leads through a value that is not an object")
    }
    return .null
  }

  private func value(of field: ManifestField, at path: ValuePath, in row: JSON) throws -> Value {
    guard path.isMany else {
      guard let found = path.value(in: row) else { return try null(at: path, in: row) }
      return try field.type.read(found, for: field, from: base)
    }
    guard let found = path.values(in: row) else { return try null(at: path, in: row) }
    let type = field.type == .texts ? .text : field.type
    let values = try found.map { try type.read($0, for: field, from: base) }.filter { !$0.isNull }
    return field.type == .text ? values.isEmpty ? .null : .text(values.map(\.plainText).joined()) : .list(values)
  }
}

extension JSON? {
  /// True when an ID can be made from the value.
  fileprivate var mayBeID: Bool { map { ![.null, .object, .array].contains($0.kind) && $0.raw.count > 0 } ?? false }
}

extension Template {
  /// Returns the text with the values in it, without the missing ones; null if all are missing. A value keeps its spaces. The spaces of the
  /// template at either end are left out, because a missing value leaves them there.
  fileprivate func joined(_ value: (String) -> Value) -> Value {
    // `plain` is the template's own text since the last value.
    var (joined, plain, hasValue) = ("", "", false)
    for piece in pieces {
      switch piece {
      case .text(let text): plain += text
      case .name(let name):
        let text = value(name).plainText
        if text.isEmpty { continue }
        if !hasValue { plain = String(plain.drop { $0.isASCII && $0.isWhitespace }) }
        joined += plain + text
        (plain, hasValue) = ("", true)
      }
    }
    while let last = plain.last, last.isASCII, last.isWhitespace { plain.removeLast() }
    return hasValue ? .text(joined + plain) : .null
  }
}

extension Value {
  /// The value as a part of an ID; nil if it cannot be one.
  fileprivate var keyText: String? {
    switch self {
    case .text(let text): text.isEmpty ? nil : text
    case .int(let int): String(int)
    default: nil
    }
  }
}

extension ManifestField.Kind {
  /// Returns a value of this type; null for JSON's null, an empty text, and a text that `field` declares as one. Addresses are resolved
  /// against `base`. Throws `malformed` if the value does not fit.
  func read(_ json: JSON, for field: ManifestField, from base: WebAddress?) throws -> Value {
    if json.isNull { return .null }
    if json.kind == .string, self != .json, let value = read(try json.asString(), for: field, from: base) { return value }
    switch self {
    case .text, .html, .address:
      switch json.kind {
      case .number, .bool:
        let text = String(decoding: json.raw, as: UTF8.self)
        return .text(self == .address ? Self.address(text, from: base) : text)
      case .array where self == .text:
        let text = try json.elements.map { try read($0, for: field, from: base).plainText }.joined()
        return text.isEmpty ? .null : .text(text)
      default: throw json.mismatch("a text")
      }
    case .texts:
      // A service may leave out the list around a single value.
      guard json.kind == .array else { return .list([try Self.text.read(json, for: field, from: base)].filter { !$0.isNull }) }
      return .list(try json.elements.map { try Self.text.read($0, for: field, from: base) }.filter { !$0.isNull })
    case .integer: return .int(try json.asInt())
    case .number: return .double(try json.asExactDouble(as: .service))
    case .decimal: return try DecimalNumber(json, as: .service).fieldValue
    case .boolean: return try Bool(json, as: .service).fieldValue
    case .time, .unix:
      let iso = try Moment.text(json)
      return .text(iso.hasSuffix(".000Z") ? iso.dropLast(5) + "Z" : iso)
    case .date: return try .text(CalendarDay(Moment(json, as: .service)).description)
    case .json: return json.value
    }
  }

  private static func address(_ text: String, from base: WebAddress?) -> String {
    // Most addresses are complete.
    if text.hasPrefix("https://") || text.hasPrefix("http://") { return text }
    return base?.resolving(text.trimmingSpaces)?.shown ?? text
  }

  /// Returns the value of a text; nil if the text has to be read as another value is.
  private func read(_ text: String, for field: ManifestField, from base: WebAddress?) -> Value? {
    if text.isEmpty || !field.nulls.isEmpty && field.nulls.contains(text) { return .null }
    switch self {
    case .text: return .text(text)
    case .address: return .text(Self.address(text, from: base))
    case .html:
      let plain = HTMLText.plain(text, base: base)
      return plain.isEmpty ? .null : .text(plain)
    case .time where Moment(iso: text) != nil: return .text(Moment.withoutOffset(iso: text))
    case .date where CalendarDay(iso: text) != nil: return .text(String(text.prefix(10)))
    default: return nil
    }
  }
}

extension ManifestSource {
  /// Returns the schema of its records, as every face reads it.
  package func schema() throws(SourceError) -> Schema<LooseRecord> {
    try Schema(fields.map { $0.looseField() }, id: FieldPath([key]))
  }
}

extension Schema where Item == LooseRecord {
  /// Returns the same description, by which a row of the service is read as the manifest says.
  func reading(_ reader: ManifestRowReader) -> Schema<LooseRecord> {
    Schema(
      fields, searchOnly: searchOnly, translations: translations, id: idPath, identity: identity, unmoved: reader.unmoved
    ) { row, form in
      form == .service ? try reader.record(row) : try self.read(row, as: form)
    }
  }
}

extension ManifestField {
  func looseField() -> LooseField {
    var field = LooseField(
      name, path.isMany && type != .text && type != .texts ? .list(of: kind) : kind, role: role, width: width,
      searchable: isSearchable,
      detail: isDetail)
    (field.outline.label, field.outline.explanation) = (label, about)
    return field
  }

  private var kind: LooseField.Kind {
    switch type {
    case .text, .html: .text
    case .integer: .integer
    case .number: .number
    case .decimal: .decimal
    case .boolean: .bool
    case .time, .unix: .time
    case .date: .day
    case .address: .address
    case .texts: .list(of: .text)
    case .json: .any
    }
  }
}
