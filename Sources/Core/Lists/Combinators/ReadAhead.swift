import Synchronization

extension DataSource {
  /// Returns this source with its next pages requested while earlier ones are read and stored, for a walk to the end. `clock` measures how
  /// long the service takes for a page.
  public func readAhead(clock: any Timekeeper = SystemTime()) -> ReadAhead<Item> { ReadAhead(self, clock) }
}

/// A source that requests a page before its walk does.
///
/// The next page is requested as soon as a page has come that tells its place. In a list by offset with a total, pages after the pending one
/// are requested too: one after two full pages in a row, and with more full pages up to three, so that four requests are under way. These
/// are guesses, which are dropped if the pending page is shorter or fails. A failed guess counts only if the walk gets there. After any
/// failure nothing is guessed until pages are full again. A service that takes long for a page gets one guess at most.
public final class ReadAhead<Item: SourceItem>: Wrapper {
  private typealias PendingPage = (task: Task<Page<Item>, any Error>, attempts: Attempts)

  /// The pages that were requested ahead, and the facts that allow a guess.
  private struct State {
    var pending: [PageRequest: PendingPage] = [:]
    /// The number of pages in a row that were full and came without trouble.
    var fullPages = 0
    /// True when the last page took long. Then more requests at once would make the service slower still.
    var isSlow = false
    var total: Int?
    /// The source that made the last page, which may be a stand-in with pages of its own; nil before the first one.
    var maker: Profile?
    var firstPage: (request: PageRequest, page: Page<Item>)?
  }

  public let upstream: any DataSource<Item>
  private let clock: any Timekeeper
  private let state = Mutex(State())

  /// The most pages that are requested before their places are known.
  private static var mostGuesses: Int { 3 }
  /// The time after which a page has taken long, the wait for its budget included.
  private static var slow: Duration { .milliseconds(500) }

  init(_ upstream: some DataSource<Item>, _ clock: any Timekeeper) { (self.upstream, self.clock) = (upstream, clock) }

  deinit { drop() }

  public var description: String { "\(upstream).readAhead()" }

  /// The requests that were sent before the walk needs their pages.
  var requestedAhead: [PageRequest] { state.withLock { Array($0.pending.keys) } }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    if let page = takeFirstPage(request) { return page }
    return try await fetch(request)
  }

  func askFirst(for request: PageRequest) async throws {
    let page = try await fetch(request)
    state.withLock { $0.firstPage = (request, page) }
  }

  private func fetch(_ request: PageRequest) async throws -> Page<Item> {
    try Task.checkCancellation()
    let pendingPage = self.pendingPage(for: request)
    do {
      let page = try await answer(to: request, pendingPage)
      if pendingPage.attempts.count > 1 { stopGuessing() }
      follow(page, of: request)
      // A caller that cancelled in the meantime did not see the request sent here.
      try Task.checkCancellation()
      return page
    } catch {
      drop()
      try Task.checkCancellation()
      throw error
    }
  }

  private func answer(to request: PageRequest, _ pendingPage: PendingPage) async throws -> Page<Item> {
    do {
      return try await arrival(of: pendingPage.task)
    } catch let error as SourceError where pendingPage.attempts.isGuess && error.kind.isTransient {
      try Task.checkCancellation()
      // It failed before it was needed. Now it is tried again, if patience allows. What the service wanted to wait for has passed in part.
      let waited = pendingPage.attempts.failed.map { clock.now - $0 } ?? .zero
      pendingPage.attempts.isNeeded(after: copy(of: error) { $0.retryAfter = $0.retryAfter.map { max(.zero, $0 - waited) } })
      return try await arrival(of: ask(request, pendingPage.attempts))
    }
  }

  private func arrival(of page: Task<Page<Item>, any Error>) async throws -> Page<Item> {
    try await withTaskCancellationHandler {
      try await page.value
    } onCancel: {
      page.cancel()
      drop()
    }
  }

  private func ask(_ request: PageRequest, _ attempts: Attempts) -> Task<Page<Item>, any Error> {
    let request = copy(of: request) { $0.attempts = attempts }
    return Task { [upstream, clock, weak self] in
      let began = clock.now
      do {
        let page = try await upstream.page(request)
        self?.note(clock.now - began)
        return page
      } catch {
        if !Task.isCancelled { self?.stopGuessing() }
        attempts.failed = clock.now
        throw error
      }
    }
  }
}

// MARK: - Pending pages

extension ReadAhead {
  /// Returns the pending page, or requests it now. Pages after it are requested too, if their places can be guessed.
  private func pendingPage(for request: PageRequest) -> PendingPage {
    // A walk that continues elsewhere, such as one that steps back, does not need the pages that were requested ahead.
    cancel(
      state.withLock { state in
        guard state.pending[request] == nil else { return [:] }
        defer { state.pending = [:] }
        return state.pending
      })
    return state.withLock { state in
      let pendingPage = state.pending.removeValue(forKey: request) ?? start(request)
      pendingPage.attempts.isNeeded()
      // A service that takes long for a page has more than enough to do with two.
      let most = min(state.isSlow ? 1 : Self.mostGuesses, state.fullPages / 2)
      for guess in guesses(after: request, state, upTo: most) where state.pending[guess] == nil {
        state.pending[guess] = start(guess, guess: true)
      }
      return pendingPage
    }
  }

