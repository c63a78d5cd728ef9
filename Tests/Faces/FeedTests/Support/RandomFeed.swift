import AggregatorCore
import SourceTesting

@testable import Feed

/// A person and a service that act at random over some rules; it notes which laws do not hold.
struct RandomFeed<Rules: FeedRules> {
  private(set) var breaches: [FeedLaw: String] = [:]
  private(set) var steps = 0
  private var rules: Rules
  private let dice: SeededDice
  /// The effects that have begun, and have neither ended nor been stopped.
  private var open: [Ticket: FeedEffect] = [:]
  /// The effects that were stopped or have ended, and whose answer may still come.
  private var gone: [FeedEffect] = []
  /// The changes in the order in which they are done.
  private var changes: [(ticket: Ticket, id: String, deletes: Bool)] = []
  private var deleted: Set<String> = []
  /// The search that is read, the number of its pages, and how many in a row brought nothing without being asked for by hand.
  private var reading = (text: "", pages: 0)
  private var barren = 0
  private var summary = Summary()

  init(_ rules: Rules, seed: UInt64) {
    self.rules = rules
    dice = SeededDice(seed: seed)
  }

  /// Makes `count` random steps, then lets all effects under way end.
  mutating func run(_ count: Int) {
    for _ in 0..<count {
      if dice.index(below: 5) < 3 { send(event()) } else { answer() }
    }
    var rest = 1_000
    while let ticket = open.keys.min(by: { $0.number < $1.number }) ?? changes.first?.ticket, rest > 0 {
      answer(ticket, fails: false)
      rest -= 1
    }
    send(.retry)
    while let ticket = open.keys.min(by: { $0.number < $1.number }), rest > 0 {
      answer(ticket, fails: false)
      rest -= 1
    }
    let state = rules.state
    expect(.settled, rest > 0 && (state.head == .idle || state.head == .loaded && state.tail != .loading))
  }

  private mutating func expect(_ law: FeedLaw, _ holds: Bool, _ what: @autoclosure () -> String = "") {
    if !holds, breaches[law] == nil { breaches[law] = "step \(steps) \(what())" }
  }
}

// MARK: - A person

extension RandomFeed {
  private func event() -> FeedEvent {
    let id = "\(dice.index(below: 40))"
    switch dice.index(below: 20) {
    case 0: return .appear
    case 1...4: return .typed(["", "a", "ab", "abc", "a ", " b"][dice.index(below: 6)])
    case 5: return .submit
    case 6...9: return .nearEnd
    case 10, 11: return .more
    case 12, 13: return .retry
    case 14: return [.refresh, .standIn, .nearEnd][dice.index(below: 3)]
    case 15, 16:
      let items = rules.state.items
      return .delete(items.isEmpty ? id : items[dice.index(below: items.count)].id)
    case 17: return .undo
    case 18: return .show(id)
    default: return .hide
    }
  }

  private mutating func send(_ event: FeedEvent) {
    steps += 1
    let old = rules.state
    if case .delete(let id) = event, !old.deleted.contains(id) { tryUndoing(id) }
    let effects = rules.send(event)
    let new = rules.state
    let asks = effects.contains { $0.isPage }
    switch event {
    case .typed(let text):
      expect(.pause, !asks)
      let question = FeedMachine<Row>.question(text)
      if question == new.asked, question != FeedMachine<Row>.question(old.typed) {
        expect(.back, new.head == .loaded && !effects.contains { $0.isPage || $0.isWait })
      }
    case .nearEnd, .more:
      barren = 0
      if case .ended = old.tail { expect(.ended, !asks) }
      if event == .nearEnd, old.tail == .dry { expect(.dry, !asks) }
    case .retry:
      if case .failed = old.head {
        expect(.retried, asks)
      } else if case .failed = old.tail, old.head == .loaded {
        expect(.retried, asks)
      }
      if asks { barren = 0 }
    case .delete(let id):
      let count = effects.count { if case .change(_, id, deletes: true) = $0 { true } else { false } }
      expect(.changes, count == (old.deleted.contains(id) ? 0 : 1))
    case .undo:
      let count = effects.count { if case .change(_, old.deleted.last, deletes: false) = $0 { true } else { false } }
      expect(.changes, count == (old.deleted.isEmpty ? 0 : 1))
    case .standIn: expect(.skipped, asks == (old.head == .loading))
    default: break
    }
    let insisted: OriginDemand? =
      switch event {
      case .retry, .refresh: .service
      case .standIn: .standIn
      case .show(let id): old.detail?.id == id && old.detail?.phase.error != nil ? .service : nil
      default: nil
      }
    for case let insistence? in effects.map(\.originDemand) { expect(.again, insistence == insisted) }
    expect(.summary, new.summary == old.summary)
    carryOut(effects)
    checkAlways()
  }

