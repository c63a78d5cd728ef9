/// A record whose fields are known only at run time, for example of a source that a file describes.
///
///     let schema = try Schema<LooseRecord>(
///       [LooseField("code", width: .whole), LooseField("name", role: .title, searchable: true), LooseField("size", .integer)],
///       id: "code")
///     let page = try Page(of: source, rows: body.array("items"))  // whose schema that is
public struct LooseRecord: SourceItem, Hashable {
  public let id: String
  /// An object with a member for each field.
  public let value: Value

  /// A record whose `value` has a member for each field; a missing member counts as null.
  public init(id: String, value: Value) { (self.id, self.value) = (id, value) }
}

/// The description of one field of a ``LooseRecord``.
public struct LooseField: Sendable, Hashable {
  /// The way in which a value of the field is read.
  public indirect enum Kind: Sendable, Hashable {
    /// A text, or a number that is read as one.
    case text
    /// A value of that kind. A number may also be written as a text.
    case integer, number, bool
    /// A day or a moment in ISO 8601, or a web address. Both are texts.
    case time, address
    /// A day in ISO 8601 without a time, which is a text.
    case day
    /// A number that keeps all its digits.
    case decimal
    /// Any value.
    case any
    /// An array of such values.
    case list(of: Kind)
    /// Fields of its own.
    case part([LooseField])
  }

  /// The way in which the values are read.
  public let kind: Kind
  /// The description that every face reads.
  public var outline: FieldOutline
  var name: String { outline.name }

  /// A field that is read as `kind`, described like a field of any record.
  public init(
    _ name: String, _ kind: Kind = .text, role: FieldRole = .plain, width: FieldWidth = .flexible, searchable: Bool = false,
    detail: Bool = false, lineFormat: LineFormat? = nil
  ) {
    self.kind = kind
    outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: kind.leaves, lineFormat: lineFormat)
  }
}

extension Schema where Item == LooseRecord {
  /// A description of records with those fields, and with other fields that only a search looks at. `id` must lead to a text or an integer.
  /// Throws if a name could not be shown or stored, because it is empty, has a control character, or differs from another
  /// one in case at most.
  public convenience init(_ fields: [LooseField], searchOnly: [LooseField] = [], id: FieldPath) throws(SourceError) {
    let all = fields + searchOnly
    try LooseField.check(all)
    guard [.text, .integer].contains(LooseField.kind(at: id.names[...], in: fields)) else {
      throw SourceError(.settings, "no field \"\(id)\" that is a text or an integer can be the id")
    }
    guard all.map(\.outline).leaves.count <= LooseField.most else {
      throw SourceError(.settings, "a record can have at most \(LooseField.most) values")
    }
    self.init(
      fields.enumerated().map { index, field in Field(field.outline) { $0.member(field.name, index) } },
      searchOnly: searchOnly.enumerated().map { index, field in
        Field(field.outline) { $0.member(field.name, fields.count + index) }
      },
      id: id,
      read: { row, _ in
        let value = try LooseField.Kind.part(all).read(row.asObject())
        switch value.value(at: id.names[...]) {
        case .text(let id): return LooseRecord(id: id, value: value)
        case .int(let id): return LooseRecord(id: String(id), value: value)
        default: throw row.error("a record without an id")
        }
      })
  }
}

extension LooseRecord {
  /// The value of a field, which is usually the one at `index`.
  fileprivate func member(_ name: String, _ index: Int) -> Value {
    if case .object(let members) = value, members.indices.contains(index), members[index].name == name {
      return members[index].value
    }
    return value[name] ?? .null
  }
}

extension LooseField {
  /// The largest number of values in a record: a view in a store has a column for each.
  fileprivate static var most: Int { 1_000 }

  fileprivate static func check(_ fields: [LooseField]) throws(SourceError) {
    var names: [String: String] = [:]
    for field in fields {
      guard !field.name.isEmpty else { throw SourceError(.settings, "a field has no name") }
      guard field.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
        throw SourceError(.settings, "the field \"\(Printable.clean(field.name))\" has a control character in its name")
      }
      if let other = names.updateValue(field.name, forKey: field.name.lowercased()) {
        guard other != field.name else { throw SourceError(.settings, "two fields are called \"\(field.name)\"") }
        throw SourceError(
          .settings, "the fields \"\(other)\" and \"\(field.name)\" differ in case alone, which SQL does not see",
          remedy: "give one of them another \"name\", and its own as \"path\"")
      }
      if case .part(let inner) = field.kind { try check(inner) }
    }
  }

  fileprivate static func kind(at path: ArraySlice<String>, in fields: [LooseField]) -> Kind? {
    let kind = fields.first { $0.name == path.first }?.kind
    guard path.count > 1 else { return kind }
    guard case .part(let inner) = kind else { return nil }
    return self.kind(at: path.dropFirst(), in: inner)
  }
}

extension LooseField.Kind {
  fileprivate var leaves: [Leaf] {
    switch self {
    case .text: .text
    case .integer: .integer
    case .number: .number
    case .bool: .bool
    case .time, .day: [Leaf(FieldPath(), .time)]
    case .address: [Leaf(FieldPath(), .address)]
    case .decimal: .number
    case .any: .list
    case .list(let kind): kind.leaves.listed
    case .part(let fields): fields.map(\.outline).leaves
    }
  }

  /// Reads a value of this kind. One that does not fit is kept as it came, and is noted in its object.
  private func read(_ json: JSON?, in row: JSON, as field: String) -> Value {
    if let value = try? read(json) { return value }
    row.noteMisfit(of: field, json)
    return json?.value ?? .null
  }

  /// Reads a value of this kind. A missing list becomes an empty list. A part with only nulls becomes null, and so does an empty text.
  fileprivate func read(_ json: JSON?) throws -> Value {
    guard let json, !json.isNull else {
      if case .list = self { return .list([]) }
      return .null
    }
    let isEmptyText = json.kind == .string && json.raw.count == 2
    switch self {
    case .list(let kind): return .list(try json.asArray().map { try kind.read($0) })
    case .part(let fields):
      let row = try json.asObject()
      let members = fields.map { Member(name: $0.name, value: $0.kind.read(row[$0.name], in: row, as: $0.name)) }
      return members.allSatisfy { $0.value.isNull } ? .null : .object(members)
    case .any: return json.value
    case _ where isEmptyText: return .null
    case .integer: return .int(try json.asInt())
    case .number: return .double(try json.asExactDouble(as: .own))
    case .bool: return .bool(try json.asBool())
    case .decimal: return try DecimalNumber(json, as: .own).fieldValue
    case .text where json.kind == .number || json.kind == .bool: return .text(String(decoding: json.raw, as: UTF8.self))
    case .time:
      let text = try json.asString()
      guard Moment.isTime(iso: text) else {
        throw json.mismatch("a time such as 2024-02-29T10:00:00Z")
      }
      return .text(Moment.withoutOffset(iso: text))
    case .day:
      let text = try json.asString()
      guard text.utf8.count == 10, CalendarDay(iso: text) != nil else { throw json.mismatch("a day such as 2024-02-29") }
      return .text(text)
    case .text, .address: return .text(try json.asString())
    }
  }
}
