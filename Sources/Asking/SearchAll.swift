public import AggregatorCore

/// The result of searching one of several sources, whatever the type of its records.
public struct SearchedSource: Concluded, Sendable {
  /// The name of the source.
  public let source: String
  /// The records, in the source's own order.
  public private(set) var found: [Found] = []
  /// The outcome of its search. After an error the verdict is `partial(failed)`, and no requirement counts as unmet.
  public var outcome: Outcome
  /// The reason why the source could not answer; nil if it answered.
  public let error: SourceError?
  /// True when the stored records of a complete sync were searched instead of the service.
  public fileprivate(set) var isStored = false
  /// Finds titles near the searched text among the records that the source has at hand.
  fileprivate var nearest: @Sendable () async -> NearestTitles = { NearestTitles() }

  /// True when more time would have given a whole answer, or one from the service.
  public var isLate: Bool {
    if case .partial(.deadline) = summary.verdict { return true }
    return (error ?? summary.origin?.reason)?.kind == .timedOut
  }

  /// True when the source may have more matching records: it failed, or its deadline or budget ended the search.
  fileprivate var isOpen: Bool {
    switch summary.verdict {
    case .partial(.failed), .partial(.deadline), .partial(.budget): true
    default: false
    }
  }

  /// Returns the result with only those records, in the source's order. A complete or unverifiable one
  /// becomes bounded if any are left out.
  fileprivate func limited(to some: [Found]) -> SearchedSource {
    guard some.count < found.count else { return self }
    var result = self
    result.found = some.sorted { $0.index.record < $1.index.record }
    result.outcome.summary.given = some.count
    if summary.verdict == .complete || summary.verdict == .unverifiable {
      (result.outcome.summary.verdict, result.outcome.summary.total) = (.bounded, summary.total ?? summary.given)
    }
    return result
  }
}

/// A record found by a search of several sources, with the texts that tell it from others.
public struct Found: Fielded, SourceItem {
  /// The name of the source that has it.
  public let source: String
  public let id: String
  /// The title of the record; nil if it has none.
  public let title: String?
  /// Further texts that tell it from others, with commas between them, such as its subtitle and badge; nil if it has none.
  public let about: String?
  /// The address of a page about it; nil if it has none.
  public let link: String?
  private let record: ShownRecord
  private let fields: [FieldOutline]
  /// Readers for the fields that a list shows.
  private let listed: [FieldRead]
  private let moment: Moment
  /// The fields that a person edited; nil if none were.
  private let edited: [FieldPath]?
  /// The index of its source among those that were asked, and its own among the records of that source.
  fileprivate let index: (source: Int, record: Int)
  /// The quality of the match; nil if only the service knows why the record matches.
  fileprivate let rank: MatchRank?
  /// Tells how the text names the record; nil if it does not name it. A closure, because only a search for a single record needs it.
  fileprivate let naming: @Sendable () -> Naming?

  /// The sort key among all records. Of records that match equally well, the first of each source come first, then the second of each.
  fileprivate var order: (Int, Int, Int) { (rank?.level ?? .max, index.record, index.source) }

  fileprivate init(
    _ record: ShownRecord, of source: OpenedSource, _ fields: [FieldOutline], _ listed: [FieldRead],
    at index: (source: Int, record: Int),
    edited: [FieldPath]?, _ rank: MatchRank?, naming: @escaping @Sendable () -> Naming?
  ) {
    let (id, moment) = (record.id, source.world.clock.now)
    func text(_ role: FieldRole) -> String? {
      let index = fields.firstIndex { $0.role == role }
      let text = index.map { record.value($0, at: moment).phrased(by: fields[$0].lineFormat) }
      return text?.isEmpty == true ? nil : text
    }
    let title = text(.title)
    var about = [FieldRole.subtitle, .qualifier, .badge].compactMap(text)
    if about.isEmpty {
      let told = fields.distinguishingValues(besides: source.idPath) { record.value($0, at: moment) }
      about = told.map { $0.text(labelled: $0.label ?? $0.leaf.path.text) }
    }
    about = about.filter { $0 != id && $0 != title }
    (self.source, self.id, self.title, link) = (source.name, id, title, text(.link))
    self.about = about.isEmpty ? nil : about.joined(separator: ", ")
    (self.record, self.fields, self.listed, self.moment, self.edited) = (record, fields, listed, moment, edited)
    (self.index, self.rank, self.naming) = (index, rank, naming)
  }

