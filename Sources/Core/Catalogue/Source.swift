/// A source with the type of its records, for an app: its name, its declarations, and how to open it.
///
///     let countries = try Source<Country>.countries.open(in: world)
///     for try await country in Walk(countries.answering, .matching("fra")) { print(country.name) }
///
/// A command and a ``Catalogue`` use its ``descriptor``, which does not have the type.
public struct Source<Item: SourceItem>: Sendable {
  /// The source without the type of its records.
  public private(set) var descriptor: SourceDescriptor
  private let assemble: @Sendable (SourceDescriptor, World) throws -> SourceParts<Item>

  /// Declares a source whose records are of a type with a static schema.
  ///
  /// `live` makes the source that asks the service. Retries and the caller's deadline are put around it. If the service does not answer,
  /// the last good answer, the stored records and at last `bundled` are tried. `recording` is an HTTP archive of some of its answers.
  public init<Live: DataSource<Item>>(
    _ name: String, _ summary: String, settings: [Setting] = [], searches: String? = nil, mostFound: Int? = nil,
    pick: SourceDescriptor.Pick? = nil, sample: SourceDescriptor.Sample? = nil, paging: Paging? = nil,
    live: @escaping @Sendable (World) throws -> Live,
    bundled: (@Sendable () throws -> RecordList<Item>)? = nil, recording: (@Sendable () -> [UInt8])? = nil
  ) where Item: Record {
    self.init(
      name, summary, of: Item.schema, settings: settings, searches: searches, mostFound: mostFound, pick: pick, sample: sample,
      paging: paging, live: live, bundled: bundled, recording: recording)
  }

  /// Declares a source whose records are known only by `schema`, which must also be the schema of the live source. If its requests or the
  /// reading of its rows may change, `rules` describe them, so that records stored of one list are never taken for another's.
  public init<Live: DataSource<Item>>(
    _ name: String, _ summary: String, of schema: @autoclosure @escaping @Sendable () -> Schema<Item>, settings: [Setting] = [],
    searches: String? = nil, mostFound: Int? = nil, pick: SourceDescriptor.Pick? = nil, sample: SourceDescriptor.Sample? = nil,
    paging: Paging? = nil, rules: ReadingRules = ReadingRules(),
    live: @escaping @Sendable (World) throws -> Live, bundled: (@Sendable () throws -> RecordList<Item>)? = nil,
    recording: (@Sendable () -> [UInt8])? = nil
  ) {
    let assemble: @Sendable (SourceDescriptor, World) throws -> SourceParts<Item> = { descriptor, world in
      // A key can reach a stranger only if something is sent.
      if world.asksService { try world.settings.refuseStrangers(among: settings) }
      // Other values of its settings, or another request, make another list.
      let values = settings.filter { $0.kind == .address || $0.kind == .text }.compactMap { world.settings[$0]?.scope }
      let live = try live(world)
      guard (live.profile.paging.end == .never) == (paging?.end == .never) else {
        throw SourceError(
          .settings, "\(name) and its descriptor disagree on whether the list has an end",
          remedy: "give the descriptor the source's paging"
        )
      }
      let copy = bundled.map { BundledRecords(name, of: live.schema, records: $0) }
      let own = settings.filter { $0.isSecret && !$0.rotates }
      // An optional key tells accounts apart only if no required one does.
      let needed = own.filter { !$0.isOptional }
      let keys = needed.isEmpty ? own : needed
      return Assembly(descriptor: descriptor, live: live, bundled: copy, values: values, rules: rules, keys: keys)
        .opened(in: world)
    }
    self.assemble = assemble
    descriptor = SourceDescriptor(
      name: name, summary: summary, searches: searches, mostFound: mostFound, pick: pick, sample: sample,
      isEndless: paging?.end == .never, recording: recording, declareSettings: { settings }, describe: { schema().outline },
      describeKind: { RecordKind(name, of: schema()) }, assemble: { try assemble($0, $1) })
  }

  /// Returns the source with the state of the login that its service wants.
  package func loggedIn(_ login: @escaping @Sendable (World) -> LoginState?) -> Source {
    copy(of: self) { $0.descriptor.login = login }
  }

  /// The name of the source.
  public var name: String { descriptor.name }

  /// The settings that the source reads.
  public var settings: [Setting] { descriptor.settings }

  /// Opens the source in a world and returns the part that answers requests.
  public func source(in world: World) throws -> any DataSource<Item> { try open(in: world).answering }

  /// Opens the source in a world, with everything that can be done with it there.
  public func open(in world: World) throws -> any SourceSession<Item> { try assemble(descriptor, world) }
}

extension SourceDescriptor {
  /// The descriptor of a source, whose type is given up. A program that only lists them starts faster than with ``Source/descriptor``.
  // The source is destroyed here, where its type is at hand. A caller would look it up among all conformances of the program.
  @inline(never) public init<Item>(_ source: Source<Item>) { self = source.descriptor }
}
