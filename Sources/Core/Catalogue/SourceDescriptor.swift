/// A source as a command or an app takes it: its name, what it declares, and how to make it.
public struct SourceDescriptor: Sendable {
  public let name: String
  /// One line about it.
  public let summary: String
  /// The settings it reads; the first address among them is where it lives.
  public let settings: [Setting]
  /// What a search looks at: "name or capital". Nil when it cannot be searched.
  public let searches: String?
  /// How many records a search gives at most where no limit is given: for services that find nearly everything, the best first.
  public let mostFound: Int?
  /// A verb of its own for a random record.
  public let pick: Pick?
  /// How its service gives pages; where nothing is said, its list has an end.
  private let paging: Paging?
  /// Whether its list has no end: it grows as one asks, is kept, and people take records out of it.
  public var isEndless: Bool { paging?.end == .never }
  /// A recording of its service that it brings along, as an HTTP archive: what `source verify` tries it on.
  public let recording: (@Sendable () -> [UInt8])?
  /// What its records are made of.
  public var fields: [FieldOutline] { describe() }
  /// Its records, as what keeps them knows them.
  public var kind: RecordKind { describeKind() }
  // Worked out when somebody asks: a start needs one source at most.
  private let describe: @Sendable () -> [FieldOutline]
  private let describeKind: @Sendable () -> RecordKind
  private let assemble: @Sendable (Surroundings) throws -> any OpenSource

  /// A random record, under a verb of its own.
  public struct Pick: Sendable, Hashable {
    public let verb: String
    public let title: String
    /// What help says of it: `a random country`.
    public let summary: String

    public init(verb: String, title: String, summary: String = "a random record") {
      self.verb = verb
      self.title = title
      self.summary = summary
    }

    /// One of the records; the same for the same seed, whatever order the service keeps.
    public func choose<Item: SourceItem>(among items: [Item], by dice: some Dice) -> Item? {
      items.isEmpty ? nil : items.sorted { $0.id < $1.id }[dice.index(below: items.count)]
    }
  }

  /// Describes a source whose records are those of a type.
  ///
  /// `live` makes the service's own source. Around it come, in this order: retries, the caller's deadline, the last good
  /// answer, and `bundled`, the records to fall back on in the end. `recording` is an HTTP archive of a few of its answers.
  public init<Live: DataSource>(
    _ name: String, _ summary: String, settings: [Setting] = [], searches: String? = nil,
    mostFound: Int? = nil, pick: Pick? = nil, paging: Paging? = nil,
    live: @escaping @Sendable (Surroundings) throws -> Live, bundled: (@Sendable () throws -> [Live.Item])? = nil,
    recording: (@Sendable () -> [UInt8])? = nil
  ) where Live.Item: Record {
    self.init(
      name, summary, of: Live.Item.schema, settings: settings, searches: searches, mostFound: mostFound, pick: pick, paging: paging,
      live: live, bundled: bundled, recording: recording)
  }

  /// Describes a source whose records are known by `schema` alone, which its own `schema` is as well.
  public init<Live: DataSource>(
    _ name: String, _ summary: String, of schema: @autoclosure @escaping @Sendable () -> Schema<Live.Item>, settings: [Setting] = [],
    searches: String? = nil, mostFound: Int? = nil, pick: Pick? = nil, paging: Paging? = nil,
    live: @escaping @Sendable (Surroundings) throws -> Live, bundled: (@Sendable () throws -> [Live.Item])? = nil,
    recording: (@Sendable () -> [UInt8])? = nil
  ) {
    self.name = name
    self.summary = summary
    self.settings = settings
    self.searches = searches
    self.mostFound = mostFound
    self.pick = pick
    self.paging = paging
    self.describe = { schema().outline }
    self.describeKind = { RecordKind(name, of: schema()) }
    self.recording = recording
    self.assemble = { surroundings in
      // Where nothing is sent no key can go astray.
      if surroundings.reach == .anywhere || surroundings.reach == .live { try surroundings.settings.refuseStrangers(among: settings) }
      let scope = settings.filter { $0.kind == .address }.compactMap { surroundings.settings[$0]?.scope }.joined(separator: " ")
      let live = try live(surroundings)
      guard (live.profile.paging.end == .never) == (paging?.end == .never) else {
        throw SourceError(
          .settings, "\(name) and its descriptor disagree on whether the list has an end", remedy: "give the descriptor the source's paging"
        )
      }
      let copy = bundled.map { Bundled(name, of: live.schema, records: $0) }
      return Assembly(name: name, live: live, bundled: copy, scope: scope).opened(in: surroundings)
    }
  }

  /// The source, with everything that wraps it.
  public func source(in surroundings: Surroundings) throws -> any DataSource {
    try open(in: surroundings).answering
  }

  /// The source and its parts, for callers that do more than ask.
  public func open(in surroundings: Surroundings) throws -> any OpenSource {
    try assemble(surroundings)
  }
}
