/// One thing that a request says: an item of its query, a value in its JSON body, a header, or a part of its path that has a name.
public struct Parameter: Sendable, Hashable {
  /// Where in a request it stands.
  public enum ParameterPlace: String, Sendable, Hashable {
    /// An item of the address.
    case query
    /// A value in the JSON body.
    case body
    /// A piece of the address's path.
    case path
    /// A header.
    case header
  }

  /// Where in a request it stands.
  public let place: ParameterPlace
  /// With dots where it lies deeper in a body.
  public let name: String

  /// The parameter of that name, at that place.
  public init(_ place: ParameterPlace, _ name: String) { (self.place, self.name) = (place, name) }
}

extension Parameter: CustomStringConvertible {
  public var description: String { "\(place.rawValue) \"\(name)\"" }
}
