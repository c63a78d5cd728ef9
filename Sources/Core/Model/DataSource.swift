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
