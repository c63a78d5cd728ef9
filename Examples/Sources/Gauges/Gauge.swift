import AggregatorCore

/// A gauge in the sea: where it stands and what it measured last.
public struct Gauge: Record {
  public var id = ""
  public var name = ""
  public var sea = ""
  /// In metres; nil while the gauge is silent.
  public var level: Double?
  public var measuredAt: String?

  public static let fields: [Field<Gauge>] = [
    Field("id", \.id, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("sea", \.sea, .qualifier),
    Field("level", \.level, width: .whole),
    Field("measuredAt", \.measuredAt),
  ]

  public init() {}
}