  /// Requests the page after `page`, and drops wrong guesses.
  private func follow(_ page: Page<Item>, of request: PageRequest) {
    let paging = page.maker.paging
    let isWanted = paging.end != .never && request.wanted == nil
    let wrong = state.withLock { state in
      let next = isWanted ? request.next(after: page) : nil
      (state.total, state.maker) = (page.total, page.maker)
      state.fullPages = page.received == paging.size ? state.fullPages + 1 : 0
      var right: [PageRequest: PendingPage] = [:]
      if let next {
        right[next] = state.pending.removeValue(forKey: next) ?? start(next)
        for guess in guesses(after: next, state, upTo: Self.mostGuesses) {
          right[guess] = state.pending.removeValue(forKey: guess)
        }
      }
      defer { state.pending = right }
      return state.pending
    }
    cancel(wrong)
  }

  /// Cancels all pending pages, and requests nothing ahead until pages are full again.
  private func drop() {
    cancel(
      state.withLock { state in
        state.fullPages = 0
        defer { state.pending = [:] }
        return state.pending
      })
  }

  private func note(_ time: Duration) { state.withLock { $0.isSlow = time > Self.slow } }

  private func stopGuessing() { state.withLock { $0.fullPages = 0 } }

  private func takeFirstPage(_ request: PageRequest) -> Page<Item>? {
    state.withLock { state in
      guard let firstPage = state.firstPage, firstPage.request == request else { return nil }
      state.firstPage = nil
      return firstPage.page
    }
  }

  /// Returns the requests for at most so many pages after a pending one, as far as their places can be guessed.
  private func guesses(after request: PageRequest, _ state: borrowing State, upTo most: Int) -> [PageRequest] {
    // Only if the total says that more follows: a service is not asked for rows that it does not have.
    guard let profile = state.maker, profile.paging.style == .offset, request.wanted == nil, let total = state.total else {
      return []
    }
    var guesses: [PageRequest] = []
    while guesses.count < most {
      let last = guesses.last ?? request
      let end = (last.cursor?.place ?? profile.paging.start).number.adding(profile.paging.size)
      guard end < total else { break }
      guesses.append(last.going(on: end, of: profile, thread: nil))
    }
    return guesses
  }

  private func start(_ request: PageRequest, guess isGuess: Bool = false) -> PendingPage {
    let attempts = Attempts(guess: isGuess)
    return (ask(request, attempts), attempts)
  }

  private func cancel(_ pending: [PageRequest: PendingPage]) {
    for pendingPage in pending.values { pendingPage.task.cancel() }
  }
}

extension PageRequest {
  /// Returns a walk's next request after this request's page; nil if that page is known to be the last, or if the next place is unknown.
  fileprivate func next(after page: Page<some SourceItem>) -> PageRequest? {
    let paging = page.maker.paging
    guard page.received > 0, page.more != false, let place = page.next(after: cursor?.place) else { return nil }
    if case .number(let first) = paging.style, paging.looksBack { return sizedPage(after: page, first: first) }
    guard case .offset(let end) = place else {
      return seeking(
        PageRequest(query, at: Cursor(maker: page.maker.name, place: place, thread: page.thread)))
    }
    if paging.end == .total, page.total == end, page.more == nil { return nil }
    // After a page that held only its overlapping row, a walk requests the place itself.
    return going(on: end, of: page.maker, thread: page.thread, afterOne: page.received == 1)
  }

  /// The same for numbered pages that begin early, if the page was the first one or as long as requested.
  private func sizedPage(after page: Page<some SourceItem>, first: Int) -> PageRequest? {
    var (largest, end) = (page.received, page.received)
    if let cursor {
      guard case .number(let number, let size?) = cursor.place, size == page.received, let mostRows else { return nil }
      largest = mostRows
      end = (number - first).times(size).adding(size)
    }
    guard largest >= Paging.leastSize, page.total.map({ end < $0 }) ?? (end >= page.maker.paging.size) else { return nil }
    let place = SizedPages(first: first, usual: largest).page(at: end - 1).place
    let next = PageRequest(
      query, at: Cursor(maker: page.maker.name, place: place, thread: page.thread), lookingBack: true)
    return seeking(copy(of: next) { $0.mostRows = largest })
  }

  private func seeking(_ next: PageRequest) -> PageRequest { copy(of: next) { $0.soughtText = soughtText } }

  /// The same for a list by offset that continues at `end`: one row early if this request was.
  fileprivate func going(on end: Int, of maker: Profile, thread: AnswerThread?, afterOne isOne: Bool = false) -> PageRequest {
    let looksBack = (cursor == nil ? maker.paging.looksBack : looksBack) && !isOne
    let place = Place.offset(looksBack ? max(0, end - 1) : end)
    return seeking(
      PageRequest(
        query, at: Cursor(maker: maker.name, place: place, thread: thread), lookingBack: looksBack))
  }
}
