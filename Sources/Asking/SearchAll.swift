public import AggregatorCore

/// What one of several sources found, whatever its records are made of.
public struct Finding: Sendable {
  /// The name of the source.
  public let source: String
  /// The records, as people tell them from others.
  public private(set) var records: [FoundRecord] = []
  /// The same as the source's own items.
  public private(set) var items: [Value] = []
  /// How its search ended; empty where it could not answer.
  public var summary = Summary()
  /// Why it could not answer.
  public let error: SourceError?
  /// True when a complete sync answered, and the service was not asked.
  public fileprivate(set) var isStored = false
  /// What was required and does not hold, for a person.
  public let unmet: [String]
  /// How well each matches; nil for what only the service can tell why it found it.
  fileprivate private(set) var ranks: [MatchRank?] = []
  /// How the text names each; nil where it does not. Only one who shows a single record asks.
  fileprivate private(set) var naming: @Sendable (_ index: Int) -> Naming? = { _ in nil }
  /// Reads what the source has at hand for titles that come near.
  fileprivate private(set) var nearest: @Sendable () async -> NearestTitles = { NearestTitles() }

  fileprivate init<Item>(_ found: [Item], _ text: String, _ answer: Answer<Item>, by source: some SourceSession<Item>) {
    let (schema, moment) = (source.schema, source.world.clock.now)
    let fields = schema.fields.filter { !$0.outline.isDetail }
    let matcher = Matcher(text, in: schema)
    self.source = source.name
    (summary, unmet, error) = (answer.summary, answer.unmet, nil)
    records = found.map { FoundRecord($0, of: schema, from: source.name, at: moment) }
    let marks = fields.contains { $0.name == EditedRecord.mark } ? [:] : summary.edited
    items = found.map { item in
      let mark = marks[item.id].map { Member(name: EditedRecord.mark, value: .list($0.map { .text($0.text) })) }
      return .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) } + [mark].compactMap(\.self))
    }
    ranks = found.map { matcher.rank($0) }
    naming = { schema.naming(of: found[$0], by: text) }
    if found.isEmpty { nearest = { await source.nearestTitles(to: text) } }
  }

  /// The finding of a source that could not answer.
  fileprivate init(_ error: SourceError, of source: String) {
    (self.source, self.error, unmet) = (source, error, [])
    summary.verdict = .partial(.failed(error))
  }

  /// True when it would have come whole, or from the service, with more time.
  public var isLate: Bool {
    if case .partial(.deadline) = summary.verdict { return true }
    return (error ?? summary.origin?.reason)?.kind == .timedOut
  }

  /// True when the source may have a record that it has not told: it failed, or it was not read to the end.
  fileprivate var isOpen: Bool {
    switch summary.verdict {
    case .partial(.failed), .partial(.deadline), .partial(.budget): true
    default: false
    }
  }

  /// The same with those records alone; what is left out bounds it.
  fileprivate func limited(to indices: Set<Int>) -> Finding {
    guard indices.count < records.count else { return self }
    var finding = self
    let left = indices.sorted()
    (finding.records, finding.items) = (left.map { records[$0] }, left.map { items[$0] })
    (finding.ranks, finding.naming) = (left.map { ranks[$0] }, { naming(left[$0]) })
    finding.summary.given = left.count
    if summary.verdict == .complete || summary.verdict == .unverifiable {
      (finding.summary.verdict, finding.summary.total) = (.bounded, summary.total ?? summary.given)
    }
    return finding
  }
}

/// A record of any source, by what a person tells it from others.
public struct FoundRecord: SourceItem {
  /// The name of the source that has it.
  public let source: String
  public let id: String
  /// What a person calls the record; nil where it has no title.
  public let title: String?
  /// What else tells it from others, with commas: its badge and subtitle, say; nil where there is nothing.
  public let about: String?
  /// The address of a page about it; nil where it names none.
  public let link: String?

