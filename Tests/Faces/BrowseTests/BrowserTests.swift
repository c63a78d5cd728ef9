import AggregatorCore
import Feed
import Testing

@testable import Browse
@testable import Terminal

@Suite("The browser") struct BrowserTests {
  @Test("the browser moves as less and vim do, and never beyond the records")
  func moves() {
    var browser = Browser.showing(TestListing.numbered(50), 40, 12)
    // The list has seven lines.
    #expect(browser.layout.list.height == 7)
    let steps: [(String, Int)] = [
      ("j", 1), ("↓", 2), ("k", 1), ("kkk", 0), (" ", 7), ("b", 0), ("⇟⇟", 14), ("⇞", 7), ("^d", 10), ("^u", 7), ("G", 49), ("j", 49),
      ("g", 0),
      ("G", 49), ("t", 0), ("^f", 7), ("^n", 8),
    ]
    for (keys, expected) in steps {
      _ = browser.press(keys)
      #expect(browser.tab.selected == expected, "after \(keys)")
      let row = browser.screen.cursor?.row ?? -1
      #expect(browser.screen.line(row).hasPrefix("> record \(expected + 1)"), "after \(keys): \(browser.lines)")
    }
  }

  @Test(
    "the browser scrolls so that the selected record is whole on the screen, whatever the heights of the records",
    arguments: [20, 33, 80, 99, 120, 300])
  func scrolls(columns: Int) {
    let dice = SeededDice(seed: 3)
    let titles = (0..<60).map { "n\($0) " + String(repeating: "word ", count: dice.index(below: 12)) + "東京👩‍👩‍👧‍👦" }
    for rows in [5, 6, 11, 12, 24, 31, 32, 50] {
      var browser = Browser.showing(TestListing(titles, badge: "DE", subtitle: "below"), columns, rows)
      for _ in 0..<30 {
        _ = browser.press(["j", "k", " ", "b", "G", "g", "^d", "j", "j"][dice.index(below: 9)])
        let screen = browser.screen
        #expect((screen.columns, screen.rows) == (columns, rows))
        guard let cursor = screen.cursor, screen.line(cursor.row).hasPrefix(">"), browser.tab.top <= browser.tab.selected else {
          Issue.record("\(columns)x\(rows): \(screen.lines)")
          return
        }
        let needed = browser.tab.window.lines(at: browser.tab.selected).count
        #expect(cursor.row + needed <= browser.layout.list.row + browser.layout.list.height)
        // The badge is whole at the right edge.
        let edge = browser.layout.list.width
        if browser.layout.isTable { continue }
        #expect(screen.cells[cursor.row * columns + edge - 2].text == "D" || browser.layout.list.width < 12, "\(screen.line(cursor.row))")
      }
    }
  }

  @Test("without a match, Right searches for the suggested title, while typing and in the list")
  func suggests() {
    var listing = TestListing([], total: 0)
    (listing.typed, listing.asked) = ("germny", "germny")
    (listing.summary.verdict, listing.summary.nearest) = (.complete, NearestTitles(of: ["Germany"]))
    var browser = Browser.showing(listing, 80, 12)
    #expect(browser.lines.contains { $0.contains("did you mean Germany? Right searches for it") }, "\(browser.lines)")
    #expect(browser.press("→") == [.feed(tab: 0, .typed("Germany"))])
    #expect(browser.press("/→") == [.feed(tab: 0, .typed("Germany"))])
    // A record that is still asked for may be found.
    listing.head = .loading
    browser = Browser.showing(listing, 80, 12)
    #expect(browser.press("→").isEmpty && browser.press("/→").isEmpty)
  }

