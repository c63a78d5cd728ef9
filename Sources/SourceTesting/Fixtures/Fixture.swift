/// Recorded exchanges with one service, in the order in which they took place.
public struct Fixture: Sendable, Hashable {
  /// What it is called in messages: its file, usually.
  public var name: String
  public var exchanges: [Exchange]

  public init(_ name: String, exchanges: [Exchange] = []) {
    self.name = name
    self.exchanges = exchanges
  }
}
