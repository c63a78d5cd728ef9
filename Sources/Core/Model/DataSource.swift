/// A place records come from, one page at a time.
///
/// ```swift
/// struct PortsService: DataSource {
///   let profile = Profile("ports", paging: .offset(size: 50, end: .total))
///   let client: Client
///
///   func page(_ request: PageRequest) async throws -> Page<Port> {
///     let place = try request.place(in: self)
///     let body = try await client.json("ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
///     return try Page(of: self, rows: body.array("items"), total: body.int("total"))
///   }
/// }
/// ```
///
/// Everything else, from de-duplication to fallback, is done around it: by a `Walk`, and by combinators, each of which is a source again.
public protocol DataSource<Item>: Sendable, CustomStringConvertible {
  /// What a record of it is.
  associatedtype Item: SourceItem

  /// What it is called, and what it promises about its pages.
  var profile: Profile { get }
  /// What its records are made of; of a ``Record`` what the type says.
  var schema: Schema<Item> { get }

  /// The page that `request` asks for; throws `SourceError`, or `CancellationError` when cancelled.
  func page(_ request: PageRequest) async throws -> Page<Item>
}

extension DataSource {
  public var description: String { profile.name }
}

extension DataSource where Item: Record {
  public var schema: Schema<Item> { Item.schema }
}

/// A source around another: what it does not say itself, the other says. That is `any`, or five wrappers would be a deep type.
public protocol Wrapper<Item>: DataSource {
  /// The source inside.
  var upstream: any DataSource<Item> { get }
}

extension Wrapper {
  public var profile: Profile { upstream.profile }
  public var schema: Schema<Item> { upstream.schema }
  public var description: String { "\(upstream)" }

  public func page(_ request: PageRequest) async throws -> Page<Item> { try await upstream.page(request) }
}

extension Wrapper where Item: Record {
  public var schema: Schema<Item> { upstream.schema }
}

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
  /// Whether the list is that of the key's holder: with another key it is another list.
  public var isPersonal: Bool
  /// Whether it answers what changed since when, so that a second sync need not ask for everything.
  public var tellsChanges: Bool
  /// The names of what its service is asked for besides a place in the list, as ``Page/parameters`` has them: `why` tells them of a record.
  public var parameters: [String]

  /// What a source declares of itself; unless told, the walk over its pages searches and looks up.
  public init(
    _ name: String, paging: Paging, search: Means = .walk, lookup: Means = .walk, tellsChanges: Bool = false,
    personal isPersonal: Bool = false, parameters: [String] = []
  ) {
    (self.name, self.paging, self.search, self.lookup) = (name, paging, search, lookup)
    (self.tellsChanges, self.isPersonal, self.parameters) = (tellsChanges, isPersonal, parameters)
  }

  /// Whether a walk that `cursor` belongs to goes on here.
  func takes(_ cursor: Cursor) -> Bool { cursor.maker == name || branches.contains(cursor.maker) }

  /// The same source with `others` inside it, whose cursors come back here.
  public func holding(_ others: Profile...) -> Profile {
    changing(self) { for other in others { $0.branches.formUnion(other.branches.union([other.name])) } }
  }
}