  /// Deletes a record in a copy of the rules, undoes it there, and checks that no trace is left.
  private mutating func tryUndoing(_ id: String) {
    guard dice.index(below: 4) == 0 else { return }
    var copy = rules
    let detail = copy.state.detail
    _ = copy.send(.delete(id))
    _ = copy.send(.undo)
    let (old, new) = (rules.state, copy.state)
    expect(.undone, new.items.map(\.id) == old.items.map(\.id) && new.deleted == old.deleted)
    expect(.undone, new.head == old.head && new.tail == old.tail && (detail?.id == id || new.detail?.id == detail?.id))
  }
}

// MARK: - A service

extension RandomFeed {
  private mutating func answer() {
    // Changes are done one after the other, whatever else comes.
    let tickets = open.keys.sorted { $0.number < $1.number }
    let count = tickets.count + (changes.isEmpty ? 0 : 1) + (gone.isEmpty ? 0 : 1)
    guard count > 0 else { return }
    let index = dice.index(below: count)
    if index < tickets.count {
      answer(tickets[index], fails: dice.index(below: 4) == 0)
    } else if index == tickets.count, let change = changes.first {
      answer(change.ticket, fails: dice.index(below: 4) == 0)
    } else {
      answerLate(gone[dice.index(below: gone.count)])
    }
  }

  private mutating func answerLate(_ effect: FeedEffect) {
    steps += 1
    let old = Digest(rules.state)
    let answer = answer(to: effect, fails: dice.index(below: 2) == 0)
    let effects = rules.take(answer)
    expect(.late, effects.isEmpty && Digest(rules.state) == old)
    // After a breach of this law the others are not checked, because they would report the same fault.
    if Digest(rules.state) == old { checkAlways() }
  }

  private mutating func answer(_ ticket: Ticket, fails: Bool) {
    steps += 1
    if changes.first?.ticket == ticket { return finishChange(fails: fails) }
    guard let effect = open.removeValue(forKey: ticket) else { return }
    gone.append(effect)
    if gone.count > 20 { gone.removeFirst() }
    let old = rules.state
    let answer = answer(to: effect, fails: fails)
    let effects = rules.take(answer)
    let new = rules.state
    switch answer {
    case .page(_, let page):
      let (ids, oldIDs) = (rows(of: new), rows(of: old))
      expect(.unique, Set(ids).count == ids.count)
      if case .load(_, let text, _) = effect {
        reading = (text, 1)
        expect(.answered, new.asked == text)
        barren = 0
      } else {
        reading.pages += 1
        expect(.appends, ids.starts(with: oldIDs))
      }
      var expected = page.summary
      expected.given = ids.count
      expect(.summary, new.summary == expected)
      barren = new.items.count > old.items.count ? 0 : barren + 1
      if effect.isLoad, new.items.count > 0 { barren = 0 }
      expect(.patience, barren < 5 || !effects.contains { $0.isPage })
      summary = new.summary
    case .failed(_, _, let behind):
      expect(.failure, rows(of: new) == rows(of: old) && new.asked == old.asked && new.deleted == old.deleted)
      expect(.summary, new.summary == old.summary || behind != nil && new.summary.verdict == behind?.verdict)
    default: expect(.summary, new.summary == old.summary)
    }
    carryOut(effects)
    checkAlways()
  }

  private mutating func finishChange(fails: Bool) {
    let change = changes.removeFirst()
    if !fails, change.deletes { deleted.insert(change.id) }
    if !fails, !change.deletes { deleted.remove(change.id) }
    let isLast = !changes.contains { $0.id == change.id }
    let effects = rules.take(fails ? .failed(change.ticket, .trouble, nil) : .changed(change.ticket))
    if isLast { expect(.refused, rules.state.deleted.contains(change.id) == deleted.contains(change.id)) }
    if fails { expect(.refused, rules.state.refusal != nil) }
    carryOut(effects)
    checkAlways()
  }

