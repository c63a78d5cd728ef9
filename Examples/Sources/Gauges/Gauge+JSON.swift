import AggregatorCore

extension Gauge {
  public init(_ row: JSON) throws {
    id = try row.string("id")
    name = try row.string("name")
    sea = try row.string("sea")
    level = try row.doubleIfPresent("level")
    measuredAt = try row.stringIfPresent("measuredAt")
  }
}
