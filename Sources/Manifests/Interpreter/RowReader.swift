import AggregatorCore
import HTML

/// Reads a service's rows by the fields of a manifest.
struct RowReader: Sendable {
  let source: ManifestSource
  /// What addresses that are not whole are seen from.
  let base: WebAddress
  /// Whether the row is a record in full.
  var isFull = false

  /// A record, and how many of its values were of another type than declared and became null. `values` are those of the settings and of
  /// the record's parent.
  func record(_ row: JSON, _ values: [String: Value] = [:], key: String? = nil) throws -> (LooseRecord, cleaned: Int) {
    var cleaned = 0
    guard row.kind == .object else { throw row.mismatch("an object") }
    let inner = source.rows.unwrap?.value(in: row)
    var members: [Member] = []
    members.reserveCapacity(source.fields.count)
    for field in source.fields {
      var value = Value.null
      if field.name == source.rows.keyed {
        value = .text(key ?? row.name ?? "")
      } else if !source.keyParts.isEmpty, field.name == source.key {
        // Made of fields that come behind it.
      } else if let text = field.text {
        let known = text.names.reduce(into: [String: Value]()) { known, name in
          known[name] = members.first { $0.name == name }?.value ?? values[name]
        }
        value = text.joined(known).map(Value.text) ?? .null
      } else if !field.isDetail || isFull {
        do {
          value = try self.value(of: field, in: row, inner)
        } catch let error as SourceError where !field.isRequired && field.name != source.key {
          guard error.kind == .malformed else { throw error }
          cleaned += 1
        }
      }
      if value.isNull, field.isRequired, source.keyParts.isEmpty || field.name != source.key, !field.isDetail || isFull {
        throw SourceError(.malformed, "\(row.path): the field \(field.name) is missing")
      }
      members.append(Member(name: field.name, value: value.isNull && field.type.isList ? .list([]) : value))
    }
    let id: String?
    if source.keyParts.isEmpty {
      id = members.first { $0.name == source.key }?.value.keyText
    } else {
      let parts = source.keyParts.map { part in members.first { $0.name == part }?.value.keyText }
      id =
        parts.contains(nil)
        ? nil : parts.compactMap { $0?.replacingEach("%", with: "%25").replacingEach("/", with: "%2F") }.joined(separator: "/")
      if let place = members.firstIndex(where: { $0.name == source.key }), let id { members[place].value = .text(id) }
    }
    guard let id, !id.isEmpty else { throw SourceError(.malformed, "\(row.path): a record without its key \(source.key)") }
    return (LooseRecord(id: id, value: .object(members)), cleaned)
  }

  private func value(of field: ManifestField, in row: JSON, _ inner: JSON?) throws -> Value {
    let holder = inner.flatMap { field.path.value(in: $0) == nil ? nil : $0 } ?? row
    if field.path.isMany {
      guard let found = field.path.values(in: holder) else { return .null }
      let values = try found.filter { !$0.isNull }.map { try field.type.read($0, field, base) }.filter { !$0.isNull }
      switch field.type {
      case .text: return values.isEmpty ? .null : .text(values.map(\.plainText).joined())
      // Each of the values is a list of its own.
      case .texts: return .list(values.flatMap { if case .list(let texts) = $0 { texts } else { [$0] } })
      default: return .list(values)
      }
    }
    guard let json = field.path.value(in: holder), !json.isNull else { return .null }
    return try field.type.read(json, field, base)
  }
}

extension Template {
  /// The text with the values in it, those that are missing left out; nil where none is there.
  fileprivate func joined(_ values: [String: Value]) -> String? {
    guard names.contains(where: { !(values[$0]?.plainText ?? "").isEmpty }) else { return nil }
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .name(let name): values[name]?.plainText ?? ""
      }
    }.joined().trimmingSpaces
  }
}

extension Value {
  /// What an id is made of.
  fileprivate var keyText: String? {
    switch self {
    case .text(let text): text.isEmpty ? nil : text
    case .int(let int): String(int)
    default: nil
    }
  }
}

extension ManifestField.Kind {
  /// Whether such a field holds a list, of which a missing one is empty.
  var isList: Bool { self == .texts }

  func read(_ json: JSON, _ field: ManifestField, _ base: WebAddress) throws -> Value {
    if json.kind == .string, self != .json {
      let text = try json.asString()
      if text.isEmpty || field.nulls.contains(text) { return .null }
      switch self {
      case .text: return .text(text)
      case .address: return .text(base.resolving(text.trimmingSpaces)?.shown ?? text)
      case .html:
        let plain = HTMLText.plain(text, base: base)
        return plain.isEmpty ? .null : .text(plain)
      case .time where Moment(iso: text) != nil: return .text(text)
      case .date where CalendarDay(iso: text) != nil: return .text(String(text.prefix(10)))
      default: break
      }
    }
    switch self {
    case .text, .html, .address:
      switch json.kind {
      case .number, .bool: return .text(String(decoding: json.raw, as: UTF8.self))
      case .array where self == .text:
        return .text(try json.elements.filter { !$0.isNull }.map { try read($0, field, base).plainText }.joined())
      default: throw json.mismatch("a text")
      }
    case .texts:
      // A service that has one value may leave out the list around it.
      guard json.kind == .array else { return .list([try Self.text.read(json, field, base)].filter { !$0.isNull }) }
      return .list(try json.elements.filter { !$0.isNull }.map { try Self.text.read($0, field, base) }.filter { !$0.isNull })
    case .integer: return .int(try json.asInt())
    case .number: return .double(try json.asDouble())
    case .decimal: return try DecimalNumber(json, as: .service).fieldValue
    case .boolean: return try Bool(json, as: .service).fieldValue
    case .time, .unix: return try Moment(json, as: .service).fieldValue
    case .date: return try .text(CalendarDay(Moment(json, as: .service)).description)
    case .json: return json.value
    }
  }
}

extension ManifestSource {
  /// The description of its records, as every face reads it.
  func schema() throws(SourceError) -> Schema<LooseRecord> {
    try Schema(fields.map { $0.looseField() }, id: FieldPath([key]))
  }
}

extension ManifestField {
  func looseField() -> LooseField {
    var field = LooseField(
      name, path.isMany && type != .text ? .list(of: kind) : kind, role: role, width: width, searchable: isSearchable,
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
    case .time, .unix, .date: .time
    case .address: .address
    case .texts: .list(of: .text)
    case .json: .any
    }
  }
}