  @Test("the browser asks for more when the end is within a screen, and not before")
  func more() {
    var browser = Browser.showing(TestListing.numbered(30), 40, 12)
    let (space, nearEnd) = (TerminalInput.key(.text(" ")), BrowserAction.feed(tab: 0, .nearEnd))
    // Records 1, 8 and 15 of 30, seven on a screen; then record 22, and one screen is left.
    #expect(browser.scrollToSelection().isEmpty && browser.take(space).isEmpty && browser.take(space).isEmpty)
    #expect(browser.take(.key(.text("k"))).isEmpty && browser.take(space).isEmpty && browser.take(space) == [nearEnd])
    var ended = TestListing.numbered(30)
    ended.tail = .ended(.complete)
    #expect(browser.show(ended, in: 0).isEmpty && browser.take(.key(.text("G"))).isEmpty)
    ended.tail = .dry
    _ = browser.show(ended, in: 0)
    #expect(browser.lines.contains("  m looks for more") && browser.press("m") == [.feed(tab: 0, .more)])
    var empty = TestListing([])
    (empty.asked, empty.tail, empty.summary.searched) = ("x", .dry, 7)
    _ = browser.show(empty, in: 0)
    #expect(browser.emptyWords == "no countries match \"x\"; searched 7 stored countries; m looks for more")
  }

  @Test("G goes to the very end of stored or bundled records, page after page, until another key")
  func end() {
    func listing(_ count: Int, _ origin: Origin, total: Int? = 250) -> TestListing {
      var listing = TestListing((1...count).map { "record \($0)" }, total: total, origin: origin)
      if count == 250 { listing.tail = .ended(.complete) }
      return listing
    }
    let (key, more) = (TerminalInput.key(.text("G")), BrowserAction.feed(tab: 0, .more))
    for origin in [Origin.bundled, .cache(age: .seconds(9))] {
      var browser = Browser.showing(listing(100, origin))
      #expect(browser.take(key) == [more] && browser.tab.selected == 99)
      var loading = listing(100, origin)
      loading.tail = .loading
      #expect(browser.show(loading, in: 0).isEmpty)
      #expect(browser.show(listing(200, origin), in: 0) == [more] && browser.tab.selected == 199)
      #expect(browser.show(listing(250, origin), in: 0).isEmpty && browser.tab.record?.id == "record 250")
      // Another key or another source stops it.
      browser = Browser.showing(listing(100, origin))
      #expect(browser.press("Gk") == [more] && browser.show(listing(200, origin), in: 0).isEmpty && browser.tab.selected == 98)
      browser = Browser.showing(listing(100, origin))
      #expect(browser.press("G2") == [more, .feed(tab: 1, .appear)] && browser.show(listing(200, origin), in: 0).isEmpty)
      // A search has no total.
      browser = Browser.showing(listing(100, origin, total: nil))
      #expect(browser.take(key) == [more] && browser.show(listing(200, origin, total: nil), in: 0) == [more])
      // Deleted records count for the total, which was announced before.
      var deleted = listing(200, origin, total: 201)
      deleted.deleted = ["x"]
      browser = Browser.showing(deleted)
      #expect(browser.take(key) == [.feed(tab: 0, .nearEnd)])
    }
    // The stored part of an endless list has an end.
    var growing = Browser.showing(listing(100, .cache(age: .zero)))
    _ = growing.press("G")
    for (count, actions) in [(249, [.feed(tab: 0, .nearEnd)]), (300, [])] as [(Int, [BrowserAction])] {
      #expect(growing.show(listing(count, .cache(age: .zero), total: count), in: 0) == actions && growing.tab.selected == 248)
    }
    // A service is asked for one page, and so is an endless list.
    for listing in [listing(100, .live), listing(100, .cache(age: .zero), total: 100)] {
      var browser = Browser.showing(listing)
      #expect(browser.take(key) == [.feed(tab: 0, .nearEnd)] && browser.tab.selected == 99)
      #expect(browser.show(TestListing.numbered(200), in: 0).isEmpty && browser.tab.selected == 99)
    }
  }