  private func answer(to effect: FeedEffect, fails: Bool) -> FeedAnswer<Row> {
    switch effect {
    case .wait(let ticket): return .waited(ticket)
    case .load(let ticket, let text, _): return fails ? .failed(ticket, .trouble, nil) : .page(ticket, page(of: text, 0))
    case .more(let ticket, _):
      guard fails else { return .page(ticket, page(of: reading.text, reading.pages)) }
      var summary = summary
      summary.verdict = .partial(.failed(.trouble))
      return .failed(ticket, .trouble, dice.index(below: 2) == 0 ? nil : summary)
    case .show(let ticket, let id, _): return fails ? .failed(ticket, .trouble, nil) : .record(ticket, Row(id), .live)
    case .stop(let ticket), .change(let ticket, _, _): return .changed(ticket)
    }
  }

  /// Three rows that searches share, or none, or those of the page before.
  private func page(of text: String, _ number: Int) -> FeedPage<Row> {
    let start = (text.utf8.count * 7 + number * 3) % 40
    let rows = dice.index(below: 3) == 0 ? [] : (start..<start + 3).map { Row("\(dice.index(below: 5) == 0 ? $0 - 2 : $0)") }
    var summary = Summary()
    summary.origin = [.live, .bundled, .replay][dice.index(below: 3)]
    summary.mark = Moment(secondsSinceEpoch: text.utf8.count * 100 + number)
    guard number < 8 else {
      summary.verdict = .complete
      return FeedPage(items: rows, summary: summary, next: .ended(.complete))
    }
    return FeedPage(items: rows, summary: summary, next: dice.index(below: 10) == 0 ? .dry : .more)
  }
}

// MARK: - Laws that always hold

extension RandomFeed {
  private mutating func carryOut(_ effects: [FeedEffect]) {
    for effect in effects {
      switch effect {
      case .stop(let ticket):
        if let stopped = open.removeValue(forKey: ticket) {
          gone.append(stopped)
          if gone.count > 20 { gone.removeFirst() }
        }
      case .load(let ticket, let text, _):
        expect(.typed, text == FeedMachine<Row>.question(rules.state.typed))
        open[ticket] = effect
      case .wait(let ticket), .more(let ticket, _), .show(let ticket, _, _): open[ticket] = effect
      case .change(let ticket, let id, let deletes): changes.append((ticket, id, deletes))
      }
    }
  }

  private mutating func checkAlways() {
    let state = rules.state
    var (loads, mores, shows, waits) = (0, 0, 0, 0)
    for effect in open.values {
      switch effect {
      case .load: loads += 1
      case .more: mores += 1
      case .show: shows += 1
      case .wait: waits += 1
      default: break
      }
    }
    expect(.oneLoad, loads + mores <= 1 && shows <= 1)
    let isPassing = state.detail?.phase == .idle
    expect(.working, state.wait == nil || state.head == .loading)
    expect(.working, (state.head == .loading) == (loads + waits - (isPassing ? 1 : 0) > 0))
    expect(.working, (state.tail == .loading) == (mores > 0))
    expect(.working, (state.detail?.phase == .loading) == (shows > 0))
    if state.head == .loaded { expect(.answered, state.asked == FeedMachine<Row>.question(state.typed)) }
    if !state.deleted.isEmpty {
      expect(.hidden, !state.items.contains { state.deleted.contains($0.id) })
      expect(.hidden, !(state.detail.map { state.deleted.contains($0.id) } ?? false))
    }
  }

  /// All rows, including the hidden ones.
  private func rows(of state: FeedState<Row>) -> [String] { (0..<state.items.rowCount).map { state.items.row(at: $0).id } }
}

/// Everything in a state that can be compared.
private struct Digest: Equatable {
  let texts: [String?]
  let head: FeedPhase
  let tail: FeedTail
  let ids: [String]
  let deleted: [String]
  let summary: Summary
  let detail: FeedPhase?
  let refusal: SourceError?

  init(_ state: FeedState<Row>) {
    texts = [state.typed, state.asked, state.detail?.id, state.detail?.item?.id]
    (head, tail, ids, deleted, summary) = (state.head, state.tail, state.items.map(\.id), state.deleted, state.summary)
    (detail, refusal) = (state.detail?.phase, state.refusal)
  }
}

extension FeedEffect {
  /// The insistence of an effect; nil if it asks for nothing.
  fileprivate var originDemand: OriginDemand?? {
    switch self {
    case .load(_, _, let insistence), .more(_, let insistence), .show(_, _, let insistence): insistence
    case .wait, .stop, .change: nil
    }
  }

  fileprivate var isLoad: Bool { if case .load = self { true } else { false } }
  fileprivate var isPage: Bool {
    switch self {
    case .load, .more: true
    default: false
    }
  }
  fileprivate var isWait: Bool { if case .wait = self { true } else { false } }
}

extension SourceError {
  fileprivate static let trouble = SourceError(.unavailable, "the service is down")
}