  init<Item>(_ item: Item, of schema: Schema<Item>, from source: String, at moment: Moment) {
    func text(_ role: FieldRole) -> String? {
      schema.fields.first { $0.role == role }.map { $0.shown(of: item, at: moment).phrased(by: $0.outline.phrase) }.flatMap {
        $0.isEmpty ? nil : $0
      }
    }
    let title = text(.title)
    var about = [FieldRole.subtitle, .qualifier, .badge].compactMap(text)
    if about.isEmpty {
      about = schema.fields.tellingValues(of: item, besides: schema.idPath, at: moment).map { told in
        told.text(labelled: told.label ?? told.leaf.path.text)
      }
    }
    about = about.filter { $0 != item.id && $0 != title }
    self.source = source
    id = item.id
    self.title = title
    link = text(.link)
    self.about = about.isEmpty ? nil : about.joined(separator: ", ")
  }

  /// The same for records of every source, in the order in which they are printed.
  public static let fields = [
    Field<FoundRecord>("source", .badge, width: .whole) { $0.source },
    Field<FoundRecord>("id", width: .whole) { $0.id },
    Field<FoundRecord>("title", .title) { $0.title },
    Field<FoundRecord>("about", .subtitle) { $0.about },
    Field<FoundRecord>("link", .link, width: .hidden) { $0.link },
  ]
}

extension Collection<Finding> {
  /// The titles that come near in the sources that found nothing, as far as those have their records at hand.
  public var nearestTitles: NearestTitles {
    get async {
      let findings = filter(\.records.isEmpty).sorted { $0.source < $1.source }
      return await withTaskGroup(of: (Int, NearestTitles).self) { group in
        for (place, finding) in findings.enumerated() { group.addTask { (place, await finding.nearest()) } }
        let all = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        return all.sorted { $0.key < $1.key }.reduce(into: NearestTitles()) { $0.add($1.value) }
      }
    }
  }
}

/// Findings that came together, by their sources' places among those that were asked.
public struct Findings: Sendable {
  /// What each source found, by its place.
  public var all: [Int: Finding]
  /// The records in their common order, each as its source's place and its own among what that source has found.
  public fileprivate(set) var order: [(source: Int, index: Int)] = []
}

/// What opens a source otherwise than on the ask's terms.
public typealias SourceOpener = @Sendable (SourceDescriptor) throws -> any SourceSession

/// What happens while several sources search.
public enum SearchNews: Sendable {
  /// The source at that place has answered; what it has found comes later, with the others.
  case answered(Int)
  /// These have answered, with what they found.
  case found(Findings)
  /// These have not answered yet; what they find follows.
  case waiting([Int])
}

extension Catalogue {
  /// The best of what every searchable source has for a text, each on the ask's terms. A source with a complete sync answers from the store,
  /// unless the ask insists on the service. The others are asked, and have two seconds where the ask has no deadline: then it tells what came
  /// within `patience` together, and the rest as it comes. The ask's limit is that of each source, and of all together unless `isLimited` is
  /// false. It ends as soon as `isMet` is true of what a source has found.
  public func search(
    _ text: String, _ ask: Ask, in world: World, patience: Duration? = usualPatience, limitingAll isLimited: Bool = true,
    opening open: SourceOpener? = nil, until isMet: (Finding) -> Bool = { _ in false },
    hearing hear: (SearchNews) throws -> Void
  ) async throws {
    let sources = searchable
    var best = BestFindings(limit: isLimited ? ask.limit : nil)
    func tell(_ findings: [Int: Finding]) throws { try hear(.found(best.add(findings))) }
    let stored = try await storedFindings(text, ask, of: sources, in: world)
    var early: [Int: Finding]? = stored
    var waiting = Set(sources.indices).subtracting(stored.keys)
    for place in stored.keys.sorted() { try hear(.answered(place)) }
    guard !waiting.isEmpty, !stored.values.contains(where: isMet) else { return try tell(stored) }
    let patience = ask.deadline == nil ? nil : patience
    try await withThrowingTaskGroup(of: (Int, Finding)?.self) { group in
      for place in waiting.sorted() {
        group.addTask { (place, try await finding(text, ask, of: sources[place], in: world, open)) }
      }
      if let patience {
        group.addTask {
          try await world.clock.sleep(for: patience)
          return nil
        }
      }
      while !waiting.isEmpty, let arrival = try await group.next() {
        if let (place, finding) = arrival {
          waiting.remove(place)
          try hear(.answered(place))
          early?[place] = finding
          if early == nil { try tell([place: finding]) }
          if isMet(finding) { waiting = [] }
        }
        // All have come, or nobody waits any longer for the rest.
        if let findings = early, waiting.isEmpty || arrival == nil {
          early = nil
          try tell(findings)
          if !waiting.isEmpty { try hear(.waiting(waiting.sorted())) }
        }
      }
      group.cancelAll()
    }
  }

