/// A source in one world: what it answers, the parts it is made of, and everything that can be done with it there.
public protocol OpenSource<Item>: Sendable {
  associatedtype Item: SourceItem

  /// What it declares.
  var descriptor: SourceDescriptor { get }
  var world: Surroundings { get }
  /// What its records are made of.
  var schema: Schema<Item> { get }
  /// What answers, from wherever the world allows.
  var answering: any DataSource<Item> { get }
  /// The service and nothing else.
  var live: any DataSource<Item> { get }
  /// The copy that is compiled in.
  var bundled: BundledRecords<Item>? { get }
  /// What is kept of it; nil where nothing is.
  var archive: Archive<Item>? { get }
}

extension OpenSource {
  public var name: String { descriptor.name }

  /// What is kept of it; an error in a world without a store.
  public var kept: Archive<Item> {
    get throws {
      guard let archive else { throw SourceError(.storage, "nothing keeps records") }
      return archive
    }
  }
}

struct OpenedSource<Item: SourceItem>: OpenSource {
  let descriptor: SourceDescriptor
  let world: Surroundings
  let schema: Schema<Item>
  let answering: any DataSource<Item>
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  let archive: Archive<Item>?
}
