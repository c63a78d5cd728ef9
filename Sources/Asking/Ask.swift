public import AggregatorCore

/// What somebody wants of one source: what to look for, how much of it, and on which terms.
///
///     var ask = Ask(.matching("spider"), of: "heroes")
///     ask.limit = 5
///     let source = try catalogue.open(ask, in: world)
public struct Ask: Sendable {
  /// The name under which a catalogue has it.
  public var source: String
  /// Which of its records: all of them, those that match a text, or one by its id.
  public var query: Query
  /// The most records; nil is all there are, or as many as the source says that a search finds.
  public var limit: Int? = 20
  /// The most pages; nil is as many as it takes.
  public var pages: Int?
  /// So many records at the beginning are left out.
  public var offset = 0
  /// Where an earlier answer ended: its ``Answer/cursor``.
  public var cursor: Cursor?
  /// The part of the list that is wanted, of one that several processes read at once.
  public var part: ListPart?
  /// What a record has to meet, each of them.
  public var conditions: [RecordCondition] = []
  /// By what the records are ordered, the first before the others.
  public var order: [RecordOrder] = []
  /// Whether a long list is read from its service to order it. What is at hand is ordered as a whole in any case, and so is a list of a
  /// thousand records, or of as many as are wanted; of a longer one the answer is an error of the kind `unsortable`.
  public var sortsEverything = false
  /// What the answer has to be; what it is not is in ``Answer/unmet``.
  public var requirements: [Requirement] = []
  /// Where the answer may come from, and how old it may be.
  public var terms = World.Terms()
  /// When it has to be there.
  public var deadline: Moment?
  /// Of a list that grows as one asks, how many pages are fetched before it is read.
  public var pagesToFetch = 0
  /// Whether titles that come near are looked for where nothing matches, and not only taken from what was read.
  public var suggestsTitles = true
  /// Whether it is about the records that were deleted, and no others.
  public var isAboutDeleted = false
  /// Repeats the choice of a record that was made with the same number; nil chooses anew.
  public var seed: Int?
  /// The beginning of the time whose changes are wanted.
  public var since = ChangesSince.ever
  /// Of a sync, whether everything is fetched, and not only what changed.
  public var isFull = false
  /// Of a sync, whether what is not listed is marked as gone even if that is most of the store.
  public var acceptsGone = false
  /// Of a sync, whether it waits where the service or another sync wants that.
  public var waits = false

  /// Twenty records, wherever they come from; everything else is set afterwards.
  public init(_ query: Query = .everything, of source: String) {
    self.query = query
    self.source = source
  }
}

extension Catalogue {
  /// The source that is asked, in a world of the ask's terms.
  public func open(_ ask: Ask, in world: World) throws -> OpenedSource {
    guard let source = self[ask.source] else {
      throw SourceError(Unknown("source", ask.source, among: sources.map(\.name)))
    }
    return try source.open(ask, in: world)
  }
}

extension SourceDescriptor {
  /// The source in a world of the ask's terms.
  public func open(_ ask: Ask, in world: World) throws -> OpenedSource { try named { try open(in: world.on(ask.terms)) } }

  fileprivate func named<Opened>(_ open: () throws -> Opened) throws -> Opened {
    do {
      return try open()
    } catch let error as SourceError {
      throw error.from(name)
    }
  }
}

extension Source {
  /// The source in a world of the ask's terms.
  public func open(_ ask: Ask, in world: World) throws -> any SourceSession<Item> {
    try descriptor.named { try open(in: world.on(ask.terms)) }
  }
}

extension SourceSession {
  /// What `work` gives, its errors with the source's name and with what can be done about them.
  func advising<Result>(_ ask: Ask, _ work: () async throws -> Result) async throws -> Result {
    do {
      return try await work()
    } catch let error as SourceError {
      throw error.advised(for: ask, of: descriptor)
    }
  }
}

extension SourceError {
  /// This error with its source, and with what can be done about it where it does not say so itself.
  public func advised(for ask: Ask, of source: SourceDescriptor) -> SourceError {
    var error = from(source.name)
    // One in Swift has no file that describes it.
    let isUseless = error.remedy == .checkDescription && source.file == nil
    if error.remedy == nil || isUseless { error.remedy = remedy(for: ask, of: source) }
    return error
  }

  private func remedy(for ask: Ask, of source: SourceDescriptor) -> Remedy? {
    switch kind {
    case .notFound: return source.remedyOfFinding
    case .notStored: return .omit("offline", "to ask the service")
    case .timedOut where ask.deadline != nil: return .lengthen("timeout")
    case .refusedKey: return source.settings.first(where: \.isSecret).map { .set([$0.name], "to set another") } ?? .check(nil)
    case .throttled where retryAfter == nil: return "the service does not say for how long; try again in an hour"
    case .badRequest: return .give(["explain"], "to see the request")
    case .malformed, .truncated, .unavailable, .noSuchAddress, .unreachable, .noTransport, .interrupted, .timedOut, .throttled:
      if ask.terms.reach == .live { return .omit("live", "to use cached or bundled data") }
      return source.settings.first { $0.kind == .address }.map { .check($0.name) }
    default: return nil
    }
  }
}

extension SourceDescriptor {
  /// How one of its records is found.
  var remedyOfFinding: Remedy { .ask(searches == nil ? "list" : .init("search", "TEXT"), "to find one") }
}

extension SourceSession {
  /// The texts of the parts that at most `count` readers read what is asked for in: each is the ``Ask/part`` of one of them.
  public func partitions(_ ask: Ask, count: Int) async throws -> [String] {
    var advised = ask
    advised.terms.reach = .anywhere
    return try await advising(advised) { try await listParts(of: ask.query, count: count, deadline: ask.deadline).map(\.text) }
  }
}
