import AggregatorCore

@testable import Feed

/// A machine over time: each column is a tenth of a second, and each line says what is there at its end.
///
///     keys   spi.......    a key each; `.` is none, see `event(for:)`
///     asks   .....1....    a first page (1), a later page (2), a record in full (3), a deletion (d), a restoration (u)
///     head   ~~~~~~~*..    loading (~), loaded (*), failed (!), idle (-)
///     tail   .........~    the same, and: more (+), dry (?), ended (=)
///     rows   0000000333    how many rows are shown
struct Timeline {
  private(set) var machine = FeedMachine<Row>(canDelete: true)
  private(set) var asks = ""
  private(set) var head = ""
  private(set) var tail = ""
  private(set) var rows = ""
  /// The texts that were searched for.
  private(set) var searches: [String] = []
  private var due: [(column: Int, answer: FeedAnswer<Row>)] = []
  private var stopped: Set<Ticket> = []
  private var text = ""
  private var pages = 0
  /// How many columns an answer takes.
  private let latency: Int
  private let answer: (Int, Ticket, String) -> FeedAnswer<Row>

  /// Plays `keys`; `answering` says what comes of each page that is asked for: its number, its ticket, its search.
  init(_ keys: String, latency: Int = 2, answering answer: @escaping (Int, Ticket, String) -> FeedAnswer<Row>) {
    self.latency = latency
    self.answer = answer
    for (column, key) in keys.enumerated() { play(key, at: column) }
  }

  private mutating func play(_ key: Character, at column: Int) {
    var asked: Character = "."
    // An answer may come although nobody wants it any more, but no pause that was stopped ends.
    for (_, answer) in due.filter({ $0.column == column }) {
      if case .waited(let ticket) = answer, stopped.contains(ticket) { continue }
      carryOut(machine.take(answer), at: column, &asked)
    }
    if let event = event(for: key) { carryOut(machine.send(event), at: column, &asked) }
    asks.append(asked)
    head.append(machine.state.head.sign)
    tail.append(machine.state.tail.sign)
    rows.append(Character("\(machine.state.items.count)"))
  }

  private mutating func event(for key: Character) -> FeedEvent? {
    switch key {
    case ".": return nil
    case "↓": return .nearEnd
    case "+": return .more
    case "!": return .retry
    case "⟳": return .refresh
    case "⏎": return .submit
    case "✗": return .delete(machine.state.items.first?.id ?? "")
    case "⎌": return .undo
    case "←": text.removeLast()
    default: text.append(key)
    }
    return .typed(text)
  }

  private mutating func carryOut(_ effects: [FeedEffect], at column: Int, _ asked: inout Character) {
    for effect in effects {
      switch effect {
      case .stop(let ticket): stopped.insert(ticket)
      case .wait(let ticket): due.append((column + 3, .waited(ticket)))
      case .load(let ticket, let text, _):
        asked = "1"
        searches.append(text)
        ask(ticket, text, at: column)
      case .more(let ticket, _):
        asked = "2"
        ask(ticket, machine.state.asked ?? "", at: column)
      case .show: asked = "3"
      case .change(let ticket, _, let deletes):
        asked = deletes ? "d" : "u"
        due.append((column + latency, .changed(ticket)))
      }
    }
  }

  private mutating func ask(_ ticket: Ticket, _ text: String, at column: Int) {
    due.append((column + latency, answer(pages, ticket, text)))
    pages += 1
  }
}

extension FeedPhase {
  fileprivate var sign: Character {
    switch self {
    case .idle: "-"
    case .loading: "~"
    case .loaded: "*"
    case .failed: "!"
    }
  }
}

extension FeedTail {
  fileprivate var sign: Character {
    switch self {
    case .more: "+"
    case .loading: "~"
    case .dry: "?"
    case .failed: "!"
    case .ended: "="
    }
  }
}

extension FeedAnswer where Item == Row {
  static func rows(_ ticket: Ticket, _ ids: some Sequence<Int>, next: FeedTail = .more) -> Self {
    .page(ticket, FeedPage(items: ids.map { Row("\($0)") }, summary: Summary(), next: next))
  }
}