  /// The record with the fields of its own source, as a list shows them, and with the mark of edits if it has any.
  public var value: Value {
    var members = zip(listed, record.values(listed, at: moment)).map { Member(name: fields[$0.index].name, value: $1) }
    if let edited, !members.contains(where: { $0.name == Edit.mark }) {
      members.append(Member(name: Edit.mark, value: .list(edited.map { .text($0.text) })))
    }
    return .object(members)
  }

  /// The fields that records of every source share, in the order in which they are printed.
  public static let fields = [
    Field<Found>("source", .badge, width: .whole) { $0.source },
    Field<Found>("id", width: .whole) { $0.id },
    Field<Found>("title", .title) { $0.title },
    Field<Found>("about", .subtitle) { $0.about },
    Field<Found>("link", .link, width: .hidden) { $0.link },
  ]
}

extension Collection<SearchedSource> {
  /// Titles near the searched text from sources that found nothing, as far as their records are at hand.
  public var nearestTitles: NearestTitles {
    get async {
      let results = filter(\.found.isEmpty).sorted { $0.source < $1.source }
      return await withTaskGroup(of: (Int, NearestTitles).self) { group in
        for (index, result) in results.enumerated() { group.addTask { (index, await result.nearest()) } }
        let all = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        return all.sorted { $0.key < $1.key }.reduce(into: NearestTitles()) { $0.add($1.value) }
      }
    }
  }
}

/// Searched sources whose answers arrived together, by the indices of their sources among those that were asked.
public struct SearchedSources: Sendable {
  /// The result of each source, by its index.
  public var all: [Int: SearchedSource]
  /// The records of all results, best first.
  public fileprivate(set) var found: [Found] = []
}

/// A function that opens a source on other terms than those of the ask.
public typealias SourceOpener = @Sendable (SourceDescriptor) throws -> OpenedSource

/// News from a search of several sources while it runs.
public enum SearchNews: Sendable {
  /// The source at this index has answered. Its records follow together with those of other sources.
  case answered(Int)
  /// These sources have answered, and here are their records.
  case found(SearchedSources)
  /// The sources at these indices have not answered yet; their records follow.
  case waiting([Int])
}

extension Catalogue {
  /// Searches every searchable source for a text, each on the ask's terms, and tells the best records.
  ///
  /// A source with a complete sync answers from the store, unless the ask insists on the service. The others are asked, and have two
  /// seconds if the ask has no deadline. With a deadline, the records that arrive within `patience` are told together, and the rest as
  /// they arrive; without one, all are told together. The ask's limit applies to each source, and to all together unless `isLimited` is
  /// false. The search ends as soon as `isMet` returns true for a result.
  public func search(
    _ text: String, _ ask: Ask, in world: World, patience: Duration? = usualPatience, limitingAll isLimited: Bool = true,
    opening open: SourceOpener? = nil, until isMet: (SearchedSource) -> Bool = { _ in false },
    hearing hear: (SearchNews) async throws -> Void
  ) async throws {
    let sources = searchable
    var best = BestFound(limit: isLimited ? ask.limit : nil)
    let stored = try await storedSearches(text, ask, of: sources, in: world)
    for index in stored.keys.sorted() { try await hear(.answered(index)) }
    let waiting = Set(sources.indices).subtracting(stored.keys)
    guard !waiting.isEmpty, !stored.values.contains(where: isMet) else { return try await hear(.found(best.add(stored))) }
    let patience = ask.deadline == nil ? nil : patience
    try await withThrowingTaskGroup(of: (Int, SearchedSource)?.self) { group in
      for index in waiting.sorted() {
        group.addTask { (index, try await searched(text, ask, of: sources[index], at: index, in: world, open)) }
      }
      if let patience {
        group.addTask {
          try await world.clock.sleep(for: patience)
          return nil
        }
      }
      try await Self.tell(of: &group, waitingFor: waiting, after: stored, to: &best, until: isMet, hear)
      group.cancelAll()
    }
  }

