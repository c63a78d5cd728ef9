import AggregatorCore

/// One field of a service's rows, as all recorded rows have it.
public struct FieldModel: Sendable, Hashable {
  public indirect enum Kind: Sendable, Hashable {
    /// Nothing but null was recorded.
    case unknown
    case bool
    case int
    case number
    case string
    /// A text that is a date or a date and time by ISO 8601.
    case date
    case url
    case email
    case array(Kind)
    case object([FieldModel])
    /// Now this, now that.
    case mixed
  }

  public let name: String
  public let kind: Kind
  /// Whether a row leaves it out or says null.
  public let isOptional: Bool
  /// Whether a row says "" for nothing.
  public let hasBlanks: Bool

  static func fields(of rows: [Value]) -> [FieldModel] {
    rows.flatMap { $0.members ?? [] }.inGroups(by: \.name).map { name, members in
      let all = members.map(\.value)
      return FieldModel(
        name: name, kind: Kind(of: all), isOptional: all.count < rows.count || all.contains(.null),
        hasBlanks: all.contains(.text("")))
    }
  }
}

extension FieldModel.Kind {
  /// What holds all values: a number that is sometimes whole, a date that is sometimes no date. Null and "" say nothing.
  fileprivate init(of values: [Value]) {
    let values = values.filter { $0 != .null && $0 != .text("") }
    let lists = values.compactMap(\.list)
    let kinds = Set(values.map(Self.init(scalar:)))
    if values.isEmpty {
      self = .unknown
    } else if lists.count == values.count {
      self = .array(Self(of: lists.flatMap { $0 }))
    } else if values.allSatisfy({ $0.members != nil }) {
      self = .object(FieldModel.fields(of: values))
    } else if kinds.count == 1 {
      self = kinds.first ?? .mixed
    } else if kinds.isSubset(of: [.int, .number]) {
      self = .number
    } else {
      self = kinds.isSubset(of: [.string, .date, .url, .email]) ? .string : .mixed
    }
  }

  private init(scalar value: Value) {
    switch value {
    case .bool: self = .bool
    case .int: self = .int
    case .double: self = .number
    case .text(let text): self = Self.kind(of: text)
    case .null, .list, .object: self = .mixed
    }
  }

  private static func kind(of text: String) -> Self {
    if CalendarDay(iso: text) != nil,
      text.utf8.count == 10 || [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(Array(text.utf8)[10])
    {
      return .date
    }
    if WebAddress(text) != nil { return .url }
    let sides = text.split(separator: "@", omittingEmptySubsequences: false)
    if sides.count == 2, !sides[0].isEmpty, sides[1].contains("."), !text.contains(" "), !sides[1].hasSuffix(".") {
      return .email
    }
    return .string
  }
}
