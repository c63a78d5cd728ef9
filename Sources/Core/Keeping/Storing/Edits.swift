/// A person's value of one field of a record, in place of the service's.
///
/// A store has edits in a table of their own, and its records as the service gave them. Edits are laid over records that are read.
public struct Edit: Sendable, Hashable {
  /// The id of the record.
  public let id: String
  /// The path of the field in the record.
  public let path: FieldPath
  /// The value that the service gave when the field was edited. The edit lasts until the service gives another one.
  public let given: Value
  /// The person's value; null if the person removed the service's.
  public let value: Value

  /// Makes an edit of one field of the record with that id.
  public init(of id: String, at path: FieldPath, given: Value, value: Value) {
    (self.id, self.path, self.given, self.value) = (id, path, given, value)
  }

  /// The name of the list of edited fields in a record's JSON.
  public static let mark = "edited"
}

/// The edits of some records.
public struct Edits: Sendable {
  /// The edits by the bytes of the record's id: Swift takes some texts as equal whose bytes differ.
  private var edits: [[UInt8]: [Edit]]
  /// The edits that the records had before the first change here, of each record that was changed.
  private var before: [[UInt8]: [Edit]] = [:]
  private let times: [FieldPath]

  /// Makes a collection of edits, which are in the order in which they were made; `times` are the paths of the values that are times.
  public init(_ edits: [Edit] = [], timesAt times: [FieldPath] = []) {
    self.edits = Dictionary(grouping: edits) { Array($0.id.utf8) }
    self.times = times
  }

  /// True when no record has edits.
  public var isEmpty: Bool { edits.isEmpty }

  var ids: [String] { edits.values.map { $0[0].id } }

  /// The edits that are no longer there, and those that were not there at first.
  public var changes: (removed: [Edit], added: [Edit]) {
    before.reduce(into: ([], [])) { changes, old in
      let new = edits[old.key] ?? []
      changes.0 += old.value.filter { !new.contains($0) }
      changes.1 += new.filter { !old.value.contains($0) }
    }
  }

  func of(_ id: some Collection<UInt8>) -> [Edit] { edits.isEmpty ? [] : edits[Array(id)] ?? [] }

  /// Returns the service's record with the person's values, and the fields that have them; nil if no edit of the record lasts.
  func laid(over body: some Collection<UInt8>, of id: some Collection<UInt8>) throws -> (body: [UInt8], paths: [FieldPath])? {
    let edits = of(id)
    guard !edits.isEmpty else { return nil }
    var record = try JSON(Array(body)).value
    let lasting = edits.filter { lasts($0, over: record) }
    for edit in lasting { record.put(edit.value, at: edit.path.names[...]) }
    return lasting.isEmpty ? nil : (record.bytes, lasting.map(\.path))
  }

  /// Puts a person's values in place of those of the service's record. The service's own value ends an edit.
  mutating func add(_ values: [(FieldPath, Value)], over record: Value, of id: ArraySlice<UInt8>) {
    var edits = of(id)
    for (path, value) in values {
      let given = record.value(at: path.names[...])
      let value = value.withoutNulls(over: given)
      edits.removeAll { $0.path.names.starts(with: path.names) }
      if !value.isSame(as: given, areTimes: times.contains(path)) {
        edits.append(Edit(of: String(decoding: id, as: UTF8.self), at: path, given: given, value: value))
      }
    }
    note(edits, of: id)
  }

  /// Ends the edits of the fields for which the service's new record has other values, and returns these fields.
  mutating func end(by body: ArraySlice<UInt8>, of id: ArraySlice<UInt8>) -> [FieldPath] {
    let edits = of(id)
    guard !edits.isEmpty, let record = try? JSON(Array(body)).value else { return [] }
    let lasting = edits.filter { lasts($0, over: record) }
    note(lasting, of: id)
    return edits.filter { !lasts($0, over: record) }.map(\.path)
  }

  /// Keeps the edits of fields that another description reads: the service has not changed their values.
  mutating func follow(
    from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>, of id: ArraySlice<UInt8>, where isRead: (FieldPath) -> Bool
  ) throws {
    let edits = of(id)
    guard !edits.isEmpty else { return }
    let (old, new) = (try JSON(Array(old)).value, try JSON(Array(new)).value)
    let following = edits.map { edit in
      guard isRead(edit.path), lasts(edit, over: old) else { return edit }
      return Edit(of: edit.id, at: edit.path, given: new.value(at: edit.path.names[...]), value: edit.value)
    }
    note(following, of: id)
  }

  /// True when the service's record still has the value that was edited.
  private func lasts(_ edit: Edit, over record: Value) -> Bool {
    edit.given.isSame(as: record.value(at: edit.path.names[...]), areTimes: times.contains(edit.path))
  }

  private mutating func note(_ new: [Edit], of id: ArraySlice<UInt8>) {
    let id = Array(id)
    before[id] = before[id] ?? edits[id] ?? []
    edits[id] = new.isEmpty ? nil : new
  }
}

extension Edit: FieldValue {
  /// Reads an edit that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws {
    let value = json.value
    self.init(
      of: try json.string("id"), at: FieldPath(text: try json.string("path")), given: value["given"] ?? .null,
      value: value["value"] ?? .null)
  }

  public var fieldValue: Value { ["id": .text(id), "path": .text(path.text), "given": given, "value": value] }
}

extension Value {
  /// The value without the members that take a value of `given` away: those that are null where `given` has a value, at any depth.
  package func withoutNulls(over given: Value) -> Value {
    guard let members, given.members != nil else { return self }
    return .object(
      members.compactMap { member in
        let other = given[member.name] ?? .null
        if member.value.isNull, !other.isNull { return nil }
        return Member(name: member.name, value: member.value.withoutNulls(over: other))
      })
  }

  /// The value with a null for each value that only `given` has, at any depth: merged into `given`, it gives the value.
  package func withNulls(over given: Value) -> Value {
    guard let members, let others = given.members else { return self }
    let own = members.map { Member(name: $0.name, value: $0.value.withNulls(over: given[$0.name] ?? .null)) }
    let removed = others.filter { !$0.value.isNull && self[$0.name] == nil }
    return .object(own + removed.map { Member(name: $0.name, value: .null) })
  }

  /// Puts a value at a path, with the objects on the way to it; null removes the value that is there.
  package mutating func put(_ value: Value, at names: ArraySlice<String>) {
    guard let name = names.first else { return self = value }
    var members = members ?? []
    let index = members.firstIndex { $0.name == name }
    var inner = index.map { members[$0].value } ?? .null
    inner.put(value, at: names.dropFirst())
    switch (index, inner) {
    case (let index?, .null): members.remove(at: index)
    case (let index?, _): members[index].value = inner
    case (nil, .null): return
    // The list of values that were left out stays the last member.
    case (nil, _): members.insert(Member(name: name, value: inner), at: members.count - (members.last?.name == "" ? 1 : 0))
    }
    self = .object(members)
  }
}