  @Test("the browser searches while one types; Enter goes to the list, Esc clears and then leaves")
  func search() {
    var browser = Browser.showing(TestListing.numbered(5), 40, 12)
    #expect(browser.press("/").isEmpty && browser.mode == .typing)
    var listing = TestListing.numbered(5)
    for (key, typed) in [("s", "s"), ("p", "sp"), ("é", "spé"), ("⌫", "sp"), ("q", "spq"), ("^w", "")] {
      #expect(browser.press(key) == [.feed(tab: 0, .typed(typed))], "\(key)")
      listing.typed = typed
      _ = browser.show(listing, in: 0)
      #expect(browser.lines[1] == "/\(typed)")
      #expect(browser.screen.cursor.map { [$0.column, $0.row] } == [1 + typed.count, 1])
    }
    listing.typed = "sp"
    _ = browser.show(listing, in: 0)
    // Arrows move in the list while typing; other keys of the list are text.
    #expect(browser.press("↓").isEmpty && browser.tab.selected == 1)
    #expect(browser.press("⏎") == [.feed(tab: 0, .submit)] && browser.mode == .list && browser.lines[1] == "/sp")
    #expect(browser.press("/⎋") == [.feed(tab: 0, .typed(""))])
    listing.typed = ""
    _ = browser.show(listing, in: 0)
    #expect(browser.mode == .typing && browser.press("⎋").isEmpty && browser.mode == .list)
    // A pasted text is one line, and never submits or controls the browser.
    _ = browser.press("/")
    #expect(browser.take(.paste("a\nb\u{1B}[2Jc")).first == .feed(tab: 0, .typed("a bc")) && browser.mode == .typing)
    #expect(browser.take(.paste(String(repeating: "x", count: 4000))).first == .feed(tab: 0, .typed(String(repeating: "x", count: 200))))
    _ = browser.press("⎋")
    #expect(browser.take(.paste("q\rdd")) == [.feed(tab: 0, .nearEnd)] && browser.mode == .list)
  }

  @Test("a source that cannot be searched says so")
  func unsearchable() {
    var browser = Browser.showing(TestListing.numbered(3))
    #expect(browser.press("3") == [.feed(tab: 2, .appear)] && browser.press("/").isEmpty)
    #expect(browser.mode == .list && browser.lines.last == "products cannot be searched")
  }

  @Test("the browser keeps the selected record when rows come and go, and begins at the top of another search")
  func selection() {
    var browser = Browser.showing(TestListing(["a", "b", "c", "d"]))
    _ = browser.press("jj")
    #expect(browser.tab.record?.id == "c")
    _ = browser.show(TestListing(["a", "c", "d"]), in: 0)
    #expect(browser.tab.selected == 1 && browser.tab.record?.id == "c")
    _ = browser.show(TestListing(["x", "y", "z", "a", "b", "c"]), in: 0)
    #expect(browser.tab.selected == 5)
    var found = TestListing(["a", "c"])
    found.asked = "a"
    _ = browser.show(found, in: 0)
    #expect(browser.tab.selected == 0)
    // Now nothing is found.
    found.cards = []
    _ = browser.show(found, in: 0)
    #expect(browser.tab.record?.id == nil && browser.lines[2] == #"  no countries match "a""# && browser.press("⏎d").isEmpty)
  }

  @Test("the browser deletes and undoes if a source allows it; the next record moves up, and the deleted one returns to its place")
  func deletes() {
    var browser = Browser.showing(TestListing(["a", "b", "c"]))
    _ = browser.press("j")
    let deleted = "deleted; u to undo; later type 'aggregator countries restore b'"
    #expect(browser.press("d").isEmpty && browser.lines.last == "records of countries cannot be deleted")
    var listing = TestListing(["a", "b", "c"])
    listing.canDelete = true
    _ = browser.show(listing, in: 0)
    #expect(browser.press("d") == [.feed(tab: 0, .delete("b"))] && browser.message == deleted)
    var without = TestListing(["a", "c"])
    (without.canDelete, without.deleted) = (true, ["b"])
    _ = browser.show(without, in: 0)
    #expect(browser.tab.record?.id == "c" && browser.message == deleted)
    _ = browser.press("k")
    #expect(browser.press("u") == [.feed(tab: 0, .undo)])
    _ = browser.show(listing, in: 0)
    #expect(browser.tab.record?.id == "b" && browser.lines.last == "restored b")
    #expect(browser.press("u").isEmpty && browser.lines.last == "nothing to undo")
    // The store may refuse.
    without.refusal = SourceError(.storage, "the store is full")
    _ = browser.show(without, in: 0)
    #expect(browser.lines.last == "the store is full")
  }

