import AggregatorCore

/// A gauge in the sea: where it stands and what it measured last.
public struct Gauge: Record {
  public let id: String
  public let name: String
  public let sea: String
  /// In metres; nil while the gauge is silent.
  public let level: Double?
  public let measuredAt: String?

  public static let fields: [Field<Gauge>] = [
    Field<Gauge>("id", width: .whole) { $0.id },
    Field<Gauge>("name", .title, searchable: true) { $0.name },
    Field<Gauge>("sea", .qualifier) { $0.sea },
    Field<Gauge>("level", width: .whole) { $0.level },
    Field<Gauge>("measuredAt") { $0.measuredAt },
  ]
}
