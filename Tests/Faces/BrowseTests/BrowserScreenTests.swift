import AggregatorCore
import Feed
import Presentation
import RecordFormats
import Testing

@testable import Browse
@testable import Terminal

@Suite("The browser's screen") struct BrowserScreenTests {
  private func listing() -> TestListing {
    var listing = TestListing(["France, EU", "日本国にほんこく, AS", "مصر"], badge: "FR", subtitle: "Paris", total: 250)
    listing.cards[1].card.badge = "JP"
    listing.cards[2].card.badge = "👩‍👩‍👧‍👦"
    return listing
  }

  @Test("a screen of forty columns has tabs, search, cards with their badges, origin, number of records and keys")
  func forty() {
    let browser = Browser.showing(listing(), 40, 12)
    #expect(
      browser.lines == [
        "[countries] 1/4",
        "/ searches name",
        "> France, EU                          FR",
        "  Paris",
        "  日本国にほんこく, AS                JP",
        "  Paris",
        "  مصر                                 👩‍👩‍👧‍👦",
        "  Paris",
        "",
        "",
        "3 of 250 · live",
        "? keys  q quit  / search  Enter open",
      ])
  }

  @Test("twenty columns and five rows still show everything")
  func smallest() {
    let browser = Browser.showing(listing(), 20, 5)
    #expect(browser.lines == ["[countries] 1/4", "/ searches name", "> France, EU      FR", "3 of 250 · live", "? keys  q quit"])
    #expect(Browser.showing(listing(), 19, 5).lines[0] == "too small: 20x5 is")
  }

  @Test("a search longer than its line shows its end, and a status longer than its lines is cut")
  func long() {
    var listing = listing()
    listing.typed = "abcdefghijklmnopqrstuvwxyz"
    listing.summary.origin = Origin(.bundled, reason: SourceError(.unreachable, String(repeating: "cannot reach it ", count: 9)))
    let lines = Browser.showing(listing, 20, 5).lines
    #expect(lines[1] == "/jklmnopqrstuvwxyz" && lines[2] == "> France, EU      FR" && lines[3].hasSuffix("…"), "\(lines)")
    #expect(lines[4].hasPrefix("?"))
  }

  @Test("from a hundred columns the selected record is beside the list")
  func wide() {
    let lines = Browser.showing(listing(), 100, 12).lines
    #expect(lines[0] == "[1 countries (250)] 2 heroes  3 products  4 users")
    // The record takes as much room as its lines need, and the list the rest.
    #expect(lines[2] == "> France, EU                                                       FR │ Name: France, EU")
    #expect(lines[3] == "  Paris                                                               │ Width: 28")
  }

  @Test("from a hundred and forty columns the list is a table with a line for each record, however wide the letters are")
  func table() {
    var browser = Browser.showing(listing(), 140, 12)
    let list = browser.lines.map { $0.prefix { $0 != "│" }.description.trimmingSpaces }
    #expect(list[2...6] == ["NAME", "> France, EU, 107", "日本国にほんこく, AS, 107", "مصر, 107", ""])
    #expect(browser.lines[2].contains("│ Name: France, EU"))
    _ = browser.press("M")
    _ = browser.take(.mouse(MouseEvent(.press, column: 5, row: 4)))
    #expect(browser.tab.selected == 1)
    #expect(Browser.showing(listing(), 139, 12).lines[2].hasPrefix("> France, EU  "))
    // A single line for the list shows a record, not the header.
    #expect(Browser.showing(listing(), 140, 5).lines[2].hasPrefix("> France, EU  "))
    // The list is scrolled to its end.
    browser = Browser.showing(TestListing.numbered(50), 140, 12)
    _ = browser.press("G")
    #expect(browser.lines[2].hasPrefix("  NAME") && browser.lines[8].hasPrefix("> record 50, 107"), "\(browser.lines)")
  }

  @Test("from a hundred columns the list is a table if that shows more than id and title, and cards otherwise")
  func narrowTable() {
    #expect(
      Browser.showing(TestListing(["many columns", "more"]), 100, 12).lines[2...4].map { $0.prefix(20) } == [
        "  NAME              ", "> many columns, 67  ", "  more, 67          ",
      ])
    #expect(Browser.showing(TestListing(["many columns", "more"]), 99, 12).lines[2] == "> many columns")
    var browser = Browser.showing(listing(), 100, 12)
    #expect(browser.lines[2].hasPrefix("> France, EU  "))
    // It stays as it is while more records come, and is chosen anew for another search and another width.
    _ = browser.show(TestListing(["many columns", "more"]), in: 0)
    #expect(browser.lines[2].hasPrefix("> many columns  "))
    _ = browser.resize(to: TerminalSize(columns: 110, rows: 12))
    #expect(browser.lines[2].hasPrefix("  NAME"))
    _ = browser.resize(to: TerminalSize(columns: 80, rows: 12))
    #expect(browser.lines[2].hasPrefix("> many columns"))
  }

  @Test("a tab shows how many records its source found, if all tabs have room for it")
  func found() {
    func tabs(_ columns: Int, _ change: (inout TestListing) -> Void) -> String {
      var listing = listing()
      change(&listing)
      var browser = Browser.showing(listing, columns)
      _ = browser.press("2")
      _ = browser.show(TestListing([], total: 0), in: 1)
      return browser.lines[0]
    }
    #expect(tabs(60) { _ in } == " 1 countries (250) [2 heroes (0)] 3 products  4 users")
    #expect(tabs(60) { $0.deleted = ["x"] }.hasPrefix(" 1 countries (249) "))
    #expect(tabs(60) { $0.summary.total = nil }.hasPrefix(" 1 countries (3+) "))
    #expect(tabs(60) { ($0.summary.total, $0.tail) = (nil, .ended(.complete)) }.hasPrefix(" 1 countries (3) "))
    #expect(tabs(60) { ($0.asked, $0.head) = (nil, .loading) }.hasPrefix(" 1 countries [2 heroes (0)]"))
    #expect(tabs(50) { _ in } == " 1 countries [2 heroes] 3 products  4 users")
  }

  @Test("any number of sources can be chosen by name: the list scrolls, and typing narrows it")
  func sources() {
    var sources = (1...30).map { number in
      BrowsedSource(number == 17 ? "Wetter-Stationen" : "source \(number)", searches: nil) {
        throw SourceError(.settings, "not opened in tests")
      }
    }
    sources[1].stored = "250 rows, complete, 6 h old"
    var browser = Browser(
      sources, on: TerminalSize(columns: 40, rows: 12), look: BrowserLook(isColored: false, now: { Moment(nanoseconds: 0) }))
    _ = browser.begin()
    #expect(browser.press("S") == [])
    #expect(browser.mode == .sources && browser.lines[0] == "[source 1] 1/30")
    #expect(Array(browser.lines[1...3]) == ["source:", "> source 1", "  source 2          250 rows, complete,"])
    #expect(browser.lines[10...11] == ["30 sources", "Enter show  Esc back  Up Down choose"])
    _ = browser.press("↓↓↓↓↓↓↓↓")
    #expect(browser.lines[2] == "  source 3" && browser.lines[8] == "> source 9", "\(browser.lines)")
    _ = browser.press("⇟⇟⇟⇟⇟")
    #expect(browser.lines[8] == "> source 30")
    _ = browser.press("station")
    #expect(Array(browser.lines[1...3]) == ["source: station", "> Wetter-Stationen", ""])
    #expect(browser.lines[10] == "1 of 30 sources")
    _ = browser.press("x")
    #expect(browser.lines[2] == "  no source matches" && browser.press("⏎") == [] && browser.mode == .sources)
    _ = browser.press("⌫")
    #expect(browser.press("⏎") == [.feed(tab: 16, .appear)] && browser.current == 16 && browser.mode == .list)
    _ = browser.press("Sso⎋⎋")
    #expect(browser.mode == .list && browser.current == 16)
    #expect(browser.press("S^c") == [.quit(isInterrupted: true)])
  }

  @Test("a record that was found by a hidden field has that field below it, or a mark in a table")
  func reason() {
    var listing = TestListing(["Peter Parker", "Alias the Cat"])
    (listing.typed, listing.asked) = ("alias", "alias")
    let lines = Browser.showing(listing, 40, 12).lines
    #expect(lines[2...4] == ["> Peter Parker", "  Alias: hidden alias", "  Alias the Cat"])
    let table = Browser.showing(listing, 140, 12).lines
    #expect(table[3].hasPrefix(">*Peter Parker, 107") && table[4].hasPrefix("  Alias the Cat, 107"), "\(table)")
    #expect(table[2].hasSuffix("│ * Alias: hidden alias"))
    listing.asked = ""
    #expect(Browser.showing(listing, 40, 12).lines[3] == "  Alias the Cat")
  }

  @Test("from thirty-two rows the record is below the list")
  func tall() {
    let browser = Browser.showing(listing(), 40, 32)
    let record = browser.layout.record
    #expect(browser.lines[(record?.row ?? 1) - 1] == String(repeating: "─", count: 40))
    #expect(browser.lines[record?.row ?? 0] == "Name: France, EU")
  }

  @Test("the selected record is marked by a sign, by the cursor and by reversed colors, and colors can be left out")
  func selected() {
    let plain = Browser.showing(listing(), 40, 12).screen
    #expect(plain.cursor.map { [$0.column, $0.row] } == [0, 2] && plain.cells[2 * 40 + 5].style.contains(.reversed))
    #expect(!plain.cells.contains { $0.style.contains(.cyan) })
    #expect(Browser.showing(listing(), 40, 12, color: true).screen.cells.contains { $0.style.contains(.cyan) })
  }
}
