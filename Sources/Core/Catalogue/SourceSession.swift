/// A source in one world: the source that answers, its parts, and everything that can be done with it there.
public protocol SourceSession<Item>: Sendable {
  /// The type of the records.
  associatedtype Item: SourceItem

  /// The source's declarations.
  var descriptor: SourceDescriptor { get }
  /// The world it is opened in: its service, its store, its time.
  var world: World { get }
  /// The description of the records.
  var schema: Schema<Item> { get }
  /// The source that answers, from wherever the world allows.
  var answering: any DataSource<Item> { get }
  /// The source that asks only the service.
  var live: any DataSource<Item> { get }
  /// The compiled-in copy.
  var bundled: BundledRecords<Item>? { get }
  /// The stored records of the source; nil without a store.
  var archive: Archive<Item>? { get }
}

extension SourceSession {
  /// The name of the source in the catalogue.
  public var name: String { descriptor.name }

  /// The stored records of the source; throws in a world without a store.
  public var stored: Archive<Item> {
    get throws {
      guard let archive else { throw SourceError(.storage, "nothing keeps records") }
      return archive
    }
  }
}

struct SourceParts<Item: SourceItem>: SourceSession {
  let descriptor: SourceDescriptor
  let world: World
  let schema: Schema<Item>
  let answering: any DataSource<Item>
  let live: any DataSource<Item>
  let bundled: BundledRecords<Item>?
  let archive: Archive<Item>?
}

extension DataSource {
  /// Opens this source alone, as it is: without wrappers, stand-ins or a store.
  public func opened(clock: any Timekeeper = SystemTime()) -> any SourceSession<Item> {
    let network = SilentTransport(error: SourceError(.noTransport, "this world has no network"))
    var world = World(settings: Settings(declared: []), transport: network)
    (world.clock, world.terms.reach) = (clock, .live)
    let (name, schema) = (profile.name, schema)
    let descriptor = SourceDescriptor(
      name: name, summary: "", searches: "everything", isEndless: profile.paging.end == .never, describe: { schema.outline },
      describeKind: { RecordKind(name, of: schema) }, assemble: { _, _ in self.opened(clock: clock) })
    return SourceParts(
      descriptor: descriptor, world: world, schema: schema, answering: self, live: self, bundled: nil, archive: nil)
  }
}