  @Test("the browser shows one record in full, at once as far as the list has it, and goes back")
  func record() {
    var browser = Browser.showing(TestListing(["a", "b"]))
    #expect(browser.press("j⏎") == [.feed(tab: 0, .show("b"))] && browser.mode == .record)
    #expect(browser.lines[2...3] == ["Name: b", "Width: 40"])
    var listing = TestListing(["a", "b"])
    listing.detail = ("b", .loading)
    _ = browser.show(listing, in: 0)
    #expect(browser.lines[2...4] == ["Name: b", "Powers: all", ""] && browser.status.hasPrefix("loading the record… · "))
    listing.detail = ("b", .failed(SourceError(.unreachable, "cannot reach it")))
    _ = browser.show(listing, in: 0)
    #expect(browser.lines[2...4] == ["cannot reach it; r tries again", "", "Name: b"] && browser.press("r") == [.feed(tab: 0, .show("b"))])
    listing.detail = ("b", .loaded)
    _ = browser.show(listing, in: 0)
    #expect(!browser.status.contains("loading") && browser.screen.cursor.map { [$0.column, $0.row] } == [0, 2])
    #expect(browser.press("⎋") == [.feed(tab: 0, .hide)] && browser.mode == .list && browser.lines[3].hasPrefix("> b"))
    // The record was deleted in another window.
    _ = browser.press("⏎")
    _ = browser.show(listing, in: 0)
    listing.detail = nil
    _ = browser.show(listing, in: 0)
    #expect(browser.mode == .list)
  }

  @Test("keys that come together have the same effect as one by one")
  func together() {
    let dice = SeededDice(seed: 5)
    for _ in 0..<50 {
      var listing = TestListing.numbered(60)
      listing.canDelete = true
      var (slow, quick) = (Browser.showing(listing, 40, 12), Browser.showing(listing, 40, 12))
      let keys = (0..<30).map { _ in
        [Key.text("j"), .text("j"), .text("k"), .text(" "), .text("d"), .text("G"), Key(.enter), Key(.escape)][dice.index(below: 8)]
      }
      var (slowly, quickly): ([BrowserAction], [BrowserAction]) = ([], [])
      for (index, key) in keys.enumerated() {
        slowly += slow.take(.key(key))
        quickly += quick.take(.key(key), isFollowed: index + 1 < keys.count)
      }
      let isWanted: (BrowserAction) -> Bool = { $0 != .feed(tab: 0, .nearEnd) }
      #expect(slowly.filter(isWanted) == quickly.filter(isWanted) && slow.tab.selected == quick.tab.selected && slow.mode == quick.mode)
      let row = quick.screen.cursor?.row ?? -1
      #expect(quick.mode == .record || quick.screen.line(row).hasPrefix("> record \(quick.tab.selected + 1)"))
    }
  }

  @Test("the next key does not wait for an undo")
  func awaited() {
    var listing = TestListing(["a", "b", "c", "d"])
    (listing.canDelete, listing.deleted) = (true, ["x"])
    var browser = Browser.showing(listing)
    #expect(browser.press("u") == [.feed(tab: 0, .undo)] && browser.press("jj").isEmpty)
    _ = browser.show(TestListing(["x", "a", "b", "c", "d"]), in: 0)
    #expect(browser.tab.record?.id == "c")
    // The list was asked for anew since, and does not have the record.
    browser = Browser.showing(listing)
    _ = browser.press("u")
    _ = browser.show(listing, in: 0)
    #expect(browser.lines.last == "restored x; r lists it again" && browser.tab.record?.id == "a")
  }

