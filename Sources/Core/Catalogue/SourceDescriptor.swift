/// A source for a command: a ``Source`` without the type of its records.
public struct SourceDescriptor: Sendable {
  /// The name that a person types, under which the records are stored.
  public let name: String
  /// One line about the source.
  public let summary: String
  /// The settings that the source reads; the first address among them is that of the service.
  public var settings: [Setting] { declareSettings() }
  /// The fields that a search looks at: "name or capital". Nil if the source cannot be searched.
  public internal(set) var searches: String?
  /// The most records of a search without a limit, for services that find nearly everything, best first.
  public internal(set) var mostFound: Int?
  /// A verb of its own for a random record.
  public internal(set) var pick: Pick?
  /// An example to try, for help.
  public internal(set) var sample: Sample?
  /// True when the list has no end: it grows as one asks, is stored, and people take records out of it.
  public internal(set) var isEndless = false
  /// A recording of its service that the source brings along, as an HTTP archive. `source verify` tries the source on it.
  public internal(set) var recording: (@Sendable () -> [UInt8])?
  /// The path of the file that describes the source; nil for a source in code.
  public private(set) var file: String?
  /// Returns the state of the login at the service; nil if the source needs none.
  package internal(set) var login: @Sendable (World) -> LoginState? = { _ in nil }
  /// Says whether the records have pictures, if that is known without reading the fields.
  var knownPictures: Bool?
  // Computed on request, because a start needs at most one source.
  var declareSettings: @Sendable () -> [Setting] = { [] }
  let describe: @Sendable () -> [FieldOutline]
  let describeKind: @Sendable () -> RecordKind
  var assemble: @Sendable (SourceDescriptor, World) throws -> any SourceSession

  /// An example to try a source with. Help shows it, and it is found without a service.
  public struct Sample: Sendable, Hashable {
    /// A text for which a search finds something.
    public let text: String
    /// The id of one record, or a name that it answers to.
    public let id: String
    /// The same for another record to compare with; nil if help has no example of a comparison.
    public let other: String?

    /// A search for `text`, and two records by `id` and `other`. All of them work offline.
    public init(text: String, id: String, other: String? = nil) {
      (self.text, self.id, self.other) = (text, id, other)
    }
  }

  /// A verb of the source that shows a random record.
  public struct Pick: Sendable, Hashable {
    /// The verb that a person types: `deal`.
    public let verb: String
    /// The title on a screen: `Deal of the Day`.
    public let title: String
    /// The description in help: `a random country`.
    public let summary: String

    /// A pick with a verb, a title and a description for help.
    public init(verb: String, title: String, summary: String = "a random record") {
      (self.verb, self.title, self.summary) = (verb, title, summary)
    }

    /// Returns one of the records, the same for the same seed in whatever order the service lists them; nil if `items` is empty.
    public func choose<Item: SourceItem>(among items: [Item], by dice: some Dice) -> Item? {
      items.isEmpty ? nil : items.sorted { $0.id < $1.id }[dice.index(below: items.count)]
    }
  }

  /// The descriptions of the records' fields.
  public var fields: [FieldOutline] { describe() }

  /// True when the records have pictures.
  public var hasPictures: Bool { knownPictures ?? fields.hasPictures }

  /// The description of the records for a store.
  public var kind: RecordKind { describeKind() }

  /// Opens the source in a world and returns the part that answers requests, with everything around it.
  public func source(in world: World) throws -> any DataSource { try open(in: world).answering }

  /// Opens the source in a world, with its parts.
  public func open(in world: World) throws -> any SourceSession { try assemble(self, world) }
}

extension SourceDescriptor {
  /// A source that `file` describes. `read` reads the file when somebody asks for the fields or opens the source.
  public init(
    _ name: String, _ summary: String, in file: String, settings: @escaping @Sendable () -> [Setting], searches: String?,
    isEndless: Bool, hasPictures: Bool, hasRecording: Bool, read: @escaping @Sendable () throws -> SourceDescriptor
  ) {
    let recording: @Sendable () -> [UInt8] = { (try? read())?.recording?() ?? [] }
    // If the file can no longer be read, opening the source says so.
    self.init(
      name: name, summary: summary, searches: searches, isEndless: isEndless, recording: hasRecording ? recording : nil,
      file: file, login: { world in (try? read())?.login(world) }, knownPictures: hasPictures, declareSettings: settings,
      describe: { (try? read())?.fields ?? [] }, describeKind: { (try? read())?.kind ?? RecordKind(name) },
      assemble: { descriptor, world in try read().assemble(descriptor, world) })
  }
}
