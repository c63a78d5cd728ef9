public import AggregatorCore

extension Ask {
  /// Reads what is asked of a source: each parameter of the verb by its name, and the subject of the verb as `text` or `id`.
  ///
  ///     guard let search = heroes.verbs.first(where: { $0.name == "search" }) else { return }
  ///     let ask = try Ask(search, of: heroes, reading: AskWords(query: "text=spider&limit=5"), at: world.clock.now)
  ///
  /// The limit is `usualLimit` if the words give none, and never above `mostRecords`. What only one verb wants is read apart, such as
  /// ``CountWishes/init(reading:of:)``. Mistakes in it are thrown here.
  public init(
    _ verb: Verb, of source: SourceDescriptor, reading words: AskWords, usualLimit: Int = 20, mostRecords: Int? = nil,
    at now: Moment
  ) throws(AskError) {
    try words.check(for: verb, of: source)
    self.init(try words.query(of: verb), of: source.name)
    deadline = try Parameter.timeout.duration(in: words).map { now + min($0, Deadline.left ?? $0) }
    requirements = try Parameter.require.meanings(in: words) { text throws(SourceError) in try Requirement.all(in: text) }
    // The fields of a source in a file are known only after the file is read.
    if [Parameter.where, .sort].contains(where: { words[$0] != nil }) {
      let leaves = verb.fields(of: source).leaves
      conditions = try Parameter.where.meanings(in: words) { text throws(SourceError) in
        [try RecordCondition(text, on: leaves, at: now)]
      }
      order = try Parameter.sort.meanings(in: words) { text throws(SourceError) in try RecordOrder.all(in: text, of: leaves) }
    }
    pages = try Parameter.pages.number(in: words)
    offset = try Parameter.offset.number(in: words) ?? 0
    sortsEverything = try Parameter.all.isSaid(in: words)
    if let pages = try Parameter.more.number(in: words) { list = .longer(byPages: pages) }
    if try Parameter.deleted.isSaid(in: words) { list = .deleted }
    try checkWishes(of: verb, in: words, of: source, at: now)
    let past = try Parameter.asOf.meanings(in: words) { text throws(SourceError) in [try Moment(past: text, at: now)] }.last
    limit = try words.limit(of: verb, usually: usualLimit, atMost: mostRecords)
    terms = try World.Terms(reading: words, for: verb, of: source)
    if let past { (terms.asOf, terms.reach) = (past, .offline) }
    // Tries that are repeated count too.
    if verb == .audit { terms.maxRequests = try AuditWishes(reading: words).requests }
    if let text = words[.cursor]?.last { start = try AnswerPlace(text, in: self).start }
  }
}

extension Ask {
  /// Reads what only this verb wants, so that its mistakes are found before anything is done.
  private func checkWishes(
    of verb: Verb, in words: AskWords, of source: SourceDescriptor, at now: Moment
  ) throws(AskError) {
    func takes(_ parameter: Parameter) -> Bool { verb.parameters.contains(parameter) }
    if takes(.by) || takes(.sum) { _ = try CountWishes(reading: words, of: source) }
    if takes(.requests) || takes(.seed) { _ = try AuditWishes(reading: words) }
    if takes(.full) { _ = try SyncWishes(reading: words) }
    if takes(.wait) { _ = try Parameter.wait.isSaid(in: words) }
    guard takes(.since) else { return }
    let changes = try ChangesWishes(reading: words, at: now)
    do throws(SourceError) { try ChangesChoice.check(self, changes) } catch { throw .unreadable(Parameter.since.name, error) }
  }
}

extension World.Terms {
  fileprivate init(reading words: AskWords, for verb: Verb, of source: SourceDescriptor) throws(AskError) {
    try self.init(reading: words)
    switch verb.partner {
    case .anyone: break
    case .store: reach = .offline
    case .service: reach = .live
    case .oneOfBoth: if reach == .anywhere, !source.isEndless { reach = .live }
    }
  }

  /// The age up to which a face for looking shows what is stored or cached, without a request.
  package static let freshAge = Duration.seconds(24 * 60 * 60)

  /// Reads the terms of an answer from words.
  public init(reading words: AskWords) throws(AskError) {
    self.init()
    maxAge = try Ask.Parameter.maxAge.duration(in: words) ?? .zero
    isInsistent = try Ask.Parameter.refresh.isSaid(in: words)
    isSameAccount = try Ask.Parameter.sameAccount.isSaid(in: words)
    maxRequests = try Ask.Parameter.maxRequests.number(in: words)
    if try Ask.Parameter.offline.isSaid(in: words) { reach = .offline }
    if try Ask.Parameter.live.isSaid(in: words) { reach = .live }
  }
}