  /// Tells results as they arrive. The first ones are told together with those in `early`, once all sources have answered, or once the
  /// time for them is over, which is an arrival without a result.
  private static func tell(
    of group: inout ThrowingTaskGroup<(Int, SearchedSource)?, any Error>, waitingFor all: Set<Int>,
    after early: [Int: SearchedSource], to best: inout BestFound, until isMet: (SearchedSource) -> Bool,
    _ hear: (SearchNews) async throws -> Void
  ) async throws {
    var (waiting, early) = (all, Optional(early))
    while !waiting.isEmpty, let arrival = try await group.next() {
      if let (index, result) = arrival {
        waiting.remove(index)
        try await hear(.answered(index))
        early?[index] = result
        if early == nil { try await hear(.found(best.add([index: result]))) }
        if isMet(result) { waiting = [] }
      }
      if let results = early, waiting.isEmpty || arrival == nil {
        early = nil
        try await hear(.found(best.add(results)))
        if !waiting.isEmpty { try await hear(.waiting(waiting.sorted())) }
      }
    }
  }

  /// The time to wait for the first answers; also the time for all of them if the ask has no deadline.
  public static var usualPatience: Duration { .seconds(2) }

  /// Searches the sources with a complete sync in the store, and returns their results by index; empty if the ask says where to look.
  private func storedSearches(
    _ text: String, _ ask: Ask, of sources: [SourceDescriptor], in world: World
  ) async throws -> [Int: SearchedSource] {
    guard ask.terms.reach == .anywhere, !ask.terms.isInsistent, world.store != nil else { return [:] }
    return try await withThrowingTaskGroup(of: (Int, SearchedSource?).self) { group in
      for (index, source) in sources.enumerated() where !source.isEndless {
        group.addTask { (index, try await storedSearch(text, ask, of: source, at: index, in: world)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// The sources that can be searched, in their order.
  public var searchable: [SourceDescriptor] { sources.filter { $0.searches != nil } }

  /// Finds the record that a text names, in the source where it matches best. Also returns what a person should know about the choice,
  /// and whether a complete sync had the record. If the text names no record, throws the error of a source that could not answer, or an
  /// error with the nearest titles.
  public func named(
    _ text: String, _ ask: Ask, in world: World, opening open: SourceOpener? = nil
  ) async throws -> (record: Found, notice: Notice?, isStored: Bool) {
    var ask = ask
    ask.limit = NameChoice.most
    var results = SearchedSources(all: [:])
    let isExact: (SearchedSource) -> Bool = { $0.found.contains { $0.naming() == .exact } }
    try await search(text, ask, in: world, patience: nil, limitingAll: false, opening: open, until: isExact) { news in
      if case .found(let found) = news { results = found }
    }
    let found = results.found
    guard let choice = NameChoice(among: found.map { ($0.rank?.level ?? .max, $0.naming()) }) else {
      let all = results.all.sorted { $0.key < $1.key }.map(\.value)
      if let error = SourceError.untold(text, by: all) { throw error }
      let matches = found.map { ($0.rank, $0.title) }
      var nearest = NearestTitles(of: matches, matching: text)
      if nearest.isEmpty { nearest = await results.all.values.nearestTitles }
      var error = SourceError.noSuchRecord(text, nearest, isFound: !found.isEmpty)
      let others = results.all.values.filter { !$0.isStored && $0.summary.origin.map { $0.kind != .live } ?? false }
        .map(\.source).sorted()
      if !others.isEmpty, ask.terms.reach != .offline {
        error.message += " (\(others.joined(separator: ", ")) answered from cached or bundled data)"
      }
      throw error
    }
    let record = found[choice.index]
    let isStored = results.all[found[choice.index].index.source]?.isStored ?? false
    let isEverything = results.all.values.allSatisfy { $0.error == nil && $0.summary.verdict != .bounded }
    let shown = "\(record.title.map { "\($0) (\(record.id))" } ?? record.id) of \(record.source)"
    return (record, choice.notice(of: text, showing: shown, among: isEverything ? "record" : nil), isStored)
  }
}

extension SourceError {
  /// Returns the error for a record that some sources do not have while others could not answer; nil if all could.
  fileprivate static func untold(_ name: String, by results: [SearchedSource]) -> SourceError? {
    let open = results.filter(\.isOpen)
    guard let first = open.first else { return nil }
    if open.count == results.count, let error = first.error { return error }
    let (late, failed) = (open.filter(\.isLate), open.filter { !$0.isLate })
    func names(_ results: [SearchedSource]) -> String { results.map(\.source).joined(separator: ", ") }
    var parts = ["no record of the \(results.count - open.count) sources that answered is called \"\(name)\""]
    if !late.isEmpty { parts.append("\(names(late)) did not answer in time") }
    if let error = failed.first?.error, failed.count == 1 {
      parts.append("\(copy(of: error) { $0.remedy = nil })")
    } else if !failed.isEmpty {
      parts.append("\(names(failed)) could not answer")
    }
    let kind = failed.first.map { $0.error?.kind ?? .unavailable } ?? .timedOut
    return SourceError(kind, parts.joined(separator: "; "), remedy: late.isEmpty ? nil : .lengthen("timeout"))
  }
}

extension Ask {
  /// Returns the ask for a text to one of several sources. Its deadline is two seconds away unless the ask has one.
  fileprivate func searching(_ text: String, in source: SourceDescriptor, of world: World) -> Ask {
    var ask = self
    (ask.source, ask.query) = (source.name, .matching(text))
    ask.deadline = deadline ?? world.clock.now + Catalogue.usualPatience
    return ask
  }
}

/// Searches the stored records of a source; nil if no complete sync of this list is stored, or if the store cannot be read.
private func storedSearch(
  _ text: String, _ ask: Ask, of source: SourceDescriptor, at index: Int, in world: World
) async throws -> SearchedSource? {
  var own = ask.searching(text, in: source, of: world)
  own.terms.reach = .offline
  do {
    let opened: OpenedSource = try source.open(own, in: world)
    guard try await opened.isStoredWhole else { return nil }
    return copy(of: try await opened.searched(text, own, at: index)) { $0.isStored = true }
  } catch is SourceError {
    return nil
  }
}

/// Searches one source for the text. An error of the source becomes a part of its result.
private func searched(
  _ text: String, _ ask: Ask, of source: SourceDescriptor, at index: Int, in world: World, _ open: SourceOpener?
) async throws -> SearchedSource {
  let own = ask.searching(text, in: source, of: world)
  do {
    return try await (open?(source) ?? source.open(own, in: world)).searched(text, own, at: index)
  } catch let error as SourceError {
    let error = error.advised(for: ask, of: source)
    let summary = copy(of: Summary()) { $0.verdict = .partial(.failed(error)) }
    return SearchedSource(source: source.name, outcome: copy(of: Outcome(summary, for: own)) { $0.unmet = [] }, error: error)
  }
}

extension SourceSession {
  /// True when a sync has stored records of this very list, whatever its end.
  var hasSync: Bool {
    get async throws {
      guard let archive, (try? await archive.isOutdated) == false else { return false }
      guard try await archive.lastSync() != nil else { return false }
      return try await world.store?.snapshot().census(of: descriptor.kind).count ?? 0 > 0
    }
  }

  /// True when the last sync of this very list was complete.
  var isStoredWhole: Bool {
    get async throws {
      guard let archive, try await archive.answeringSync()?.verdict == .complete else { return false }
      return try await !archive.isOutdated
    }
  }

  /// Searches this source for the text, as one of several: the one at that index.
  func searched(_ text: String, _ ask: Ask, at sourceIndex: Int) async throws -> SearchedSource {
    // Titles are looked for only if no source finds a record.
    var answer = answer(to: ask, suggestingTitles: false)
    var items: [Item] = []
    while let page = try await answer.nextPage() { items += page }
    let (fields, matcher, edited) = (fields, Matcher(text, in: schema), answer.summary.edited)
    let listed = fields.indices.filter { !fields[$0].isDetail }.map { FieldRead($0) }
    let found = zip(items, schema.shown(items)).enumerated().map { index, found in
      Found(
        found.1, of: self, fields, listed, at: (sourceIndex, index), edited: edited[found.1.id], matcher.rank(found.0),
        naming: { [item = found.0] in schema.naming(of: item, by: text) })
    }
    var result = SearchedSource(source: name, found: found, outcome: answer.outcome, error: nil)
    if found.isEmpty { result.nearest = { await self.nearestTitles(to: text) } }
    return result
  }
}

/// The best records that several sources have found; `limit` is how many are kept, nil for all.
struct BestFound {
  let limit: Int?
  private var best: [Found] = []

  init(limit: Int?) { self.limit = limit }

  /// Adds new results. Returns them with those of their records that are among the best so far. Each source is added once.
  mutating func add(_ results: [Int: SearchedSource]) -> SearchedSources {
    best += results.values.flatMap(\.found)
    best = Array(best.sorted { $0.order < $1.order }.prefix(limit ?? .max))
    let shown = best.filter { results[$0.index.source] != nil }
    let own = Dictionary(grouping: shown, by: \.index.source)
    let all = results.map { index, result in (index, result.limited(to: own[index] ?? [])) }
    return SearchedSources(all: Dictionary(uniqueKeysWithValues: all), found: shown)
  }
}
