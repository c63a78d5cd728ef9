extension JSON {
  /// Returns the text of a string.
  public func asString() throws -> String {
    let node = node
    guard node.tag == .string else { throw mismatch("a string") }
    return tape.text(node)
  }

  /// Returns a number that is integral and fits, such as `12`, `12.0` or `1e3`. Also reads one from a string, since services send both.
  public func asInt() throws -> Int {
    guard let value = tape.integral(node) else { throw mismatch("an integer") }
    return value
  }

  /// Returns a number, rounded to the nearest double. Also reads a string that is a number by JSON's grammar.
  public func asDouble() throws -> Double {
    guard let value = tape.numeral(node) else { throw mismatch("a number") }
    return value
  }

  /// True for a number, or a text of one, with a digit other than zero before its exponent.
  @usableFromInline var hasNonzeroDigit: Bool {
    raw.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
  }

  /// Returns the value of `true` or `false`; throws for anything else, even if it might mean one of them.
  public func asBool() throws -> Bool {
    switch node.tag {
    case .true: return true
    case .false: return false
    default: throw mismatch("true or false")
    }
  }

  /// Returns true or false as services write them: `true`, 1, `"true"` and `"yes"` in any case, and their opposites.
  @usableFromInline func asYesOrNo() throws -> Bool {
    if kind == .bool { return try asBool() }
    switch tape.integral(node).map(String.init) ?? (try? asString().lowercased()) {
    case "1", "yes", "true": return true
    case "0", "no", "false": return false
    default: throw mismatch("true or false")
    }
  }

  /// True for null and for an empty text, which many services send for a missing value.
  @usableFromInline var saysNothing: Bool {
    let node = node
    return node.tag == .null || node.isEmptyText
  }

  /// Returns the elements of an array. Throws for any other value, unlike `elements`, which is empty then.
  public func asArray() throws -> Elements {
    guard node.tag == .array else { throw mismatch("an array") }
    return elements
  }

  @usableFromInline func checkObject() throws { if node.tag != .object { throw mismatch("an object") } }

  /// Returns the value itself if it is an object; throws otherwise.
  public func asObject() throws -> JSON {
    try checkObject()
    return self
  }

  /// Returns an object's member; throws if it is missing. `null` is a member.
  public func member(_ key: String) throws -> JSON {
    if let member = self[key] { return member }
    throw missing(key)
  }

  /// Returns a member that is a text.
  public func string(_ key: String) throws -> String {
    guard let found = tape.find(key, in: Int(index)) else { throw missing(key) }
    let node = tape[found]
    guard node.tag == .string else { throw mismatch(of: found, "a string") }
    return tape.text(node)
  }

  /// Returns a member as ``asInt()`` reads it.
  public func int(_ key: String) throws -> Int {
    guard let found = tape.find(key, in: Int(index)) else { throw missing(key) }
    guard let value = tape.integral(tape[found]) else { throw mismatch(of: found, "an integer") }
    return value
  }

  /// Returns a member that is `true` or `false`.
  public func bool(_ key: String) throws -> Bool { try member(key).asBool() }

  /// Returns the elements of a member that is an array.
  public func array(_ key: String) throws -> Elements { try member(key).asArray() }

  /// Returns a member that is an object.
  public func object(_ key: String) throws -> JSON { try member(key).asObject() }
}

/// Fields that a service may leave out: nil if the member is missing or `null`; throws if it has another type.
extension JSON {
  /// Returns a text; nil also for `""`.
  public func stringIfPresent(_ key: String) throws -> String? {
    guard let found = tape.find(key, in: Int(index)) else {
      try checkObject()
      return nil
    }
    let node = tape[found]
    guard node.tag == .string else {
      if node.tag == .null { return nil }
      throw mismatch(of: found, "a string or null")
    }
    return node.length == 0 ? nil : tape.text(node)
  }

  /// Returns a text, or a number as it is written, for services that write both. Nil also for `""`.
  public func stringOrNumberIfPresent(_ key: String) throws -> String? {
    guard let member = try present(key, orEmpty: true) else { return nil }
    switch member.kind {
    case .string: return try member.asString()
    case .number: return String(decoding: member.raw, as: UTF8.self)
    default: throw member.mismatch("a string, a number or null")
    }
  }

  /// Returns a member as ``asInt()`` reads it; nil also for `""`.
  public func intIfPresent(_ key: String) throws -> Int? {
    guard let found = try indexIfPresent(key, orEmpty: true) else { return nil }
    guard let value = tape.integral(tape[found]) else { throw mismatch(of: found, "an integer") }
    return value
  }

  /// Returns a member as ``asDouble()`` reads it; nil also for `""`.
  public func doubleIfPresent(_ key: String) throws -> Double? { try present(key, orEmpty: true)?.asDouble() }

  /// Returns the elements of a member that is an array; nil if it is missing or null.
  public func arrayIfPresent(_ key: String) throws -> Elements? { try present(key)?.asArray() }

  /// Returns a member that is an object; nil if it is missing or null.
  public func objectIfPresent(_ key: String) throws -> JSON? { try present(key)?.asObject() }

  private func present(_ key: String, orEmpty isEmptyMissing: Bool = false) throws -> JSON? {
    guard let found = try indexIfPresent(key, orEmpty: isEmptyMissing) else { return nil }
    return JSON(tape, found)
  }

  private func indexIfPresent(_ key: String, orEmpty isEmptyMissing: Bool) throws -> Int? {
    guard let found = tape.find(key, in: Int(index)) else {
      try checkObject()
      return nil
    }
    let node = tape[found]
    return node.tag == .null || isEmptyMissing && node.isEmptyText ? nil : found
  }

  /// Returns the error of the value at `found`. A view of that value where it is read would count references each time.
  @inline(never) private func mismatch(of found: Int, _ expected: StaticString) -> SourceError {
    JSON(tape, found).mismatch(expected)
  }
}
