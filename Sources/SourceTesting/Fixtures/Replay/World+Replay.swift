public import AggregatorCore

extension World {
  /// A world that consists of recordings: their answers, their time, and the same chance in every run.
  ///
  /// Nothing of this machine is read or written: budgets, hosts and kept answers begin empty.
  public init(replaying replay: Replay, settings: Settings) {
    self.init(settings: settings, transport: replay)
    reach = .replay
    clock = replay.clock
    dice = SeededDice(seed: 0)
  }
}

extension SourceDescriptor {
  /// The source over recordings, with a placeholder for each of its keys.
  ///
  /// - Parameter values: Settings that differ from their defaults: a base URL other than the usual one, where it was recorded there.
  public func source(replaying replay: Replay, _ values: [String: String] = [:]) throws -> any DataSource {
    let keys = settings.filter(\.isSecret).map { ($0.name, Scrubber.placeholder) }
    let settings = Settings(declared: settings, flags: values, environment: Dictionary(keys) { first, _ in first })
    return try source(in: World(replaying: replay, settings: settings))
  }
}
