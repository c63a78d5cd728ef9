import AggregatorCore

/// One field of a service's rows, as all recorded rows have it.
public struct FieldModel: Sendable, Hashable {
  /// What all recorded values have in common.
  public indirect enum Kind: Sendable, Hashable {
    /// Nothing but null was recorded.
    case unknown
    /// `true` or `false`.
    case bool
    /// Whole numbers.
    case int
    /// Numbers, some with a fraction.
    case number
    /// Texts of any kind.
    case string
    /// Texts that are absolute http or https addresses.
    case url
    /// Lists of one kind of value.
    case array(Kind)
    /// Objects, whose members are fields again.
    case object([FieldModel])
    /// Now this, now that.
    case mixed
  }

  /// As the service spells it.
  public let name: String
  /// What its values are.
  public let kind: Kind
  /// Whether a row leaves it out or says null.
  public let isOptional: Bool
  /// Whether it is in so many rows that it will be in all, or makes them themselves.
  public let isRequired: Bool
  /// Whether a row says "" for nothing.
  public let hasBlanks: Bool

  /// So many rows must have a field before all are taken to have it.
  private static let enough = 20

  /// The fields of rows; what `key` leads through is in each of them.
  static func fields(of rows: [Value], key: FieldPath? = nil) -> [FieldModel] {
    rows.flatMap { $0.members ?? [] }.inGroups(by: \.name).map { name, members in
      let all = members.map(\.value)
      let isOptional = all.count < rows.count || all.contains(.null)
      let inner = key.flatMap { $0.names.first == name ? FieldPath(Array($0.names.dropFirst())) : nil }
      return FieldModel(
        name: name, kind: Kind(of: all, key: inner), isOptional: isOptional,
        isRequired: !isOptional && (inner != nil || rows.count >= enough), hasBlanks: all.contains(.text("")))
    }
  }
}

extension FieldModel.Kind {
  /// What holds all values: a number that is sometimes whole, an address that is sometimes none. Null and "" say nothing.
  fileprivate init(of values: [Value], key: FieldPath? = nil) {
    let values = values.filter { $0 != .null && $0 != .text("") }
    let lists = values.compactMap(\.list)
    let kinds = Set(values.map(Self.init(scalar:)))
    if values.isEmpty {
      self = .unknown
    } else if lists.count == values.count {
      self = .array(Self(of: lists.flatMap { $0 }))
    } else if values.allSatisfy({ $0.members != nil }) {
      self = .object(FieldModel.fields(of: values, key: key))
    } else if kinds.count == 1 {
      self = kinds.first ?? .mixed
    } else if kinds.isSubset(of: [.int, .number]) {
      self = .number
    } else {
      self = kinds.isSubset(of: [.string, .url]) ? .string : .mixed
    }
  }

  private init(scalar value: Value) {
    switch value {
    case .bool: self = .bool
    case .int: self = .int
    case .double, .decimal: self = .number
    case .text(let text): self = WebAddress(text) == nil ? .string : .url
    case .null, .list, .object: self = .mixed
    }
  }
}
