import AggregatorCore
import Presentation
import RecordFormats

@testable import Browse
@testable import Feed
@testable import Terminal

/// The state of a listing that a test wants.
struct TestListing {
  var typed = ""
  var asked: String? = ""
  var head = FeedPhase.loaded
  var tail = FeedTail.more
  var wait: Waiting?
  var summary = Summary()
  var canDelete = false
  var deleted: [String] = []
  var refusal: SourceError?
  var detail: (id: String, phase: FeedPhase)?
  var cards: [(id: String, card: Card)] = []
  /// Pictures by the ids of records.
  var pictures: [String: WebAddress] = [:]
  var links: [String: WebAddress] = [:]

  /// Cards with these titles; `ids` are the titles.
  init(_ titles: [String], badge: String = "", subtitle: String = "", total: Int? = nil, origin: Origin? = .live) {
    cards = titles.map { ($0, Card(title: $0, badge: badge, subtitle: subtitle)) }
    summary.origin = origin
    summary.total = total
  }

  static func numbered(_ count: Int, total: Int? = nil) -> TestListing {
    TestListing((1...count).map { "record \($0)" }, badge: "B", total: total)
  }

  var listing: Listing {
    var listing = Listing(canDelete: canDelete)
    (listing.typed, listing.asked, listing.head, listing.tail, listing.wait) = (typed, asked, head, tail, wait)
    (listing.summary, listing.deleted, listing.refusal) = (summary, deleted, refusal)
    listing.items.append(
      cards.map { BrowsedRecord(look: TestLook(id: $0.id, card: $0.card, picture: pictures[$0.id], link: links[$0.id])) })
    listing.detail = detail.map { id, phase in
      FeedDetail(id: id, item: BrowsedRecord(look: TestLook(id: id, card: Card(), powers: "all")), phase: phase)
    }
    return listing
  }
}

/// A record made for a test.
private struct TestLook: RecordLook {
  let id: String
  let card: Card
  var picture: WebAddress?
  var link: WebAddress?
  /// A field that only the full record has.
  var powers: String?

  func reason(for text: SearchPhrase, besides shown: [String]) -> String? {
    text.isFound(in: shown) || !text.isFound(in: ["hidden alias"]) ? nil : "Alias: hidden alias"
  }

  func lines(width: Int) -> [String] { ["Name: \(id)", powers.map { "Powers: \($0)" } ?? "Width: \(width)"] }

  var target: BrowsedTarget? { nil }
  var leaves: [Leaf] { ["name", "city"].map { Leaf(FieldPath([$0]), .text) } }

  func value(inFull isFull: Bool) -> Value { .object([Member(name: "name", value: .text(id))]) }
  func value(at path: FieldPath) -> Value { path == FieldPath(["name"]) ? .text(id) : .null }

  func isTableWorthwhile(of list: FeedItems<BrowsedRecord>, width: Int) -> Bool { list[0].id == "many columns" }

  func row(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String { "\(id), \(shape.width)" }
  func header(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> String { "NAME" }

  func spans(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [TableLines.Span] { [] }
  func paths(from list: FeedItems<BrowsedRecord>, in shape: BrowserTable) -> [FieldPath] { shape.wish.fields ?? leaves.map(\.path) }
}

extension Browser {
  /// Four sources as in the command, on a screen of that size; the first one shows `shelf`.
  static func showing(
    _ shelf: TestListing, _ columns: Int = 40, _ rows: Int = 12, color: Bool = false, pictures: Bool = false,
    now: @escaping @Sendable () -> Moment = { Moment(nanoseconds: 0) }
  ) -> Browser {
    let names = ["countries", "heroes", "products", "users"]
    let sources = names.map { name in
      BrowsedSource(
        name, searches: name == "products" ? nil : "name",
        pick: name == "countries" ? SourceDescriptor.Pick(verb: "deal", title: "Deal of the Day") : nil
      ) { throw SourceError(.settings, "not opened in tests") }
    }
    var look = BrowserLook(isColored: color, now: now)
    look.hasPictures = pictures
    look.hasStandIns = true
    var browser = Browser(sources, on: TerminalSize(columns: columns, rows: rows), look: look)
    _ = browser.begin()
    _ = browser.show(shelf, in: 0)
    return browser
  }

  mutating func show(_ shelf: TestListing, in tab: Int) -> [BrowserAction] { show(shelf.listing, in: tab) }

  mutating func show(picked shelf: TestListing, in tab: Int) -> [BrowserAction] { show(picked: .success(shelf.listing), in: tab) }

  /// The actions of keys, except that the end is near: letters as they are, `↓ ↑ → ⏎ ⎋ ⌫ ⇥ ⇟ ⇞` for others, `^` before a letter for Ctrl.
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