  @Test("a message that is longer than its line is shown whole")
  func longMessage() {
    var listing = TestListing(["a"])
    listing.refusal = SourceError(.storage, "the store is locked by another process", remedy: "try again, or use another file with --store")
    var browser = Browser.showing(TestListing(["a"]))
    _ = browser.show(listing, in: 0)
    let lines = browser.lines.suffix(3)
    #expect(
      lines.joined(separator: " ") == "the store is locked by another process; try again, or use another file with --store ".trimmingSpaces,
      "\(lines)")
  }

  @Test("the browser shows a random record in place of the list, and then the list again")
  func pick() {
    var browser = Browser.showing(TestListing.numbered(50))
    _ = browser.press("jjj")
    #expect(browser.press("D") == [.pick(tab: 0)])
    _ = browser.show(picked: TestListing(["Chad"], badge: "TD"), in: 0)
    #expect(browser.lines[1] == "Deal of the Day: a shows all" && browser.lines[2].hasPrefix("> Chad"))
    // Later rows do not disturb it.
    _ = browser.show(TestListing.numbered(60), in: 0)
    #expect(browser.lines[2].hasPrefix("> Chad") && browser.press("⏎").isEmpty && browser.press("⎋") == [.feed(tab: 0, .hide)])
    #expect(browser.press("a").isEmpty && browser.tab.selected == 3 && browser.lines[5].hasPrefix("> record 4"))
    // A record that comes after something else was asked for is not shown.
    _ = browser.press("D/")
    _ = browser.show(picked: TestListing(["late"]), in: 0)
    #expect(browser.tab.pick.listing == nil && browser.press("⎋").isEmpty && browser.press("D") == [.pick(tab: 0)])
    _ = browser.show(picked: .failure(SourceError(.unreachable, "cannot reach it")), in: 0)
    #expect(browser.lines.last == "cannot reach it")
    #expect(browser.press("2D") == [.feed(tab: 1, .appear)] && browser.lines.last == "heroes picks no record at random")
  }

  @Test("q and Ctrl-C leave the browser, Ctrl-Z suspends it, and the list says how to quit")
  func leaves() {
    var browser = Browser.showing(TestListing.numbered(3))
    #expect(browser.press("q") == [.quit(isInterrupted: false)] && browser.press("^c") == [.quit(isInterrupted: true)])
    #expect(browser.press("^z") == [.suspend] && browser.press("^l") == [.redraw])
    #expect(browser.press("⎋").isEmpty && browser.lines.last == "q quits")
    // The same holds in the search field, except that q is a letter there.
    #expect(browser.press("/") == [] && browser.press("^c") == [.quit(isInterrupted: true)] && browser.press("^z") == [.suspend])
    #expect(browser.press("q") == [.feed(tab: 0, .typed("q"))])
  }

  @Test("the browser survives any keys, sizes and states")
  func anything() {
    let dice = SeededDice(seed: 99)
    let keys = Array("jkgG tb/q?dDuamrlh[]19⏎⎋⌫⇥⇟⇞↑↓x^é").map(String.init)
    for _ in 0..<60 {
      var browser = Browser.showing(TestListing.numbered(1 + dice.index(below: 40)), 1 + dice.index(below: 140), 1 + dice.index(below: 45))
      for _ in 0..<60 {
        switch dice.index(below: 8) {
        case 0: _ = browser.resize(to: TerminalSize(columns: 1 + dice.index(below: 140), rows: 1 + dice.index(below: 45)))
        case 1:
          var listing = TestListing(
            (0..<dice.index(below: 30)).map { "שלום \($0) 東京 \u{1B}[2J ❤️" }, badge: String(repeating: "B", count: dice.index(below: 30)))
          listing.asked = ["", "a", nil][dice.index(below: 3)]
          listing.tail = [.more, .dry, .loading, .ended(.complete), .failed(SourceError(.unreachable, "no"))][dice.index(below: 5)]
          if dice.index(below: 2) == 0 { listing.detail = ("x", .loading) }
          _ = browser.show(listing, in: dice.index(below: 4))
        case 2: _ = browser.show(picked: TestListing(["one"]), in: dice.index(below: 4))
        default: _ = browser.press(keys[dice.index(below: keys.count)])
        }
        let screen = browser.screen
        #expect(screen.cursor.map { $0.column < screen.columns && $0.row < screen.rows } ?? false)
        #expect(!screen.lines.joined().utf8.contains(0x1B))
      }
    }
  }
}

/// A record made for these tests.
private struct NamedRecord: Record {
  var id = ""
  var name = ""

  static let fields: [Field<NamedRecord>] = [Field("id", \.id), Field("name", \.name, .title, searchable: true)]
}
