/// A source as a command takes it: a ``Source`` without the type of its records.
public struct SourceDescriptor: Sendable {
  /// What a person types, and what its records are stored under.
  public let name: String
  /// One line about it.
  public let summary: String
  /// The settings it reads; the first address among them is where it lives.
  public var settings: [Setting] { declareSettings() }
  /// What a search looks at: "name or capital". Nil when it cannot be searched.
  public internal(set) var searches: String?
  /// How many records a search gives at most where no limit is given: for services that find nearly everything, the best first.
  public internal(set) var mostFound: Int?
  /// A verb of its own for a random record.
  public internal(set) var pick: Pick?
  /// What help shows to try.
  public internal(set) var sample: Sample?
  /// Whether its list has no end: it grows as one asks, is stored, and people take records out of it.
  public internal(set) var isEndless = false
  /// A recording of its service that it brings along, as an HTTP archive: what `source verify` tries it on.
  public internal(set) var recording: (@Sendable () -> [UInt8])?
  /// The path of the file that describes it; nil where it is compiled in.
  public private(set) var file: String?
  /// What is known about pictures without a look at its fields.
  var knownPictures: Bool?
  // Worked out when somebody asks: a start needs one source at most.
  var declareSettings: @Sendable () -> [Setting] = { [] }
  let describe: @Sendable () -> [FieldOutline]
  let describeKind: @Sendable () -> RecordKind
  var assemble: @Sendable (SourceDescriptor, World) throws -> any SourceSession

  /// Something to try a source with: help shows it, and it is found without a service.
  public struct Sample: Sendable, Hashable {
    /// What a search finds something for.
    public let text: String
    /// What one of the records is asked for by: its id, or a name that it answers to.
    public let id: String
    /// The same of another record, to compare that one with; nil where help has no example of a comparison.
    public let other: String?

    /// A search for `text`, and one record by `id`, another by `other`: all work offline.
    public init(text: String, id: String, other: String? = nil) {
      (self.text, self.id, self.other) = (text, id, other)
    }
  }

  /// A random record, under a verb of its own.
  public struct Pick: Sendable, Hashable {
    /// What a person types for it: `deal`.
    public let verb: String
    /// What a screen calls it: `Deal of the Day`.
    public let title: String
    /// What help says of it: `a random country`.
    public let summary: String

    /// A pick under `verb`, of which help says `summary`.
    public init(verb: String, title: String, summary: String = "a random record") {
      (self.verb, self.title, self.summary) = (verb, title, summary)
    }

    /// One of the records; the same for the same seed, whatever order the service keeps.
    public func choose<Item: SourceItem>(among items: [Item], by dice: some Dice) -> Item? {
      items.isEmpty ? nil : items.sorted { $0.id < $1.id }[dice.index(below: items.count)]
    }
  }

  /// What its records are made of.
  public var fields: [FieldOutline] { describe() }

  /// Whether its records have pictures.
  public var hasPictures: Bool { knownPictures ?? fields.hasPictures }

  /// Its records, as what keeps them knows them.
  public var kind: RecordKind { describeKind() }

  /// The source, with everything that wraps it.
  public func source(in world: World) throws -> any DataSource { try open(in: world).answering }

  /// The source and its parts, for callers that do more than ask.
  public func open(in world: World) throws -> any SourceSession { try assemble(self, world) }
}

extension SourceDescriptor {
  /// A source that `file` describes, which `read` reads once somebody asks for its fields or opens it.
  public init(
    _ name: String, _ summary: String, in file: String, settings: @escaping @Sendable () -> [Setting], searches: String?,
    isEndless: Bool, hasPictures: Bool, hasRecording: Bool, read: @escaping @Sendable () throws -> SourceDescriptor
  ) {
    let recording: @Sendable () -> [UInt8] = { (try? read())?.recording?() ?? [] }
    // What cannot be read any more says so when it is opened.
    self.init(
      name: name, summary: summary, searches: searches, isEndless: isEndless, recording: hasRecording ? recording : nil,
      file: file, knownPictures: hasPictures, declareSettings: settings,
      describe: { (try? read())?.fields ?? [] }, describeKind: { (try? read())?.kind ?? RecordKind(name) },
      assemble: { descriptor, world in try read().assemble(descriptor, world) })
  }
}
