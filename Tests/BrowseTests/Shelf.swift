import AggregatorCore
import Feed
import Presentation

@testable import Browse
@testable import Terminal

/// A listing of a test's making.
struct Shelf: Listing {
  var typed = ""
  var asked: String? = ""
  var head = FeedHead.loaded
  var tail = FeedTail.more
  var wait: FeedWait?
  var summary = Summary()
  var canDelete = false
  var deleted: [String] = []
  var undoable: String? { deleted.last }
  var refusal: SourceError?
  var detail: (id: String, phase: FeedPhase)?
  var cards: [(id: String, card: Card)] = []
  /// By the ids of records.
  var pictures: [String: WebAddress] = [:]
  var links: [String: WebAddress] = [:]

  /// Cards with these titles; `ids` are the titles.
  init(_ titles: [String], badge: String = "", subtitle: String = "", total: Int? = nil, origin: Origin? = .live) {
    cards = titles.map { ($0, Card(title: $0, badge: badge, subtitle: subtitle)) }
    summary.origin = origin
    summary.total = total
  }

  static func numbered(_ count: Int, total: Int? = nil) -> Shelf { Shelf((1...count).map { "record \($0)" }, badge: "B", total: total) }

  var count: Int { cards.count }
  func id(at index: Int) -> String { cards[index].id }
  func card(at index: Int) -> Card { cards[index].card }
  func table(of indices: Range<Int>, width: Int) -> [String] { ["NAME"] + indices.map { "\(cards[$0].id), \(width)" } }
  func picture(at index: Int) -> WebAddress? { pictures[id(at: index)] }
  func link(at index: Int) -> WebAddress? { links[id(at: index)] }
  func lines(at index: Int, width: Int) -> [String] { ["Name: \(cards[index].id)", "Width: \(width)"] }
  func detailLines(width: Int) -> [String] { detail.map { ["Name: \($0.id)", "Powers: all"] } ?? [] }
}

extension Browser {
  /// Four sources as the command has them, on a screen of that size; the first one shows `listing`.
  static func showing(_ listing: any Listing, _ columns: Int = 40, _ rows: Int = 12, color: Bool = false, pictures: Bool = false) -> Browser
  {
    let names = ["countries", "heroes", "products", "users"]
    let sources = names.map { name in
      BrowsedSource(
        name, searches: name == "products" ? nil : "name",
        pick: name == "countries" ? SourceDescriptor.Pick(verb: "deal", title: "Deal of the Day") : nil
      ) { throw SourceError(.settings, "not opened in tests") }
    }
    var look = BrowserLook(isColored: color, now: { Moment(nanoseconds: 0) })
    look.hasPictures = pictures
    look.hasStandIns = true
    var browser = Browser(sources, on: TerminalSize(columns: columns, rows: rows), look: look)
    _ = browser.begin()
    _ = browser.show(listing, in: 0)
    return browser
  }

  /// What keys lead to, but that the end is near: letters as they are, `↓ ↑ → ⏎ ⎋ ⌫ ⇥ ⇟ ⇞` for the others, `^` before a letter for Ctrl.
  mutating func press(_ keys: String) -> [BrowserAction] {
    var actions: [BrowserAction] = []
    var isControl = false
    for scalar in keys.unicodeScalars {
      let special: [Unicode.Scalar: Key.Code] = [
        "↓": .down, "↑": .up, "⏎": .enter, "⎋": .escape, "⌫": .backspace, "⇥": .tab, "⇟": .pageDown, "⇞": .pageUp,
        "→": .right,
      ]
      if scalar == "^" {
        isControl = true
        continue
      }
      actions += take(.key(Key(special[scalar] ?? .text(scalar), isControl ? .control : [])))
      isControl = false
    }
    return actions.filter { $0 != .feed(tab: current, .nearEnd) }
  }

  var lines: [String] { screen.lines }
}
