public import AggregatorCore

/// An ask to one source: what to look for, how much of it, and on which terms.
///
///     var ask = Ask(.matching("spider"), of: "heroes")
///     ask.limit = 5
///     let source = try catalogue.open(ask, in: world)
public struct Ask: Sendable {
  /// The name of the source in a catalogue.
  public var source: String
  /// The records that are asked for: all of them, those that match a text, or one by its id.
  public var query: Query
  /// The list that is read.
  public var list = List.whole
  /// The greatest number of records; nil means all, or for a search as many as the source says that a search finds.
  public var limit: Int? = 20
  /// The greatest number of pages; nil means as many as needed.
  public var pages: Int?
  /// The number of records to leave out at the beginning.
  public var offset = 0
  /// The place where an earlier answer ended, and where this one continues; nil for the beginning.
  public var start: Start?
  /// The conditions that a record has to meet, all of them.
  public var conditions: [RecordCondition] = []
  /// The orders of the records; a later one decides only between records that are equal in the earlier ones.
  public var order: [RecordOrder] = []
  /// True when a long list may be read from its service only to sort it. Records at hand are always sorted as a whole, and so is a list
  /// of a thousand records, or of as many as are wanted. For a longer list the answer is an error of the kind `unsortable`.
  public var sortsEverything = false
  /// The requirements for the answer; ``Outcome/unmet`` has those that it does not meet.
  public var requirements: [Requirement] = []
  /// True when reading stops at a page that fails, so that a person can ask for that page again. Otherwise it goes past the page.
  package var stopsAtFailingPages = false
  /// The origins that the answer may have, and how old it may be.
  public var terms = World.Terms()
  /// The moment by which the answer has to end; nil for no limit.
  public var deadline: Moment?

  /// An ask for twenty records of any origin; everything else is set afterwards.
  public init(_ query: Query = .everything, of source: String) {
    self.query = query
    self.source = source
  }

  /// A list of a source.
  public enum List: Sendable, Hashable {
    /// The whole list, as it is.
    case whole
    /// An endless list, after that many further pages of it were fetched.
    case longer(byPages: Int)
    /// The deleted records, and no others.
    case deleted
    /// A part of a list that several processes read at once.
    case part(ListPart)

    /// The same list without further pages.
    package var present: List { if case .longer = self { .whole } else { self } }
  }
}

extension Catalogue {
  /// Opens the source that is asked, in a world of the ask's terms. Throws if the catalogue does not have it.
  public func open(_ ask: Ask, in world: World) throws -> OpenedSource {
    guard let source = self[ask.source] else {
      throw SourceError(Unknown("source", ask.source, among: sources.map(\.name)))
    }
    return try source.open(ask, in: world)
  }
}

extension SourceDescriptor {
  /// Opens the source in a world of the ask's terms.
  public func open(_ ask: Ask, in world: World) throws -> OpenedSource { try named { try open(in: world.on(ask.terms)) } }

  /// Opens the source on the terms of a face for looking, and returns the ask with these: what the last sync stored, or else what was cached
  /// within a day. An answer that was cached before that sync does not stand for it, although it may be more complete.
  package func openForLooking(_ ask: Ask, in world: World) async throws -> (ask: Ask, source: OpenedSource) {
    if try await world.store?.snapshot().census(of: kind).count ?? 0 > 0 {
      let stored = copy(of: ask) { ($0.terms.reach, $0.terms.prefersStored) = (.offline, true) }
      let source: OpenedSource = try open(stored, in: world)
      if try await source.hasSync { return (stored, source) }
    }
    let ask = copy(of: ask) { $0.terms.maxAge = World.Terms.freshAge }
    return (ask, try open(ask, in: world))
  }

  fileprivate func named<Opened>(_ open: () throws -> Opened) throws -> Opened {
    do {
      return try open()
    } catch let error as SourceError {
      throw error.from(name)
    }
  }
}

extension Source {
  /// Opens the source in a world of the ask's terms.
  public func open(_ ask: Ask, in world: World) throws -> any SourceSession<Item> {
    try descriptor.named { try open(in: world.on(ask.terms)) }
  }
}

extension SourceSession {
  /// Runs `work`, and gives its errors the name of the source and a remedy. Then notes a person's statement that the key has the same
  /// holder, since what `work` needs may be stored.
  package func advising<Result>(_ ask: Ask, _ work: () async throws -> Result) async throws -> Result {
    do {
      let result = try await work()
      if ask.terms.isSameAccount { try await archive?.keepAccount() }
      return result
    } catch let error as SourceError {
      throw error.advised(for: ask, of: descriptor)
    }
  }
}

extension SourceError {
  /// Returns this error with its source, and with a remedy if it has none of its own.
  public func advised(for ask: Ask, of source: SourceDescriptor) -> SourceError {
    var error = from(source.name)
    // A source in Swift has no file whose description could be checked.
    let isUseless = error.remedy == .checkDescription && source.file == nil
    if error.remedy == nil || isUseless { error.remedy = remedy(for: ask, of: source) }
    if error.remedy == .setKey { error.remedy = source.remedyOfNoKey }
    return error
  }

  private func remedy(for ask: Ask, of source: SourceDescriptor) -> Remedy? {
    switch kind {
    case .notFound: return source.remedyOfFinding
    case .notStored where ask.terms.prefersStored: return .omit("stored", "to ask the service")
    case .notStored where ask.terms.reach == .offline: return .omit("offline", "to ask the service")
    case .notStored: return ask.start == nil ? "try again later" : "begin the list again"
    case .timedOut where ask.deadline != nil: return .lengthen("timeout")
    case .refusedKey:
      return source.settings.first(where: \.isSecret).map { .set([$0.name], "to set another") } ?? .seeRequest
    case .throttled where retryAfter == nil: return "the service does not say for how long; try again in an hour"
    case .badRequest: return .seeRequest
    case .malformed, .truncated, .unavailable, .noSuchAddress, .unreachable, .noTransport, .interrupted, .timedOut, .throttled:
      if ask.terms.reach == .live { return .omit("live", "to use cached or bundled data") }
      // The address of a service that answers is right, and the message says when to ask again.
      if kind == .throttled || kind == .unavailable { return namedWait == nil ? "try again later" : nil }
      return source.settings.first { $0.kind == .address }.map { .check($0.name) }
    default: return nil
    }
  }
}

extension SourceDescriptor {
  /// The remedy for a record that does not exist: a way to find one.
  var remedyOfFinding: Remedy { .ask(searches == nil ? "list" : .init("search", "TEXT"), "to find one") }

  /// The remedy for a service that wants a key that was not sent: the source has a setting for it, or its file has to name one.
  fileprivate var remedyOfNoKey: Remedy? {
    settings.first(where: \.isSecret).map { .set([$0.name]) } ?? file.map { "name it under \"keys\" in \($0)" }
  }
}

extension Remedy {
  fileprivate static let seeRequest = Remedy.give(["explain"], "to see the request")
}

extension SourceSession {
  /// Splits what is asked for into parts for at most `count` readers, and returns their texts. Each text is
  /// that of the ``Ask/List/part(_:)`` of one reader.
  public func partitions(_ ask: Ask, count: Int) async throws -> [String] {
    var advised = ask
    advised.terms.reach = .anywhere
    return try await advising(advised) { try await listParts(of: ask.query, count: count, deadline: ask.deadline).map(\.text) }
  }
}
