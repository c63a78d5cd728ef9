/// A source around another: what it does not say itself, the other says.
///
/// The other is held as `any DataSource<Item>`, so that a source with five wrappers is of no deeper type than a source with one.
public protocol Wrapper<Item>: DataSource {
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
