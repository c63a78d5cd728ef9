/// What a source is called and what it promises about its pages.
public struct Profile: Sendable, Hashable {
  /// Who answers a kind of query.
  public enum Means: Sendable, Hashable {
    /// The source itself does.
    case native
    /// The walk does, by reading everything.
    case walk
  }

  /// A name no other source in the same process has; cursors and errors carry it.
  public var name: String
  /// The other sources inside it whose cursors it takes back: what stands in for it, say.
  var branches: Set<String> = []
  /// How its pages follow each other, and what ends them.
  public var paging: Paging
  /// Who searches.
  public var search: Means
  /// Who finds one record by its id.
  public var lookup: Means
  /// Whether it answers what changed since when, so that a second sync need not ask for everything.
  public var tellsChanges: Bool
  /// The names of what its service is asked for besides a place in the list, as ``Page/parameters`` has them: `why` tells them of a record.
  public var parameters: [String]

  /// What a source declares of itself; unless told, the walk over its pages searches and looks up.
  public init(
    _ name: String, paging: Paging, search: Means = .walk, lookup: Means = .walk, tellsChanges: Bool = false,
    parameters: [String] = []
  ) {
    self.name = name
    self.paging = paging
    self.search = search
    self.lookup = lookup
    self.tellsChanges = tellsChanges
    self.parameters = parameters
  }

  /// Whether a walk that `cursor` belongs to goes on here.
  func takes(_ cursor: Cursor) -> Bool { cursor.maker == name || branches.contains(cursor.maker) }

  /// The same source with `others` inside it, whose cursors come back here.
  public func holding(_ others: Profile...) -> Profile {
    var profile = self
    for other in others { profile.branches.formUnion(other.branches.union([other.name])) }
    return profile
  }
}
