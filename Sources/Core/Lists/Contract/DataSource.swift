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
/// Everything else, from removing duplicates to fallback, is done around a source: by a `Walk`, and by combinators, each a source again.
public protocol DataSource<Item>: Sendable, CustomStringConvertible {
  /// The type of the records.
  associatedtype Item: SourceItem

  /// The source's name, and what it promises about its pages.
  var profile: Profile { get }
  /// The description of the records. For a ``Record`` it comes from the type.
  var schema: Schema<Item> { get }

  /// Returns the page that `request` asks for. Throws `SourceError`, or `CancellationError` when cancelled.
  func page(_ request: PageRequest) async throws -> Page<Item>
}

extension DataSource {
  public var description: String { profile.name }
}

extension DataSource where Item: Record {
  public var schema: Schema<Item> { Item.schema }
}

/// A source around another source, which answers for everything that the wrapper does not define. The inner source is `any`, because five
/// wrappers would otherwise be one deeply nested type.
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

/// The name of a source, and what it promises about its pages.
public struct Profile: Sendable, Hashable {
  /// The part that answers a kind of query.
  public enum Answerer: Sendable, Hashable {
    /// The source itself answers.
    case native
    /// The walk answers, by reading every page.
    case walk
  }

  /// The name, unique within the process; cursors and errors carry it.
  public var name: String
  /// The names of the sources inside, such as stand-ins, whose cursors this source accepts.
  var branches: Set<String> = []
  /// True when another source may answer in place of this one.
  var hasStandIn = false
  /// The way from one page to the next, and the end of the list.
  public var paging: Paging
  /// The part that searches: the source, or the walk over its pages.
  public var search: Answerer
  /// The part that finds one record by its id.
  public var lookup: Answerer
  /// True when the list belongs to the holder of the key: another key gives another list.
  public var isPersonal: Bool
  /// True when the source can tell what changed since a moment, so that a second sync need not request everything.
  public var tellsChanges: Bool
  /// False when a place in the list is known only to the process that reads it, as with a program that prints its rows. An interrupted sync
  /// of such a list begins anew.
  package var continuesLater = true
  /// True when the ids of the records are only a guess, so that different records may have the same one.
  package var isKeyGuessed = false
  /// The field with the time of a record's last change, which is another one after each change; nil if no field tells it. A sync of changes
  /// knows by it a record that changed again, and so has moved in the list.
  package var changeField: String?
  /// True when a record that comes twice in one answer is a newer state of the first one, as in the output of a Singer tap.
  package var listsStates = false
  /// The names of the service's parameters other than the place in the list, as in ``Page/parameters``. `why` prints them for a record.
  public var parameters: [String]

  /// A source's description of itself. By default the walk searches and looks up records by reading the pages.
  public init(
    _ name: String, paging: Paging, search: Answerer = .walk, lookup: Answerer = .walk, tellsChanges: Bool = false,
    personal isPersonal: Bool = false, parameters: [String] = []
  ) {
    (self.name, self.paging, self.search, self.lookup) = (name, paging, search, lookup)
    (self.tellsChanges, self.isPersonal, self.parameters) = (tellsChanges, isPersonal, parameters)
  }

  /// True when the source answers the query itself, by what it declares. A bookmark is read by the source that made it alone, which no
  /// profile can tell.
  public func answers(_ query: Query) -> Bool {
    switch query {
    case .everything: true
    case .matching: search == .native
    case .record: lookup == .native
    case .changed, .latest: tellsChanges
    case .following: false
    }
  }

  /// True when `cursor` belongs to this source or to a source inside it.
  func takes(_ cursor: Cursor) -> Bool { cursor.maker == name || branches.contains(cursor.maker) }

  /// Returns the profile of the same source with `others` inside it, whose cursors it accepts.
  public func holding(_ others: Profile...) -> Profile {
    copy(of: self) { for other in others { $0.branches.formUnion(other.branches.union([other.name])) } }
  }

  func holding<Item>(_ sources: [any DataSource<Item>]) -> Profile {
    copy(of: self) { for source in sources { $0 = $0.holding(source.profile) } }
  }
}