extension AskWords {
  /// Throws for a parameter that is not among these, for one given twice that may be given once, and for one without its value. `others`
  /// are the names of parameters that only one face has.
  package func check(among known: [Ask.Parameter], beside others: [String] = []) throws(AskError) {
    for name in given.keys.sorted() {
      guard let parameter = known.first(where: { $0.name == name }) else {
        throw .unknown(Unknown("parameter", name, among: known.map(\.name) + others))
      }
      if !parameter.isRepeatable, given[name]?.count ?? 0 > 1 { throw .repeated(name) }
      // A flag may be a name alone; all other parameters need a value.
      if parameter.kind != .flag, given[name]?.isEmpty ?? true { throw .invalid(name, expected: parameter.expected) }
    }
  }

  /// The greatest number of values of one parameter, and of letters in each, that a client from outside may give.
  package static let mostValues = 16, mostLetters = 1000

  /// Throws for more values, or longer ones, than a client from outside may give. A place and a statement may be long.
  package func checkSizes() throws(AskError) {
    for (name, values) in given where ![Ask.Parameter.cursor, .statement].contains(where: { $0.name == name }) {
      if values.count > Self.mostValues { throw .invalid(name, expected: "at most \(Self.mostValues) values") }
      if values.contains(where: { $0.unicodeScalars.count > Self.mostLetters }) {
        throw .invalid(name, expected: "a text of at most \(Self.mostLetters) letters")
      }
    }
  }

  /// Throws for a parameter that the verb does not take from that source, for one given twice, and for two that exclude each other.
  fileprivate func check(for verb: Verb, of source: SourceDescriptor) throws(AskError) {
    let known = (verb.subjectParameters + verb.parameters).filter { $0.isOffered(by: source) }
    try check(among: known)
    func isSaid(_ parameter: Ask.Parameter) throws(AskError) -> Bool {
      parameter.kind == .flag ? try parameter.isSaid(in: self) : self[parameter] != nil
    }
    for conflict in Ask.Parameter.conflicts where known.contains(conflict.one) {
      var isExempt = false
      for other in conflict.unless where try isSaid(other) { isExempt = true }
      guard try isSaid(conflict.one), !isExempt else { continue }
      for other in conflict.others where try isSaid(other) { throw .conflict(conflict.one.name, other.name) }
    }
    for need in Ask.Parameter.needs where known.contains(need.one) {
      if try isSaid(need.one), try !isSaid(need.other) { throw .needs(need.one.name, need.other.name) }
    }
  }

  /// Reads the subject of a verb.
  fileprivate func query(of verb: Verb) throws(AskError) -> Query {
    func words(_ parameter: Ask.Parameter) throws(AskError) -> [String] {
      guard let words = self[parameter], words.contains(where: { !$0.isEmpty }) else { throw .missing(parameter.name) }
      return words
    }
    switch verb.subject {
    case .text:
      let text = try words(.text).joined(separator: " ")
      guard !text.trimmingSpaces.isEmpty else { throw .missing(Ask.Parameter.text.name) }
      return .matching(text)
    case .record, .records, .twoRecords:
      let ids = try words(.id)
      guard !ids.contains("") else { throw .missing(Ask.Parameter.id.name) }
      if verb.subject == .record, ids.count > 1 { throw .repeated(Ask.Parameter.id.name) }
      if verb.subject == .twoRecords, ids.count != 2 {
        throw .invalid(Ask.Parameter.id.name, expected: "the ids of two records")
      }
      return .record(ids[0])
    case .nothing: return self[.search]?.last.map { .matching($0) } ?? .everything
    }
  }

  /// Reads how many records are wanted; nil means all.
  fileprivate func limit(of verb: Verb, usually usual: Int, atMost most: Int?) throws(AskError) -> Int? {
    let isUnlimited = self[.pages] != nil || self[.by] != nil || !verb.parameters.contains(.limit)
    let isWhole = try Ask.Parameter.all.isSaid(in: self) || isUnlimited
    let limit = try Ask.Parameter.limit.number(in: self) ?? (isWhole ? nil : usual)
    guard let most else { return limit }
    if self[.limit] != nil, limit ?? 0 > most { throw .invalid(Ask.Parameter.limit.name, expected: "at most \(most)") }
    return min(limit ?? most, most)
  }
}

extension Verb {
  /// The parameters for the verb's subject and cursor, in faces that have only named parameters.
  public var subjectParameters: [Ask.Parameter] {
    switch subject {
    case .nothing: self == .list ? [.cursor] : []
    case .text: [.text, .cursor]
    case .record, .records, .twoRecords: [.id]
    }
  }
}
