/// One value of a request: an item of its query, a value in its JSON body, a header, or a named part of its path.
public struct Parameter: Sendable, Hashable {
  /// The part of a request that holds a parameter.
  public enum ParameterLocation: String, Sendable, Hashable {
    /// An item of the address.
    case query
    /// A value in the JSON body.
    case body
    /// A piece of the address's path.
    case path
    /// A header.
    case header
  }

  /// The part of the request that holds it.
  public let location: ParameterLocation
  /// The name, with dots if the value is deeper inside a body.
  public let name: String

  /// A parameter with that location and name.
  public init(_ location: ParameterLocation, _ name: String) { (self.location, self.name) = (location, name) }
}

extension Parameter: CustomStringConvertible {
  public var description: String { "\(location.rawValue) \"\(name)\"" }
}
