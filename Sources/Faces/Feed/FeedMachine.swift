import AggregatorCore

/// The rules of a feed as a pure state machine: events and answers go in, effects come out.
///
/// Everything under way has a ticket, and an answer counts only while its ticket is awaited.
struct FeedMachine<Item: SourceItem>: Sendable {
  /// The number of pages in a row that may bring nothing to show before a person has to ask for more.
  static var patience: Int { 5 }

  var state: FeedState<Item>
  /// The indices of the rows, by their ids.
  private(set) var indices: [String: Int] = [:]
  private var tickets = 0
  /// The pause after the last key.
  private var pause: Ticket?
  /// The request for the first page, with the search and the choice that it answers.
  private var load: (ticket: Ticket, text: String, choice: FeedChoice)? { didSet { state.wait = nil } }
  /// The request for a later page, and the state of the tail before it.
  private var following: (ticket: Ticket, before: FeedTail)?
  /// The number of pages in a row that brought nothing to show.
  private var pagesWithoutNews = 0
  /// The request for the record that is shown in full.
  var detailTicket: Ticket?
  /// The deletions and restorations under way; they are done one after the other.
  var changes: [(ticket: Ticket, id: String, deletes: Bool)] = []
  /// The ids of the records whose deletion is done.
  var gone: Set<String> = []
  /// True when a row of the list has everything that its record has.
  let listsInFull: Bool

  init(canDelete: Bool = false, listsInFull: Bool = false) {
    state = FeedState(canDelete: canDelete)
    self.listsInFull = listsInFull
  }

  mutating func send(_ event: FeedEvent) -> [FeedEffect] {
    switch event {
    case .appear: state.head == .idle ? begin() : []
    case .typed(let text): type(text)
    case .submit: pause == nil ? [] : begin()
    case .choose(let choice): choose(choice)
    case .nearEnd: state.tail == .more ? follow() : []
    case .more: follow()
    case .retry: retry()
    case .refresh: begin(on: .service)
    case .reload: begin()
    case .standIn: state.head == .loading ? begin(on: .standIn) : []
    case .delete(let id): delete(id)
    case .undo: undo()
    case .show(let id): show(id)
    case .hide: hide()
    }
  }

  mutating func take(_ answer: FeedAnswer<Item>) -> [FeedEffect] {
    switch answer {
    case .waited(let ticket): return wake(ticket)
    case .heard(let ticket, let event, let moment):
      guard ticket == load?.ticket else { return [] }
      state.wait = (state.wait ?? Waiting(since: moment)).hearing(event, at: moment)
      return []
    case .page(let ticket, let page):
      if let load, load.ticket == ticket { return replace(with: page, of: load.text, load.choice) }
      return following?.ticket == ticket ? append(page) : []
    case .record(let ticket, let item, let origin):
      guard let id = endDetail(ticket) else { return [] }
      state.detail = FeedDetail(id: id, item: item, phase: .loaded, origin: origin)
      return []
    case .changed(let ticket): return endChange(ticket, refusedWith: nil)
    case .failed(let ticket, let error, let summary): return fail(ticket, error, summary)
    }
  }

  /// True when the answer with this ticket is awaited.
  func awaits(_ ticket: Ticket) -> Bool {
    [pause, load?.ticket, following?.ticket, detailTicket].contains(ticket) || changes.contains { $0.ticket == ticket }
  }

  /// True when nothing is under way.
  var isSettled: Bool { !state.isWorking && changes.isEmpty }

  mutating func ticket() -> Ticket {
    tickets += 1
    return Ticket(number: tickets)
  }
}

// MARK: - The search

extension FeedMachine {
  /// Returns the text to search for when this is typed, without white space around it.
  static func question(_ typed: String) -> String {
    let end = typed.lastIndex { !$0.isWhitespace }
    return end.map { String(typed[...$0].drop(while: \.isWhitespace)) } ?? ""
  }

  private mutating func type(_ text: String) -> [FeedEffect] {
    let question = Self.question(text)
    let isAnother = question != Self.question(state.typed)
    state.typed = text
    guard isAnother else { return [] }
    // A later page is wanted for as long as the rows before it, which is until another search begins.
    var effects = stopHead()
    if question == state.asked, state.choice == state.chosen {
      state.head = .loaded
    } else {
      let ticket = ticket()
      pause = ticket
      state.head = .loading
      effects.append(.wait(ticket))
    }
    return effects
  }

