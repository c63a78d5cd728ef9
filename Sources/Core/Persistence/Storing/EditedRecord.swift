/// A stored record with what a person made of it: the fields that the service gave, and a value in place of some of them.
///
/// It is stored as one body. An edited one begins with what the edits replaced, by the paths of the fields, under a name that no field can
/// have; so it costs nothing to see that a record has no edits.
public struct EditedRecord: Sendable, Hashable {
  /// What the service gave.
  public private(set) var given: Value
  /// What a person put in place of it, in the order in which that was done.
  public private(set) var edits: [Edit] = []

  /// A person's value of one field.
  public struct Edit: Sendable, Hashable {
    /// Where it lies in the record.
    public let path: FieldPath
    /// What the person gave.
    public let value: Value
  }

  private static let name = "\u{1}edits"
  /// How the body of an edited record begins, and no other.
  public static let prefix = Array(#"{"\u0001edits":"#.utf8)

  /// What JSON of a record calls the list of the fields that were edited.
  public static let mark = "edited"

  /// True of the body of a record that has edits.
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

  /// The body as it is stored: that of the service where nothing is edited.
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

  /// What the service gives now, under the edits of fields of which its value is still the one that was replaced.
  func over(_ new: [UInt8]) throws -> EditedRecord {
    var record = self
    record.given = try JSON(new).value
    record.edits = edits.filter { edit in
      let names = edit.path.names[...]
      return given.value(at: names).isSame(as: record.given.value(at: names))
    }
    return record
  }

  /// Puts a person's value in place of the service's; the service's own value ends an edit.
  mutating func edit(_ value: Value, at path: FieldPath) {
    edits.removeAll { $0.path.names.starts(with: path.names) }
    if !value.isSame(as: given.value(at: path.names[...])) { edits.append(Edit(path: path, value: value)) }
  }

  /// Takes a value for what was given.
  mutating func take(_ value: Value, at path: FieldPath) { given.set(value, at: path.names[...]) }

  /// The record without its edits.
  public var restored: EditedRecord { changing(self) { $0.edits = [] } }
}

extension Value {
  /// Puts a value there, and the parts on the way to it; null takes away what is there.
  fileprivate mutating func set(_ value: Value, at names: ArraySlice<String>) {
    guard let name = names.first else {
      self = value
      return
    }
    var members = members ?? []
    let place = members.firstIndex { $0.name == name }
    var inner = place.map { members[$0].value } ?? .null
    inner.set(value, at: names.dropFirst())
    switch (place, inner) {
    case (let place?, .null): members.remove(at: place)
    case (let place?, _): members[place].value = inner
    case (nil, .null): return
    case (nil, _): members.append(Member(name: name, value: inner))
    }
    self = .object(members)
  }
}
