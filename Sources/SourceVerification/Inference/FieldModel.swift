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
    var order: [String] = []
    var values: [String: [Value]] = [:]
    for row in rows {
      for member in row.members ?? [] {
        if values[member.name] == nil { order.append(member.name) }
        values[member.name, default: []].append(member.value)
      }
    }
    return order.map { name in
      let all = values[name] ?? []
      return FieldModel(
        name: name, kind: all.map(Kind.init).reduce(.unknown) { $0.merged(with: $1) },
        isOptional: all.count < rows.count || all.contains(.null), hasBlanks: all.contains(.text("")))
    }
  }
}

extension FieldModel.Kind {
  fileprivate init(_ value: Value) {
    switch value {
    case .null: self = .unknown
    case .bool: self = .bool
    case .int: self = .int
    case .double: self = .number
    case .text(let text): self = text.isEmpty ? .unknown : Self.kind(of: text)
    case .list(let values): self = .array(values.map(Self.init).reduce(.unknown) { $0.merged(with: $1) })
    case .object: self = .object(FieldModel.fields(of: [value]))
    }
  }

  private static func kind(of text: String) -> Self {
    if CalendarDay(iso: text) != nil, text.utf8.count == 10 || [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(Array(text.utf8)[10]) {
      return .date
    }
    if WebAddress(text) != nil { return .url }
    let sides = text.split(separator: "@", omittingEmptySubsequences: false)
    if sides.count == 2, !sides[0].isEmpty, sides[1].contains("."), !text.contains(" "), !sides[1].hasSuffix(".") { return .email }
    return .string
  }

  /// What holds both: a number that is sometimes whole, a date that is sometimes no date.
  fileprivate func merged(with other: Self) -> Self {
    switch (self, other) {
    case _ where self == other: self
    case (.unknown, let kind), (let kind, .unknown): kind
    case (.int, .number), (.number, .int): .number
    case (.array(let one), .array(let two)): .array(one.merged(with: two))
    case (.object(let one), .object(let two)): .object(Self.merged(one, two))
    case _ where isText && other.isText: .string
    default: .mixed
    }
  }

  private var isText: Bool {
    switch self {
    case .string, .date, .url, .email: true
    default: false
    }
  }

  private static func merged(_ one: [FieldModel], _ two: [FieldModel]) -> [FieldModel] {
    let names = one.map(\.name) + two.map(\.name).filter { name in !one.contains { $0.name == name } }
    return names.map { name in
      let sides = [one, two].map { fields in fields.first { $0.name == name } }
      let known = sides.compactMap { $0 }
      return FieldModel(
        name: name, kind: known.map(\.kind).reduce(.unknown) { $0.merged(with: $1) },
        isOptional: known.count < 2 || known.contains(where: \.isOptional), hasBlanks: known.contains(where: \.hasBlanks))
    }
  }
}
