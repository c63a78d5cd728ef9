/// A value that belongs to no document: a record's field gives one, and ``JSONWriter`` writes it.
public enum Value: Sendable, Hashable {
  /// Null, or a missing value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number, exact.
  case int(Int)
  /// A number, rounded to the nearest double.
  case double(Double)
  /// A decimal number, exact.
  case decimal(DecimalNumber)
  /// A text.
  case text(String)
  /// Values in order.
  case list([Value])
  /// Members in the order in which they are written. A value read from a document has each name once.
  case object([Member])
}

/// A name in an object, and its value.
public struct Member: Sendable, Hashable {
  /// The name. A document's names are told apart by their bytes.
  public var name: String
  /// The value of the member.
  public var value: Value

  /// A member of an object.
  @inlinable public init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

// Texts and names are equal only if their bytes are; a `String` also equals its other normal forms.
extension Value {
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.list(let left), .list(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension Member {
  public static func == (left: Member, right: Member) -> Bool {
    left.name.hasBytes(of: right.name) && left.value == right.value
  }
}

// Literals for documents in code: `["query": .text(text), "first": 10]`.
extension Value: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
  /// An object.
  public init(dictionaryLiteral members: (String, Value)...) { self = .object(members.map { Member(name: $0, value: $1) }) }
  /// A list.
  public init(arrayLiteral values: Value...) { self = .list(values) }
  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
  /// An integer.
  public init(integerLiteral int: Int) { self = .int(int) }
  /// A number, rounded to the nearest double.
  public init(floatLiteral double: Double) { self = .double(double) }
  /// True or false.
  public init(booleanLiteral bool: Bool) { self = .bool(bool) }
}

extension Value {
  /// An object of these members, without those that are nil.
  package static func object(leavingOutNil members: KeyValuePairs<String, Value?>) -> Value {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  package var list: [Value]? { if case .list(let values) = self { values } else { nil } }
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  package var text: String? { if case .text(let text) = self { text } else { nil } }

  /// True for null.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// An object's member; nil if it is missing or if this is not an object. Setting it to nil removes the member.
  public subscript(name: String) -> Value? {
    get { members?.last { $0.name == name }?.value }
    set {
      guard var members else { return }
      members.removeAll { $0.name == name }
      if let newValue { members.append(Member(name: name, value: newValue)) }
      self = .object(members)
    }
  }
}

extension JSON {
  /// A copy of this value and everything inside it. The last value of a repeated name counts. A number that an `Int` or a `Double` would
  /// write differently keeps its digits.
  public var value: Value {
    let node = node
    return switch node.tag {
    case .null: .null
    case .true: .bool(true)
    case .false: .bool(false)
    case .integer: tape.int(node).map(Value.int) ?? number
    case .fraction: number
    case .string, .key: .text(tape.text(node))
    case .array: .list(elements.map { $0.value })
    case .object: .object(distinctMembers)
    }
  }

  private var number: Value {
    let double = tape.double(node)
    let text = String(decoding: raw, as: UTF8.self)
    if double.description == text { return .double(double) }
    // A text keeps what is beyond every number here: an exponent of more than nine digits. Zero is zero with any exponent.
    return DecimalNumber(text).map(Value.decimal) ?? (double.isZero && !hasNonzeroDigit ? .double(double) : .text(text))
  }

  private var distinctMembers: [Member] {
    var distinct: [Member] = []
    // Names are the same when their bytes are; a `String` also equals its other normal forms.
    var indices: [[UInt8]: Int] = [:]
    for (name, part) in members {
      let value = part.value
      let isShort = distinct.count < 16
      let known = isShort ? distinct.firstIndex { $0.name.hasBytes(of: name) } : indices[Array(name.utf8)]
      if let known {
        distinct[known].value = value
        continue
      }
      distinct.append(Member(name: name, value: value))
      if distinct.count == 16 {
        for (index, member) in distinct.enumerated() { indices[Array(member.name.utf8)] = index }
      } else if !isShort {
        indices[Array(name.utf8)] = distinct.count - 1
      }
    }
    return distinct
  }
}
