/// A source in one world, and the parts it is made of.
public protocol OpenSource<Item>: Sendable {
  associatedtype Item: SourceItem

  var name: String { get }
  /// What its records are made of.
  var schema: Schema<Item> { get }
  /// What answers a question, from wherever the world allows.
  var answering: any DataSource<Item> { get }
  /// The service and nothing else.
  var live: any DataSource<Item> { get }
  /// The copy that is compiled in.
  var bundled: Bundled<Item>? { get }
  /// What is kept of it; nil where nothing is.
  var archive: Archive<Item>? { get }
}

struct OpenedSource<Item: SourceItem>: OpenSource {
  let name: String
  let schema: Schema<Item>
  let answering: any DataSource<Item>
  let live: any DataSource<Item>
  let bundled: Bundled<Item>?
  let archive: Archive<Item>?
}
