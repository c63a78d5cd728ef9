package import AggregatorCore

/// The changes that syncs of several sources found, and what a reader should know about them.
package struct ChangesOfSeveral: Sendable {
  /// The changes, the latest first.
  package private(set) var changes: [FoundChange] = []
  /// The greatest number of changes that was asked for; nil for all.
  package private(set) var limit: Int?
  /// The moment since which changes were asked for; the epoch if none was given.
  package private(set) var since = Moment(nanoseconds: 0)
  package private(set) var notices: [String] = []
  /// The requirements that do not hold, each with its source.
  package private(set) var unmet: [String] = []
  /// The errors of sources that could not be read. Their changes are still to be asked for since the same moment.
  package private(set) var errors: [SourceError] = []
  /// Texts on the sources whose changes are not known, with what can be done about it.
  package private(set) var unknown: [(text: String, remedy: Remedy?)] = []
  /// True when changes of a source are missing.
  package private(set) var isPart = false
  /// The weakest verdict of the syncs that found the changes.
  package private(set) var verdict = Verdict.complete

  /// Reads the changes of these sources. Throws an error if none of them could be read.
  package init(
    of sources: [SourceDescriptor], in world: World, asking ask: (SourceDescriptor) throws -> (Ask, ChangesWishes)
  ) async throws {
    var answers: [ChangesAnswer] = []
    for source in sources {
      let (asked, wishes) = try ask(source)
      limit = asked.limit
      if case .moment(let moment) = wishes.since { since = moment }
      do {
        let answer = try await source.open(asked, in: world).changes(asked, wishes)
        answers.append(answer)
        notices += answer.notices.map { "\(source.name): \($0.text(of: source.name, at: world.clock.now))" }
        if let failure = answer.failing?.failure { notices.append("\(source.name): \(failure)") }
        if answer.isCut { notices.append("\(source.name): \(ChangesAnswer.cut)") }
        unmet += answer.unmet.map { "\(source.name): \($0)" }
      } catch let error as SourceError where sources.count > 1 {
        errors.append(error)
        var summary = Summary()
        summary.verdict = .partial(.failed(error))
        unmet += asked.requirements.shortfalls(of: summary).map { "\(source.name): \($0)" }
      }
    }
    if answers.isEmpty, let error = errors.first { throw error }
    (unknown, changes) = (answers.unknown, answers.merged)
    isPart = answers.contains(where: \.isCut) || answers.count < sources.count
    if !unknown.isEmpty { verdict = .unverifiable }
    for answer in answers where verdict.claimsMore(than: answer.verdict) { verdict = answer.verdict }
    if isPart { verdict = .partial(.recorded("changes of some lists are missing")) }
  }
}
