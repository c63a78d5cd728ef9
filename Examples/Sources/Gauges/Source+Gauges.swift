import AggregatorCore

extension SourceDescriptor {
  /// Tide gauges: a service with a key, whose pages lead on by a Link header that repeats the key.
  public static let gauges = Source(
    "gauges", "Tide gauges and what they measured last",
    settings: [.gaugesURL, .gaugesKey], searches: "name",
    live: { GaugesService(client: try $0.client(.gaugesURL, keys: [.query("api_key", .gaugesKey)])) }
  ).descriptor
}

extension Setting {
  public static let gaugesURL = Setting(
    "GAUGES_URL", .address, "where the service of the gauges is",
    default: "https://api.gauges.example/v1/")
  public static let gaugesKey = Setting("GAUGES_API_KEY", .secret, "the key to api.gauges.example")
}
