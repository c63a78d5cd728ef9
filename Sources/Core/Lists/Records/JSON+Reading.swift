// Reading fields out of a row.
extension JSON {
  /// Returns the value at a path; nil if it or something on the way is missing or null. Throws if something on the way is not an object.
  public func value(at path: FieldPath) throws -> JSON? {
    if path.names.isEmpty { return self }
    let (holder, name) = try holder(of: path)
    return holder[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// Reads the value at a path as the type that the caller wants. Throws if it is missing, unless that type allows missing values.
  ///
  ///     let cents: Int = try row.read("price.amount")
  ///     let state: State? = try row.read("state")
  @inlinable public func read<Content: FieldValue>(_ path: FieldPath, as form: RowForm = .service) throws -> Content {
    if path.names.isEmpty { return try Content(self, as: form) }
    let (holder, name) = try holder(of: path)
    return try holder.read(member: name, as: form)
  }

  /// Reads a member as the type that the caller wants. This is half the time of reading a page. Therefore the types of most fields are read
  /// without a view, which would have to be reference-counted.
  @inlinable func read<Content: FieldValue>(member name: String, as form: RowForm) throws -> Content {
    if Content.self == String.self, let text = try string(name) as? Content { return text }
    if Content.self == String?.self, let text = try stringIfPresent(name) as? Content { return text }
    if Content.self == Int.self, let number = try int(name) as? Content { return number }
    if let index = memberIndex(of: name) {
      let member = JSON(tape: tape, index: index)
      if !member.isNull || Content.missing == nil { return try Content(member, as: form) }
    }
    guard let missing = Content.missing else { throw missing(name) }
    return missing
  }

  @usableFromInline func memberIndex(of name: String) -> Int32? {
    tape.find(name, in: Int(index)).map { Int32(truncatingIfNeeded: $0) }
  }

  /// Returns the object in which a path ends, and the member's name. If a member on the way is missing or null, returns the object that
  /// lacks it, and its name.
  @usableFromInline func holder(of path: FieldPath) throws -> (JSON, name: String) {
    let names = path.names
    // A view of each value on the way would have to be counted.
    var (holder, last) = (Int(index), 0)
    while last + 1 < names.count, let child = tape.find(names[last], in: holder), tape[child].tag != .null {
      (holder, last) = (child, last + 1)
    }
    let view = JSON(tape, holder)
    try view.checkObject()
    return (view, names.isEmpty ? "" : names[last])
  }
}
