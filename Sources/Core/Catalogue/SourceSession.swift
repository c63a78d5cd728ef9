/// A source in one world: what it answers, the parts it is made of, and everything that can be done with it there.
public protocol SourceSession<Item>: Sendable {
  /// What its records are.
  associatedtype Item: SourceItem

  /// What it declares.
  var descriptor: SourceDescriptor { get }
  /// What it may use: its service, its store, its time.
  var world: World { get }
  /// What its records are made of.
  var schema: Schema<Item> { get }
  /// What answers, from wherever the world allows.
  var answering: any DataSource<Item> { get }
  /// The service and nothing else.
  var live: any DataSource<Item> { get }
  /// The copy that is compiled in.
  var bundled: BundledRecords<Item>? { get }
  /// What is stored of it; nil where nothing is.
  var archive: Archive<Item>? { get }
}

extension SourceSession {
  /// The name under which the catalogue has it.
  public var name: String { descriptor.name }

  /// What is stored of it; an error in a world without a store.
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
  /// This source by itself, opened as it is: nothing is around it, nothing stands in for it, and nothing is stored.
  public func opened(clock: any Timekeeper = SystemTime()) -> any SourceSession<Item> {
    let network = SilentTransport(error: SourceError(.noTransport, "there is no network here"))
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
