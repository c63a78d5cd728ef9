import AggregatorCore

@testable import Feed

/// Rules that keep the laws of a feed, or break one of them.
protocol FeedRules {
  var state: FeedState<Row> { get }
  mutating func send(_ event: FeedEvent) -> [FeedEffect]
  mutating func take(_ answer: FeedAnswer<Row>) -> [FeedEffect]
}

extension FeedMachine: FeedRules where Item == Row {}

/// A rule that holds for all actions of a person and all answers.
enum FeedLaw: String, CaseIterable, Sendable {
  case late = "a late answer changes nothing"
  case oneLoad = "at most one page is asked for at a time, and at most one record"
  case typed = "what is asked for is what is typed"
  case pause = "a key alone asks for nothing: it waits"
  case back = "typing back to what is shown asks for nothing"
  case unique = "no id comes twice"
  case appends = "more only appends"
  case failure = "a failure takes nothing away"
  case ended = "nothing is asked for after the end"
  case dry = "a dry list asks for more only by hand"
  case patience = "no more than five pages in a row bring nothing without being asked for by hand"
  case working = "what says that it is loading is waited for, and nothing else is"
  case answered = "what is loaded answers what is typed"
  case hidden = "what is deleted is not shown"
  case undone = "a deletion that is undone leaves nothing behind"
  case refused = "what is shown as deleted is what came of the last change"
  case changes = "each deletion and each undoing is asked for once"
  case summary = "origin and verdict are those of the rows"
  case retried = "what failed is asked for again"
  case skipped = "who does not want to wait asks what stands in, once, and only while a first page is waited for"
  case again = "what is remembered counts for nothing where a person says again, and only there"
  case settled = "in the end what is typed is loaded"
}

/// The real rules with one fault in them.
struct SabotagedRules: FeedRules {
  private var machine = FeedMachine<Row>(canDelete: true)
  private let fault: FeedLaw
  private var lastTicket: Ticket?
  private var before = ""

  init(breaking law: FeedLaw) { fault = law }

  var state: FeedState<Row> { machine.state }

  mutating func send(_ event: FeedEvent) -> [FeedEffect] {
    let old = machine.state
    var effects = machine.send(event)
    switch (fault, event) {
    case (.oneLoad, _), (.changes, _): break
    case (.pause, .typed):
      effects = effects.flatMap { effect in
        if case .wait(let ticket) = effect { machine.take(.waited(ticket)) } else { [effect] }
      }
    case (.back, .typed) where machine.state.head == .loaded && old.typed != machine.state.typed: effects += machine.send(.refresh)
    case (.ended, .nearEnd):
      if case .ended = old.tail { effects.append(.more(Ticket(number: -1), nil)) }
    case (.dry, .nearEnd) where old.tail == .dry: effects += machine.send(.more)
    case (.working, .nearEnd) where !effects.isEmpty: machine.state.tail = .more
    case (.undone, .undo):
      if let id = old.deleted.last, let index = machine.indices[id] {
        let row = machine.state.items.row(at: index)
        machine.state.items.hide(index)
        machine.state.items.append([row])
      }
    case (.retried, .retry): effects = []
    case (.skipped, .standIn) where old.head == .loaded: effects = machine.send(.refresh)
    default: break
    }
    return spoilt(effects)
  }

  mutating func take(_ answer: FeedAnswer<Row>) -> [FeedEffect] {
    var (answer, failsPage) = (answer, false)
    if case .failed(let ticket, _, _) = answer {
      let isChange = machine.changes.contains { $0.ticket == ticket }
      if isChange, fault == .refused { return [] }
      failsPage = !isChange && machine.detailTicket != ticket
    }
    switch (fault, answer) {
    case (.late, .page(let ticket, let page)):
      if !machine.awaits(ticket), let lastTicket { answer = .page(lastTicket, page) }
    case (.settled, .waited(let ticket)) where machine.state.detail == nil && ticket.number % 2 == 0: return []
    default: break
    }
    let old = machine.state
    var effects = machine.take(answer)
    switch (fault, answer) {
    case (.unique, .page):
      if let first = machine.state.items.first { machine.state.items.append([first]) }
    case (.appends, .page(_, let page)) where old.asked == machine.state.asked && old.items.count > 0:
      show(page.items + rows)
    case (.failure, .failed) where failsPage: show(rows.reversed())
    case (.answered, .page): machine.state.asked = "?"
    case (.hidden, .page):
      for id in machine.state.deleted { if let index = machine.indices[id] { machine.state.items.show(index) } }
    case (.summary, .failed) where failsPage: machine.state.summary = Summary()
    case (.patience, .page) where machine.state.tail == .dry: effects += machine.send(.more)
    default: break
    }
    return spoilt(effects)
  }

  private var rows: [Row] { (0..<machine.state.items.rowCount).map { machine.state.items.row(at: $0) } }

  /// Replaces all rows by at least as many others, because the machine knows a place of each.
  private mutating func show(_ rows: [Row]) {
    machine.state.items = FeedItems()
    machine.state.items.append(rows)
  }

  private mutating func spoilt(_ effects: [FeedEffect]) -> [FeedEffect] {
    var effects = effects
    switch fault {
    case .oneLoad: effects.removeAll { if case .stop = $0 { true } else { false } }
    case .changes: effects.removeAll { if case .change(_, _, deletes: true) = $0 { true } else { false } }
    case .again:
      effects = effects.map { effect in
        guard case .load(let ticket, let text, _) = effect else { return effect }
        return .load(ticket, text, nil)
      }
    case .typed:
      effects = effects.map { effect in
        guard case .load(let ticket, let text, let insistence) = effect else { return effect }
        defer { before = text }
        return .load(ticket, before, insistence)
      }
    default: break
    }
    for effect in effects {
      switch effect {
      case .load(let ticket, _, _), .more(let ticket, _): lastTicket = ticket
      default: break
      }
    }
    return effects
  }
}