  private mutating func wake(_ ticket: Ticket) -> [FeedEffect] {
    guard pause == ticket else { return [] }
    pause = nil
    return begin()
  }

  private mutating func stopHead() -> [FeedEffect] {
    let stopped = [pause, load?.ticket].compactMap { $0 }
    (pause, load) = (nil, nil)
    return stopped.map { .stop($0) }
  }

  private mutating func begin(on demand: OriginDemand? = nil) -> [FeedEffect] {
    var effects = stopHead()
    if let following {
      effects.append(.stop(following.ticket))
      state.tail = following.before
      self.following = nil
    }
    let (ticket, text) = (ticket(), Self.question(state.typed))
    load = (ticket, text, state.choice)
    state.head = .loading
    return effects + [.load(ticket, text, demand)]
  }

  private mutating func choose(_ choice: FeedChoice) -> [FeedEffect] {
    guard choice != state.choice else { return [] }
    (state.choice, state.refusal) = (choice, nil)
    return begin()
  }

  private mutating func retry() -> [FeedEffect] {
    if case .failed = state.head { return begin(on: .service) }
    if case .failed = state.tail { return follow(on: .service) }
    return []
  }
}

// MARK: - Pages

extension FeedMachine {
  private mutating func follow(on demand: OriginDemand? = nil) -> [FeedEffect] {
    guard state.head == .loaded, following == nil else { return [] }
    if case .ended = state.tail { return [] }
    pagesWithoutNews = 0
    return follow(from: state.tail, on: demand)
  }

  private mutating func follow(from tail: FeedTail, on demand: OriginDemand? = nil) -> [FeedEffect] {
    let ticket = ticket()
    following = (ticket, tail)
    state.tail = .loading
    return [.more(ticket, demand)]
  }

  private mutating func replace(with page: FeedPage<Item>, of text: String, _ choice: FeedChoice) -> [FeedEffect] {
    if let deleted = page.deleted { state.deletedBefore = deleted.filter { !state.deleted.contains($0) } }
    load = nil
    pagesWithoutNews = 0
    (state.asked, state.chosen) = (text, choice)
    state.head = .loaded
    state.items = FeedItems()
    indices = [:]
    return land(page)
  }

  private mutating func append(_ page: FeedPage<Item>) -> [FeedEffect] {
    following = nil
    return land(page)
  }

  private mutating func land(_ page: FeedPage<Item>) -> [FeedEffect] {
    let before = state.items.count
    var fresh: [Item] = []
    fresh.reserveCapacity(page.items.count)
    for item in page.items where indices[item.id] == nil {
      indices[item.id] = state.items.rowCount + fresh.count
      fresh.append(item)
    }
    state.items.append(fresh)
    for id in state.deleted { if let index = indices[id] { state.items.hide(index) } }
    (state.summary, state.notices) = (page.summary, page.notices)
    state.summary.given = indices.count
    pagesWithoutNews = state.items.count > before ? 0 : pagesWithoutNews + 1
    if page.next == .more, 1..<Self.patience ~= pagesWithoutNews { return follow(from: .more) }
    state.tail = page.next == .more && pagesWithoutNews > 0 ? .dry : page.next
    return []
  }

  private mutating func fail(_ ticket: Ticket, _ error: SourceError, _ summary: Summary?) -> [FeedEffect] {
    if let load, load.ticket == ticket {
      self.load = nil
      guard load.choice != state.chosen, load.text == state.asked else {
        state.head = .failed(error)
        return []
      }
      // The rows are still those of the choice before, and go on.
      (state.choice, state.head, state.refusal) = (state.chosen, .loaded, error)
    } else if following?.ticket == ticket {
      following = nil
      state.tail = .failed(error)
      if let summary {
        state.summary = summary
        state.summary.given = indices.count
      }
    } else if endDetail(ticket) != nil {
      state.detail?.phase = .failed(error)
    } else {
      return endChange(ticket, refusedWith: error)
    }
    return []
  }
}
