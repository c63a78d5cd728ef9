/// A stored record with a person's edits: the fields that the service gave, and a person's value in place of some of them.
///
/// It is stored as one body. An edited body begins with the replaced values, by the paths of their fields, under a name that no field can
/// have; so it costs nothing to see that a record has no edits.
public struct EditedRecord: Sendable, Hashable {
  /// The record as the service gave it.
  public private(set) var given: Value
  /// The edits, in the order in which they were made.
  public private(set) var edits: [Edit] = []

  /// A person's value of one field.
  public struct Edit: Sendable, Hashable {
    /// The path of the field in the record.
    public let path: FieldPath
    /// The person's value.
    public let value: Value
  }

  private static let name = "\u{1}edits"
  /// The beginning of the body of an edited record; no other body begins with it.
  public static let prefix = Array(#"{"\u0001edits":"#.utf8)

  /// The name of the list of edited fields in a record's JSON.
  public static let mark = "edited"

  /// True for the body of a record that has edits.
  public static func isEdited(_ body: some Collection<UInt8>) -> Bool { body.starts(with: prefix) }

  /// Reads a stored body, edited or not.
  public init(_ body: [UInt8]) throws {
    given = try JSON(body).value
    guard Self.isEdited(body), let replaced = given[Self.name]?.members else { return }
    given[Self.name] = nil
    edits = replaced.map {
      let path = FieldPath(text: $0.name)
      return Edit(path: path, value: given.value(at: path.names[...]))
    }
    for member in replaced.reversed() { given.set(member.value, at: FieldPath(text: member.name).names[...]) }
  }

  /// The body as it is stored; without edits it is that of the service.
  public var body: [UInt8] {
    var shown = given
    for edit in edits { shown.set(edit.value, at: edit.path.names[...]) }
    if !edits.isEmpty, let members = shown.members {
      let replaced = edits.map { Member(name: $0.path.text, value: given.value(at: $0.path.names[...])) }
      shown = .object([Member(name: Self.name, value: .object(replaced))] + members)
    }
    var writer = JSONWriter()
    writer.write(shown)
    return writer.bytes
  }

  /// Returns the record with the service's new values under the edits. An edit ends if the service's value for its field has changed.
  func over(_ new: [UInt8]) throws -> EditedRecord {
    var record = self
    record.given = try JSON(new).value
    record.edits = edits.filter { edit in
      let names = edit.path.names[...]
      return given.value(at: names).isSame(as: record.given.value(at: names))
    }
    return record
  }

  /// Puts a person's value in place of the service's. The service's own value ends an edit.
  mutating func edit(_ value: Value, at path: FieldPath) {
    edits.removeAll { $0.path.names.starts(with: path.names) }
    if !value.isSame(as: given.value(at: path.names[...])) { edits.append(Edit(path: path, value: value)) }
  }

  /// Replaces a value that was given.
  mutating func take(_ value: Value, at path: FieldPath) { given.set(value, at: path.names[...]) }

  /// The record without its edits.
  public var restored: EditedRecord { copy(of: self) { $0.edits = [] } }
}

extension Value {
  /// Puts a value at a path, with the objects on the way to it; null removes the value that is there.
  fileprivate mutating func set(_ value: Value, at names: ArraySlice<String>) {
    guard let name = names.first else {
      self = value
      return
    }
    var members = members ?? []
    let index = members.firstIndex { $0.name == name }
    var inner = index.map { members[$0].value } ?? .null
    inner.set(value, at: names.dropFirst())
    switch (index, inner) {
    case (let index?, .null): members.remove(at: index)
    case (let index?, _): members[index].value = inner
    case (nil, .null): return
    case (nil, _): members.append(Member(name: name, value: inner))
    }
    self = .object(members)
  }
}
