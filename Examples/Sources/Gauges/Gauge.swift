import AggregatorCore

/// A gauge in the sea: its place, and its last measurement.
public struct Gauge: Record {
  public var id = ""
  public var name = ""
  public var sea = ""
  /// The level in metres; nil while the gauge sends nothing.
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