  /// How long the first answers are waited for, and all of them where nobody gives more time.
  public static var usualPatience: Duration { .seconds(2) }

  /// What the sources have found that a complete sync has stored, by their places.
  private func storedFindings(
    _ text: String, _ ask: Ask, of sources: [SourceDescriptor], in world: World
  ) async throws -> [Int: Finding] {
    guard ask.terms.reach == .anywhere, !ask.terms.isInsistent, world.store != nil else { return [:] }
    return try await withThrowingTaskGroup(of: (Int, Finding?).self) { group in
      for (place, source) in sources.enumerated() where !source.isEndless {
        group.addTask { (place, try await storedFinding(text, ask, of: source, in: world)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// The sources that can be searched, in their order.
  public var searchable: [SourceDescriptor] { sources.filter { $0.searches != nil } }

  /// The record that a text names, in whatever source it matches best, what a person should know about the choice, and whether a complete
  /// sync had it. Where the text names none, the error is that of a source that could not answer, or has the titles that come near.
  public func named(
    _ text: String, _ ask: Ask, in world: World, opening open: SourceOpener? = nil
  ) async throws -> (record: FoundRecord, notice: Notice?, isStored: Bool) {
    var ask = ask
    ask.limit = NameChoice.most
    var findings = Findings(all: [:])
    let isExact: (Finding) -> Bool = { finding in
      finding.records.indices.contains { finding.naming($0) == .exact }
    }
    try await search(text, ask, in: world, patience: nil, limitingAll: false, opening: open, until: isExact) { news in
      if case .found(let found) = news { findings = found }
    }
    let found = findings.order.compactMap { place in findings.all[place.source].map { ($0, place.index) } }
    let choice = NameChoice(among: found.map { finding, index in (finding.ranks[index]?.place ?? .max, finding.naming(index)) })
    guard let choice else {
      let all = findings.all.sorted { $0.key < $1.key }.map(\.value)
      if let error = SourceError.untold(text, by: all) { throw error }
      let matches = found.map { finding, index in (finding.ranks[index], finding.records[index].title) }
      var nearest = NearestTitles(of: matches, matching: text)
      if nearest.isEmpty { nearest = await findings.all.values.nearestTitles }
      var error = SourceError.noSuchRecord(text, nearest, isFound: !found.isEmpty)
      let others = findings.all.values.filter { !$0.isStored && $0.summary.origin.map { $0.kind != .live } ?? false }
        .map(\.source).sorted()
      if !others.isEmpty, ask.terms.reach != .offline {
        error.message += " (\(others.joined(separator: ", ")) answered from cached or bundled data)"
      }
      throw error
    }
    let (finding, index) = found[choice.place]
    let record = finding.records[index]
    let isEverything = findings.all.values.allSatisfy { $0.error == nil && $0.summary.verdict != .bounded }
    let shown = "\(record.title.map { "\($0) (\(record.id))" } ?? record.id) of \(record.source)"
    return (record, choice.notice(of: text, showing: shown, among: isEverything ? "record" : nil), finding.isStored)
  }
}

extension SourceError {
  /// Why nothing is known of a record that some sources do not have, where the others could not say; nil where all could.
  fileprivate static func untold(_ name: String, by findings: [Finding]) -> SourceError? {
    let open = findings.filter(\.isOpen)
    guard let first = open.first else { return nil }
    if open.count == findings.count, let error = first.error { return error }
    let (late, failed) = (open.filter(\.isLate), open.filter { !$0.isLate })
    func names(_ findings: [Finding]) -> String { findings.map(\.source).joined(separator: ", ") }
    var parts = ["no record of the \(findings.count - open.count) sources that answered is called \"\(name)\""]
    if !late.isEmpty { parts.append("\(names(late)) did not answer in time") }
    if let error = failed.first?.error, failed.count == 1 {
      parts.append("\(error)")
    } else if !failed.isEmpty {
      parts.append("\(names(failed)) could not answer")
    }
    let kind = failed.first.map { $0.error?.kind ?? .unavailable } ?? .timedOut
    return SourceError(kind, parts.joined(separator: "; "), remedy: late.isEmpty ? nil : .lengthen("timeout"))
  }
}

extension Ask {
  /// The same ask for a text to one of several sources, which has two seconds unless the ask says otherwise.
  fileprivate func searching(_ text: String, in source: SourceDescriptor, of world: World) -> Ask {
    var ask = self
    (ask.source, ask.query) = (source.name, .matching(text))
    ask.deadline = deadline ?? world.clock.now + Catalogue.usualPatience
    ask.suggestsTitles = false
    return ask
  }
}

/// What the store has for the text; nil where no complete sync of this list is stored, or where it cannot be read.
private func storedFinding(
  _ text: String, _ ask: Ask, of source: SourceDescriptor, in world: World
) async throws -> Finding? {
  var own = ask.searching(text, in: source, of: world)
  own.terms.reach = .offline
  do {
    let session: any SourceSession = try source.open(own, in: world)
    guard try await session.isStoredWhole else { return nil }
    var found = try await finding(text, own, session)
    found.isStored = true
    return found
  } catch is SourceError {
    return nil
  }
}

extension SourceSession {
  /// True when the last sync of this very list was complete.
  var isStoredWhole: Bool {
    get async throws {
      guard let archive, try await archive.lastSync()?.verdict == .complete else { return false }
      return try await !archive.isOutdated
    }
  }
}

/// What one source has for the text.
private func finding(
  _ text: String, _ ask: Ask, of source: SourceDescriptor, in world: World, _ open: SourceOpener?
) async throws -> Finding {
  let own = ask.searching(text, in: source, of: world)
  do {
    let session: any SourceSession = try open?(source) ?? source.open(own, in: world)
    return try await finding(text, own, session)
  } catch let error as SourceError {
    return Finding(error.advised(for: ask, of: source), of: source.name)
  }
}

private func finding<Item>(_ text: String, _ ask: Ask, _ source: some SourceSession<Item>) async throws -> Finding {
  var answer = source.answer(to: ask)
  var found: [Item] = []
  while let page = try await answer.nextPage() { found += page }
  return Finding(found, text, answer, by: source)
}

/// The best of what several sources have found, at most so many: where they match alike, the best of each source first, then the second.
struct BestFindings {
  let limit: Int?
  private var best: [(rank: Int, index: Int, source: Int)] = []

  init(limit: Int?) { self.limit = limit }

  /// Of findings that came now, what is among the best of all so far; each source comes once.
  mutating func add(_ findings: [Int: Finding]) -> Findings {
    for (source, finding) in findings {
      best += finding.ranks.enumerated().map { ($0.element?.place ?? .max, $0.offset, source) }
    }
    best = Array(best.sorted(by: <).prefix(limit ?? .max))
    let shown = best.filter { findings[$0.source] != nil }
    let indices = Dictionary(grouping: shown, by: \.source).mapValues { Set($0.map(\.index)) }
    let left = Dictionary(uniqueKeysWithValues: findings.map { ($0.key, $0.value.limited(to: indices[$0.key] ?? [])) })
    return Findings(
      all: left, order: shown.map { place in (place.source, (indices[place.source] ?? []).count { $0 < place.index }) })
  }
}
