extension Value {
  /// The value at `path`; nil if a part of the path is missing.
  public subscript(path: ValuePath) -> Value? {
    path.steps.reduce(Optional(self)) { value, step in
      switch step {
      case .member(let name): value?[name]
      case .element(let index):
        value?.list.flatMap { list in
          let position = index < 0 ? list.count.adding(index) : index
          return list.indices.contains(position) ? list[position] : nil
        }
      case .each: nil
      }
    }
  }

  /// Returns the same value with `new` at `path`. Missing objects on the way are made.
  public func setting(_ path: ValuePath, to new: Value) -> Value {
    guard let name = path.names.first else { return new }
    var members = members ?? []
    let rest = ValuePath(Array(path.names.dropFirst()))
    if let index = members.lastIndex(where: { $0.name == name }) {
      members[index].value = members[index].value.setting(rest, to: new)
    } else {
      members.append(Member(name: name, value: Value.object([]).setting(rest, to: new)))
    }
    return .object(members)
  }

  /// Makes a row from a member of an object, where each row is under its key: `{"key": "DK", "value": {…}}`.
  package init(keyed member: Member) {
    self = .object([Member(name: "key", value: .text(member.name)), Member(name: "value", value: member.value)])
  }

  /// The member of an object for such a row. A value that is not such a row gets a name made of its contents, which is always the same.
  package var keyed: Member {
    if let key = self["key"]?.text, let value = self["value"] { return Member(name: key, value: value) }
    // An empty object could be read as a row with only a key, so a list replaces it.
    let value: Value = self == .object([]) ? .list([]) : self
    return Member(name: "broken \(String(decoding: value.bytes, as: UTF8.self))", value: value)
  }

  /// A whole number, also one that is written as a text; nil for other values.
  package var int: Int? {
    switch self {
    case .int(let int): int
    case .double(let double): Int(exactly: double)
    case .decimal(let decimal): decimal.int
    case .text(let text): Int(text)
    default: nil
    }
  }

  /// A scalar as it is written in a query; nil for null, lists and objects.
  package var word: String? {
    switch self {
    case .null, .list, .object: nil
    default: plainText
    }
  }

  /// Every text in it.
  package var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap { $0.value.texts }
    default: []
    }
  }

  /// Returns every scalar with its path, down to `depth` objects below. Values in lists are left out.
  package func scalars(depth: Int, below path: ValuePath = ValuePath()) -> [(path: ValuePath, value: Value)] {
    switch self {
    case .object(let members):
      depth == 0 ? [] : members.flatMap { $0.value.scalars(depth: depth - 1, below: path.appending($0.name)) }
    case .list: []
    default: [(path, self)]
    }
  }
}

extension Sequence {
  /// Groups the elements by a key, in the order in which the keys first appear, so that equal input gives equal output.
  package func inGroups<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    var numbers: [Key: Int] = [:]
    var groups: [(key: Key, elements: [Element])] = []
    for element in self {
      let number = numbers[key(element), default: groups.count]
      if number == groups.count { groups.append((key(element), [])) }
      numbers[key(element)] = number
      groups[number].elements.append(element)
    }
    return groups
  }
}
