extension JSON {
  /// A copy of this value and all that it holds, free of the document.
  ///
  /// Of a repeated name the last value counts, in the first one's place. An integer too large for `Int` becomes a double.
  public var value: Value {
    // Not recursive, since a thread may have a small stack: the containers that are open wait here.
    var waiting: [Draft] = []
    var at = Int(index)
    while true {
      let node = tape[at]
      at += 1
      var done: Value
      switch node.tag {
      case .key:
        waiting[waiting.count - 1].names.append(tape.text(node))
        continue
      case .array, .object:
        waiting.append(Draft(node))
        guard at == Int(node.next) else { continue }
        done = waiting.removeLast().value
      default: done = tape.scalar(node)
      }
      while !waiting.isEmpty {
        waiting[waiting.count - 1].values.append(done)
        guard at == Int(waiting[waiting.count - 1].node.next) else { break }
        done = waiting.removeLast().value
      }
      if waiting.isEmpty { return done }
    }
  }
}

/// A container of which not all is there yet.
private struct Draft {
  let node: Node
  var names: [String] = []
  var values: [Value] = []

  init(_ node: Node) {
    self.node = node
    if node.tag == .array { values.reserveCapacity(Int(node.length)) }
  }

  var value: Value {
    guard node.tag == .object else { return .list(values) }
    var members: [Member] = []
    members.reserveCapacity(names.count)
    // Names are the same when their bytes are; a `String` also equals its other normal forms.
    var places: [[UInt8]: Int] = [:]
    for (name, value) in zip(names, values) {
      let known =
        names.count <= 16
        ? members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        : places.updateValue(members.count, forKey: Array(name.utf8))
      if let known {
        members[known].value = value
        if names.count > 16 { places[Array(name.utf8)] = known }
      } else {
        members.append(Member(name: name, value: value))
      }
    }
    return .object(members)
  }
}

extension Tape {
  fileprivate func scalar(_ node: Node) -> Value {
    switch node.tag {
    case .true: .bool(true)
    case .false: .bool(false)
    case .integer: int(node).map(Value.int) ?? .double(double(node))
    case .fraction: .double(double(node))
    case .string, .key: .text(text(node))
    case .null, .array, .object: .null
    }
  }
}
