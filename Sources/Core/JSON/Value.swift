/// A value of its own, held by no document: what a record's field yields and what ``JSONWriter`` writes.
public enum Value: Sendable, Hashable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case text(String)
  case list([Value])
  /// The members in the order in which they are written; no name occurs twice in what a document yields.
  case object([Member])
}

/// One name and its value in an object.
public struct Member: Sendable, Hashable {
  public var name: String
  public var value: Value

  @inlinable public init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

extension Value {
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// An object's member; nil when it is missing or when this is no object.
  public subscript(name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }
}
