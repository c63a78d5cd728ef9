extension DataSource {
  /// Returns this source with `other` as its stand-in, for errors that allow it. A walk that began on one of the two stays there.
  public func fallback(to other: some DataSource<Item>) -> Fallback<Item> { Fallback(self, to: [other]) }
}

/// A source with stand-ins, of which the first that can answer does.
public struct Fallback<Item: SourceItem>: DataSource {
  private let primary: any DataSource<Item>
  private let others: [any DataSource<Item>]
  private let patience: Duration?
  private let clock: any Timekeeper

  /// A source with stand-ins. A first page that takes longer than `patience` is given up if a stand-in has an answer.
  public init(
    _ primary: any DataSource<Item>, to others: [any DataSource<Item>], within patience: Duration? = nil,
    clock: any Timekeeper = SystemTime()
  ) { (self.primary, self.others, self.patience, self.clock) = (primary, others, patience, clock) }

  /// The profile of the primary, which also accepts the cursors of the stand-ins.
  public var profile: Profile { copy(of: primary.profile.holding(others)) { $0.hasStandIn = true } }
  public var schema: Schema<Item> { primary.schema }
  /// The primary with its stand-ins, except for its own cached answers.
  public var description: String {
    others.filter { "\($0)" != "\(primary.profile.name).cached" }.reduce("\(primary)") { "\($0).fallback(to: \($1))" }
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    if let cursor = request.cursor {
      let other = others.first { $0.profile.takes(cursor) }
      return if let other { try await page(of: other, request) } else { try await primary.page(request) }
    }
    if OriginDemand.current == .standIn {
      let skipped = SourceError(.timedOut, "the service was not waited for")
      // A stand-in may have stand-ins of its own; nothing insists on those.
      return try await OriginDemand.with(nil) { try await standIn(for: skipped, request) }
    }
    do {
      guard let patience, !clock.leaps, !OriginDemand.isForService else { return try await primary.page(request) }
      return try await patientPage(request, within: patience)
    } catch let error as SourceError where error.kind.mayFallBack {
      return try await standIn(for: error, request)
    }
  }

  /// Returns the primary's page. After `patience` a stand-in's page is returned if there is one, otherwise the primary's when it comes.
  private func patientPage(_ request: PageRequest, within patience: Duration) async throws -> Page<Item> {
    let attempts = request.attempts ?? Attempts()
    let asking = copy(of: request) { $0.attempts = attempts }
    return try await withThrowingTaskGroup(of: Page<Item>?.self) { race in
      race.addTask { try await primary.page(asking) }
      race.addTask {
        try await clock.sleep(for: patience)
        return nil
      }
      defer { race.cancelAll() }
      while let page = try await race.next() {
        if let page { return page }
        let late = attempts.trouble ?? SourceError(.timedOut, "no answer within \(patience.inWords)")
        if let page = try? await standIn(for: late, request) { return page }
      }
      throw CancellationError()
    }
  }

  /// Returns the page of a stand-in, which is asked only what it declares. The page of another service names its maker.
  private func page(of other: any DataSource<Item>, _ request: PageRequest) async throws -> Page<Item> {
    guard let request = request.asked(of: other.profile) else {
      throw SourceError(.unavailable, "it cannot answer such a question")
    }
    do {
      return copy(of: try await other.page(request)) { if $0.origin.kind == .live { $0.origin.maker = $0.maker.name } }
    } catch let error as SourceError where error.kind.mayFallBack && error.kind != .notStored {
      throw error.from(other.profile.name)
    }
  }

  private func standIn(for failure: SourceError, _ request: PageRequest) async throws -> Page<Item> {
    var failure = failure.from(primary.profile.name)
    let isUnstored = failure.kind == .notStored
    var storeTrouble = isUnstored ? failure.storeTrouble : nil
    for other in others {
      do {
        var page = try await page(of: other, request)
        if let storeTrouble { Event.emit(.storeFailed(storeTrouble)) }
        // The error that kept another stand-in from answering belongs to the reason.
        if let trouble = page.origin.reason, trouble.explains { failure.others.append(trouble.from(other.profile.name)) }
        // The remedy for the store was already told with its trouble.
        page.origin.reason = isUnstored ? storeTrouble.map { copy(of: $0) { $0.remedy = nil } } ?? failure : failure
        Event.emit(.fellBack(from: primary.profile.name, to: page.maker.name, failure))
        return page
      } catch let trouble as SourceError {
        // A doubt about whose list it is matters more than why the service does not answer.
        if trouble.kind == .settings { throw trouble }
        storeTrouble = storeTrouble ?? trouble.storeTrouble
        if trouble.explains, trouble.message != failure.message { failure.others.append(trouble.from(other.profile.name)) }
      }
    }
    if let storeTrouble {
      if isUnstored { throw storeTrouble }
      Event.emit(.storeFailed(storeTrouble))
    }
    throw failure
  }
}
