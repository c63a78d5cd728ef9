extension Batch.Rule {
  /// What becomes of a record whose id is stored already, `same` in every byte or not; the stored one is no longer gone in any case. One that
  /// is `outdated` was read by an earlier description, and gives way to whatever comes. `differs` is asked of a file's record alone:
  /// see ``RecordKind/differs(_:from:)``.
  public func fate(
    same isSame: Bool, outdated isOutdated: Bool, keptFrom fetch: @autoclosure () throws -> Fetch?,
    differs: @autoclosure () throws -> Bool
  ) rethrows -> Batch.Fate {
    if isOutdated { return isSame ? .confirms : .replaces }
    switch self {
    case .firstStays: return isSame ? .repeats : .absorbed
    case .lastStays: return isSame ? .confirms : .replaces
    case .imported(let begun):
      let isNews = try !isSame && differs()
      guard let fetch = try fetch(), fetch.request == Fetch.importing else { return isNews ? .differs : .repeats }
      // Of one file the first row with an id stays.
      if fetch.at < begun { return isNews ? .replaces : .confirms }
      return isNews ? .absorbed : .repeats
    }
  }

  /// What the stored record becomes where this one takes its place: a file seldom has all fields, and those that it lacks stay.
  public func body(_ new: [UInt8], inPlaceOf kept: @autoclosure () throws -> [UInt8]) throws -> [UInt8] {
    guard case .imported = self else { return new }
    var writer = JSONWriter()
    try writer.write(JSON(kept()).value.taking(JSON(new).value))
    return writer.bytes
  }
}

extension RecordKind {
  /// Whether a record of a file says anything that the stored one does not say; both are their own fields as JSON.
  ///
  /// A field that the file has nothing for says nothing, nor does one that a record works out from its others. Values are compared, not
  /// how they are written: `1.0` is `1`.
  public func differs(_ new: [UInt8], from kept: [UInt8]) throws -> Bool {
    let (new, kept) = (try JSON(new).value, try JSON(kept).value)
    return (new.members ?? []).contains { !derived.contains($0.name) && $0.value.saysMore(than: kept[$0.name] ?? .null) }
  }
}

extension Value {
  /// Whether it is what a table has in an empty cell, for there is no other way to write it there.
  private var saysNothing: Bool {
    switch self {
    case .null: true
    case .text(let text): text.isEmpty
    case .list(let values): values.isEmpty
    case .object(let members): members.allSatisfy { $0.value.saysNothing }
    case .bool, .int, .double, .decimal: false
    }
  }

  fileprivate func saysMore(than kept: Value) -> Bool {
    if saysNothing { return false }
    guard let members, kept.members != nil else { return !isSame(as: kept) }
    return members.contains { $0.value.saysMore(than: kept[$0.name] ?? .null) }
  }

  /// Whether it is the same value, however it is written; a table cannot tell a number from a text with its digits.
  private func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.text(let text), .text(let other)): text == other
    case (.text(let text), let value), (let value, .text(let text)):
      (try? JSON(Array(text.utf8)).value).map { $0.text == nil && $0.isSame(as: value) } ?? (text.isEmpty && value.saysNothing)
    case (.list(let values), .list(let others)):
      values.count == others.count && zip(values, others).allSatisfy { $0.isSame(as: $1) }
    case (.object(let members), .object(let others)):
      members.allSatisfy { $0.value.isSame(as: other[$0.name] ?? .null) }
        && others.allSatisfy { self[$0.name] != nil || $0.value.saysNothing }
    default: self == other || saysNothing && other.saysNothing || numeral.map { $0 == other.numeral } ?? false
    }
  }

  private var numeral: Numeral? {
    switch self {
    case .int(let int): Numeral(String(int))
    case .double(let double): Numeral("\(double)")
    case .decimal(let decimal): Numeral(decimal.description)
    case .null, .bool, .text, .list, .object: nil
    }
  }

  /// The value with what the members of another say in place of its own.
  fileprivate func taking(_ other: Value) -> Value {
    guard case .object(var members) = self, case .object(let others) = other else { return other }
    for other in others where !other.value.saysNothing {
      if let index = members.firstIndex(where: { $0.name == other.name }) {
        members[index].value = members[index].value.taking(other.value)
      } else {
        members.append(other)
      }
    }
    return .object(members)
  }
}
