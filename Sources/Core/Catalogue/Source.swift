/// A source as an app takes it, with the type of its records: its name, what it declares, and how to open it.
///
///     let countries = try Source<Country>.countries.open(in: world)
///     for try await country in Walk(countries.answering, .matching("fra")) { print(country.name) }
///
/// A command and a ``Catalogue`` take its ``descriptor``, which has lost the type.
public struct Source<Item: SourceItem>: Sendable {
  /// The source without the type of its records.
  public let descriptor: SourceDescriptor
  private let assemble: @Sendable (SourceDescriptor, World) throws -> SourceParts<Item>

  /// Declares a source whose records are those of a type.
  ///
  /// `live` makes the service's own source. Around it come, in this order: retries, the caller's deadline, the last good
  /// answer, and `bundled`, the records to fall back on in the end. `recording` is an HTTP archive of a few of its answers.
  public init<Live: DataSource<Item>>(
    _ name: String, _ summary: String, settings: [Setting] = [], searches: String? = nil, mostFound: Int? = nil,
    pick: SourceDescriptor.Pick? = nil, sample: SourceDescriptor.Sample? = nil, paging: Paging? = nil,
    live: @escaping @Sendable (World) throws -> Live,
    bundled: (@Sendable () throws -> [Item])? = nil, recording: (@Sendable () -> [UInt8])? = nil
  ) where Item: Record {
    self.init(
      name, summary, of: Item.schema, settings: settings, searches: searches, mostFound: mostFound, pick: pick, sample: sample,
      paging: paging, live: live, bundled: bundled, recording: recording)
  }

  /// Declares a source whose records are known by `schema` alone, which its own `schema` is as well. Where what is asked of
  /// an address may change, or how rows are read, `rules` say it: what is stored of one list is never taken for another.
  public init<Live: DataSource<Item>>(
    _ name: String, _ summary: String, of schema: @autoclosure @escaping @Sendable () -> Schema<Item>, settings: [Setting] = [],
    searches: String? = nil, mostFound: Int? = nil, pick: SourceDescriptor.Pick? = nil, sample: SourceDescriptor.Sample? = nil,
    paging: Paging? = nil, rules: ReadingRules = ReadingRules(),
    live: @escaping @Sendable (World) throws -> Live, bundled: (@Sendable () throws -> [Item])? = nil,
    recording: (@Sendable () -> [UInt8])? = nil
  ) {
    let assemble: @Sendable (SourceDescriptor, World) throws -> SourceParts<Item> = { descriptor, world in
      // Where nothing is sent no key can go astray.
      if world.asksService { try world.settings.refuseStrangers(among: settings) }
      // With other values of its settings, or another request, it is another list.
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
      // A key that may be left out tells accounts apart only where no other does.
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

  /// What it is called.
  public var name: String { descriptor.name }

  /// The settings that it reads.
  public var settings: [Setting] { descriptor.settings }

  /// What the source answers in one world.
  public func source(in world: World) throws -> any DataSource<Item> { try open(in: world).answering }

  /// The source in one world: what it answers there, and everything that can be done with it.
  public func open(in world: World) throws -> any SourceSession<Item> { try assemble(descriptor, world) }
}
