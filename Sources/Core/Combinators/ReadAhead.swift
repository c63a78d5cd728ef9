import Synchronization

extension DataSource {
  /// This source, its next pages asked for while earlier ones are read and stored: for a walk to the end.
  public func readAhead() -> ReadAhead<Item> { ReadAhead(self) }
}

/// A source that asks for a page before its walk does.
///
/// What a page names as its successor is asked for as soon as it has come. Where two pages in a row were full, the page behind the one
/// under way is asked for too: a guess, which is dropped when the page turns out shorter, or fails. A guess that fails counts only if the
/// walk gets there. After any failure nothing is guessed until pages come full again.
public final class ReadAhead<Item: SourceItem>: Wrapper {
  private typealias PendingPage = (task: Task<Page<Item>, any Error>, attempts: Attempts)

  /// The pages that are under way beside the one that is waited for.
  private struct State {
    var pending: [PageRequest: PendingPage] = [:]
    /// How many pages in a row were as long as was asked for, and came without trouble.
    var fullPages = 0
    var total: Int?
    var firstPage: (request: PageRequest, page: Page<Item>)?
  }

  public let upstream: any DataSource<Item>
  private let state = Mutex(State())

  init(_ upstream: some DataSource<Item>) { self.upstream = upstream }

  deinit { drop() }

  public var description: String { "\(upstream).readAhead()" }

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
      // A caller that cancelled meanwhile did not see the request sent here.
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
      // Nobody waited for it when it failed; now it is tried again, if patience allows.
      pendingPage.attempts.isNeeded(after: error)
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
    let request = changing(request) { $0.attempts = attempts }
    return Task { [upstream, weak self] in
      do {
        return try await upstream.page(request)
      } catch {
        if !Task.isCancelled { self?.stopGuessing() }
        throw error
      }
    }
  }
}

// MARK: - What is under way

extension ReadAhead {
  /// The page under way, or one requested now; the page after it is requested too, if its place is known.
  private func pendingPage(for request: PageRequest) -> PendingPage {
    state.withLock { state in
      let pendingPage = state.pending.removeValue(forKey: request) ?? start(request)
      pendingPage.attempts.isNeeded()
      if let guess = guess(behind: request, state), state.pending[guess] == nil {
        state.pending[guess] = start(guess, guess: true)
      }
      return pendingPage
    }
  }

  /// Asks for the page that `page` leads to, and drops what was guessed wrongly.
  private func follow(_ page: Page<Item>, of request: PageRequest) {
    let paging = page.maker.paging
    let isWanted = paging.end != .never && request.wanted == nil
    let wrong = state.withLock { state in
      let next = isWanted ? request.next(behind: page) : nil
      state.total = page.total
      state.fullPages = page.received == paging.size ? state.fullPages + 1 : 0
      let pendingPage = next.map { state.pending.removeValue(forKey: $0) ?? start($0) }
      defer { state.pending = next.flatMap { next in pendingPage.map { [next: $0] } } ?? [:] }
      return state.pending
    }
    cancel(wrong)
  }

  /// Cancels what is under way, and requests nothing ahead until pages are full again.
  private func drop() {
    cancel(
      state.withLock { state in
        state.fullPages = 0
        defer { state.pending = [:] }
        return state.pending
      })
  }

  private func stopGuessing() { state.withLock { $0.fullPages = 0 } }

  private func takeFirstPage(_ request: PageRequest) -> Page<Item>? {
    state.withLock { state in
      // It serves a walk that has no time left, too.
      guard let firstPage = state.firstPage,
        firstPage.request == changing(request, { $0.deadline = firstPage.request.deadline })
      else { return nil }
      state.firstPage = nil
      return firstPage.page
    }
  }

  /// The page behind one that is under way; nil where that cannot be known.
  private func guess(behind request: PageRequest, _ state: borrowing State) -> PageRequest? {
    guard profile.paging.style == .offset, request.wanted == nil else { return nil }
    // Only where the total says that there is more: a service is not asked for what is not there.
    guard state.fullPages > 1, let total = state.total else { return nil }
    let end = (request.cursor?.place ?? profile.paging.start).number.adding(profile.paging.size)
    return end < total ? request.going(on: end, of: profile, thread: nil) : nil
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
  /// What a walk asks for behind this request's page; nil where that is known to be the last one, or cannot be known.
  fileprivate func next(behind page: Page<some SourceItem>) -> PageRequest? {
    let paging = page.maker.paging
    guard page.received > 0, page.more != false, let place = page.next(behind: cursor?.place) else { return nil }
    if case .number(let first) = paging.style, paging.looksBack { return sizedPage(behind: page, first: first) }
    guard case .offset(let end) = place else {
      return seeking(
        PageRequest(query, at: Cursor(maker: page.maker.name, place: place, thread: page.thread), deadline: deadline))
    }
    if paging.end == .total, page.total == end, page.more == nil { return nil }
    // After a page that held only its overlapping row, a walk asks at the place itself.
    return going(on: end, of: page.maker, thread: page.thread, behindOne: page.received == 1)
  }

  /// The same in a list of numbered pages that begin early, where the page was the first one or as long as asked for.
  private func sizedPage(behind page: Page<some SourceItem>, first: Int) -> PageRequest? {
    var (largest, end) = (page.received, page.received)
    if let cursor {
      guard case .number(let number, let size?) = cursor.place, size == page.received, let mostRows else { return nil }
      largest = mostRows
      end = (number - first).times(size).adding(size)
    }
    guard largest >= Paging.leastSize, page.total.map({ end < $0 }) ?? (end >= page.maker.paging.size) else { return nil }
    let place = SizedPages(first: first, largest: largest).page(at: end - 1).place
    let next = PageRequest(
      query, at: Cursor(maker: page.maker.name, place: place, thread: page.thread), deadline: deadline, lookingBack: true)
    return seeking(changing(next) { $0.mostRows = largest })
  }

  /// The same for a walk that looks for what this one does.
  private func seeking(_ next: PageRequest) -> PageRequest { changing(next) { $0.soughtText = soughtText } }

  /// The same in a list by offset that goes on at `end`: a row early where this request was.
  fileprivate func going(on end: Int, of maker: Profile, thread: AnswerThread?, behindOne isOne: Bool = false) -> PageRequest {
    let looksBack = (cursor == nil ? maker.paging.looksBack : looksBack) && !isOne
    let place = Place.offset(looksBack ? max(0, end - 1) : end)
    return seeking(
      PageRequest(
        query, at: Cursor(maker: maker.name, place: place, thread: thread), deadline: deadline, lookingBack: looksBack))
  }
}
