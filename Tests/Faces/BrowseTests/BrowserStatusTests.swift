import AggregatorCore
import Feed
import Synchronization
import Testing

@testable import Browse
@testable import Terminal

@Suite("The browser's line of status, its help and its waiting") struct BrowserStatusTests {
  @Test("the browser leaves no gap when the screen grows or the last records are removed")
  func fills() {
    var browser = Browser.showing(TestListing.numbered(50), 40, 12)
    _ = browser.press("G")
    _ = browser.resize(to: TerminalSize(columns: 40, rows: 30))
    let height = browser.layout.list.height
    #expect(browser.tab.top == 50 - height && browser.lines[1 + height].hasPrefix("> record 50"), "\(browser.lines)")
    _ = browser.show(TestListing.numbered(40), in: 0)
    #expect(browser.tab.top == 40 - height && browser.lines[1 + height].hasPrefix("> record 40"), "\(browser.lines)")
    // A record in full, which was scrolled to its end.
    browser = Browser.showing(TestListing(["a"]), 20, 5)
    _ = browser.press("⏎G")
    #expect(browser.lines[2] == "Width: 20")
    _ = browser.resize(to: TerminalSize(columns: 40, rows: 12))
    #expect(browser.lines[2] == "Name: a")
  }

  @Test("r tries again after a failure, and asks anew otherwise")
  func refresh() {
    var listing = TestListing.numbered(3)
    listing.tail = .failed(SourceError(.unreachable, "cannot reach 127.0.0.1"))
    var browser = Browser.showing(listing)
    #expect(browser.lines.contains("  cannot reach 127.0.0.1; r tries again") && browser.press("r") == [.feed(tab: 0, .retry)])
    listing.tail = .more
    _ = browser.show(listing, in: 0)
    #expect(browser.press("r").contains(.feed(tab: 0, .refresh)))
    listing.head = .failed(SourceError(.refusedKey, "the key was refused"))
    _ = browser.show(listing, in: 0)
    #expect(
      browser.lines.contains { $0.hasPrefix("the key was refused; r tries again · ") } && browser.press("r") == [.feed(tab: 0, .retry)])
  }

  @Test("the line of status always shows where the rows came from and how complete they are")
  func status() {
    func status(_ change: (inout TestListing) -> Void) -> String {
      var listing = TestListing.numbered(3)
      change(&listing)
      return Browser.showing(listing, 120, 12).status
    }
    #expect(status { _ in } == "the first 3 · live")
    #expect(status { $0.summary.total = 151_969 } == "3 of 151969 · live")
    #expect(status { $0.tail = .ended(.complete) } == "all 3 · live")
    #expect(status { ($0.tail, $0.summary.change) = (.ended(.complete), "2 rows moved") } == "all 3 · live · 2 rows moved")
    #expect(status { $0.tail = .ended(.unverifiable) } == "3 · live · the service does not say whether this is everything")
    #expect(
      status {
        $0.summary.verdict = .partial(.total(missing: 170))
        $0.tail = .ended(.partial(.total(missing: 170)))
        $0.summary.origin = .cache(age: .seconds(400))
        $0.summary.skipped = 2
      } == "3 · cached 6 min ago · incomplete: 170 fewer than the service announced · skipped 2 broken rows")
    #expect(
      status { $0.summary.origin = Origin(.bundled, reason: SourceError(.unreachable, "cannot reach 127.0.0.1:1")) }
        == "the first 3 · using bundled data: cannot reach 127.0.0.1:1")
    #expect(status { ($0.head, $0.typed) = (.loading, "spid") } == "searching… · the first 3 · live")
    #expect(
      status { $0.summary.edited = [$0.cards[0].id: [FieldPath(["name"]), FieldPath(["depth"])]] }
        == "the first 3 · live · edited: name, depth")
    #expect(status { $0.summary.edited = [$0.cards[1].id: [FieldPath(["name"])]] } == "the first 3 · live")
  }

  @Test("cached rows grow older while they are on the screen")
  func aging() {
    var listing = TestListing.numbered(3)
    listing.summary.origin = .cache(age: .seconds(20))
    let seconds = Mutex(0)
    let browser = Browser.showing(listing, 120, 12) { Moment(nanoseconds: 0) + .seconds(seconds.withLock(\.self)) }
    #expect(browser.status == "the first 3 · cached 20 s ago")
    seconds.withLock { $0 = 100 }
    #expect(browser.status == "the first 3 · cached 2 min ago")
  }

  @Test("the line of status tells what a first page waits for, how long and why, and a key shows the data at hand")
  func waiting() throws {
    let request = Event.requestSent(HTTPRequest(.get, try #require(WebAddress("https://api.example/a"))))
    let again = Event.waiting(.seconds(26), because: "rate-limited (HTTP 429)")
    func browser(_ seconds: Int, _ events: Event..., typed: String = "") -> Browser {
      var listing = TestListing([], origin: nil)
      (listing.head, listing.typed) = (.loading, typed)
      let start = Moment(nanoseconds: 0) - .milliseconds(seconds * 1000 + 400)
      listing.wait = events.reduce(Waiting(since: start)) { $0.hearing($1, at: Moment(nanoseconds: 0) - .milliseconds(1500)) }
      return Browser.showing(listing, 120, 12)
    }
    #expect(browser(0, request).status == "loading…")
    #expect(browser(4).status == "loading, 4 s; s shows what is at hand")
    #expect(browser(64, request, typed: "x").status == "searching, 1 min 4 s: waiting for api.example; s shows what is at hand")
    #expect(browser(4, request, again).status == "loading, 4 s; next request in 25 s: rate-limited (HTTP 429); s shows what is at hand")
    #expect(
      browser(4, again, request).status == "loading, 4 s: waiting for api.example again (rate-limited (HTTP 429)); s shows what is at hand")
    var waiting = browser(4, request)
    #expect(waiting.press("s") == [.feed(tab: 0, .standIn)] && waiting.press("/").isEmpty)
    #expect(waiting.status == "loading, 4 s: waiting for api.example; Ctrl-O shows what is at hand")
    #expect(waiting.press("^o") == [.feed(tab: 0, .standIn)] && waiting.mode == .typing)
    // The list waits for no service.
    var shown = Browser.showing(TestListing.numbered(3))
    #expect(shown.press("^o").isEmpty && shown.lines.last == "nothing is loading" && shown.press("?").isEmpty)
    #expect(!shown.lines.contains { $0.contains("at hand") })
  }

  @Test("help is the same table as the keys, without keys that do nothing here")
  func help() {
    var browser = Browser.showing(TestListing.numbered(3), 60, 40)
    #expect(browser.press("?").isEmpty)
    #expect(browser.lines.contains { $0.hasPrefix("D ") } && !browser.lines.contains { $0.hasPrefix("d ") })
    _ = browser.press("q")
    #expect(browser.mode == .list)
    // Every key is in the table once.
    let keys = BrowserVerb.table.flatMap(\.keys)
    #expect(Set(keys).count == keys.count)
    // On a small screen it scrolls to its end.
    browser = Browser.showing(TestListing.numbered(3), 20, 6)
    _ = browser.press("?G")
    #expect(browser.lines.dropLast().dropLast().contains { $0.contains("leave the browser") }, "\(browser.lines)")
  }
}
