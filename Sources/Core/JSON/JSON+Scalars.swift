extension JSON {
  /// The text of a string.
  public func asString() throws -> String {
    let node = node
    guard node.tag == .string else { throw mismatch("a string") }
    return tape.text(node)
  }

  /// A number that is integral and fits, `12`, `12.0` or `1e3`; also a string that is such a number, `"12"`, since services
  /// send both.
  public func asInt() throws -> Int {
    guard let value = tape.integral(node) else { throw mismatch("an integer") }
    return value
  }

  /// A number, rounded to the nearest double; also a string that is a number by JSON's own grammar.
  public func asDouble() throws -> Double {
    guard let value = tape.numeral(node) else { throw mismatch("a number") }
    return value
  }

  public func asBool() throws -> Bool {
    switch node.tag {
    case .true: return true
    case .false: return false
    default: throw mismatch("true or false")
    }
  }

  /// The elements of an array; an error for anything else, which `elements` shows as empty.
  public func asArray() throws -> Elements {
    guard node.tag == .array else { throw mismatch("an array") }
    return elements
  }

  /// The value itself if it is an object.
  public func asObject() throws -> JSON {
    guard node.tag == .object else { throw mismatch("an object") }
    return self
  }
}
