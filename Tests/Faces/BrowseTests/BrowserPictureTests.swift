import AggregatorCore
import Feed
import Platform
import Testing

@testable import Browse
@testable import Terminal

@Suite("The browser's pictures") struct BrowserPictureTests {
  private static func address(_ name: String) throws -> WebAddress { try #require(WebAddress("https://pictures.example/\(name)")) }

  private func listing(_ names: String...) throws -> TestListing {
    var listing = TestListing(["a", "b", "c"], total: 3)
    listing.tail = .ended(.complete)
    for name in names { listing.pictures[name] = try Self.address(name) }
    return listing
  }

  /// A wide screen, on which the record is beside the list.
  private func browser(_ listing: TestListing, _ columns: Int = 120, _ rows: Int = 30) -> Browser {
    Browser.showing(listing, columns, rows, color: true, pictures: true)
  }

  private func drawn(_ sign: String, _ columns: Int = 4, _ rows: Int = 3) throws -> DrawnPicture {
    let line = String(repeating: sign, count: columns)
    let lines = Array(repeating: line, count: rows).joined(separator: "\n")
    return .characters(try #require(CharacterPicture(Array(lines.utf8), columns: columns, rows: rows)))
  }

  private func record(of browser: Browser) -> [String] {
    browser.screen.lines.dropFirst(2).map {
      $0.split(separator: "│", maxSplits: 1, omittingEmptySubsequences: false).last.map { String($0.dropFirst()) } ?? ""
    }
  }

  @Test("a picture stands above its record, and the last pictures appear at once")
  func shown() throws {
    var browser = browser(try listing("a", "b"))
    let first = try #require(browser.pictures.wanted)
    #expect(first == PictureRequest(address: try Self.address("a"), columns: 36, rows: 12))
    // No room is reserved before the first picture came.
    #expect(record(of: browser).first == "Name: a")
    #expect(browser.show(.success(try drawn("@")), for: first).isEmpty)
    #expect(record(of: browser).prefix(5) == ["@@@@", "@@@@", "@@@@", "", "Name: a"])
    let actions = browser.press("j")
    let second = PictureRequest(address: try Self.address("b"), columns: 36, rows: 12)
    #expect(actions == [.picture(second)])
    // Room is reserved for the next picture, so that the lines do not jump.
    #expect(record(of: browser)[13] == "Name: b")
    _ = browser.show(.success(try drawn("#")), for: second)
    #expect(record(of: browser)[0] == "####")
    // The picture is in memory: nothing has to be brought, and the picture under way is not wanted any more.
    #expect(browser.press("k") == [.picture(nil)] && record(of: browser)[0] == "@@@@")
    // A record without a picture.
    #expect(browser.press("G") == [.picture(nil)] && record(of: browser)[0] == "Name: c")
  }

  @Test("a late picture of another record is not shown")
  func late() throws {
    var browser = browser(try listing("a", "b"))
    let first = try #require(browser.pictures.wanted)
    _ = browser.press("j")
    _ = browser.show(.success(try drawn("@")), for: first)
    #expect(!browser.lines.joined().contains("@"))
    _ = browser.press("k")
    #expect(record(of: browser)[0] == "@@@@")
  }

  @Test("an error is shown in the picture's place, but not that nothing is downloaded offline")
  func trouble() throws {
    var browser = browser(try listing("a", "b"))
    let request = try #require(browser.pictures.wanted)
    _ = browser.show(.failure(SourceError(.malformed, "the picture at x: it is a web page\u{1B}[2J")), for: request)
    #expect(record(of: browser).prefix(3) == ["the picture at x: it is a web page", "", "Name: a"])
    // The picture is brought again when a person asks for everything anew.
    #expect(browser.press("r").contains(.picture(request)) && record(of: browser)[0] == "Name: a")
    _ = browser.press("j")
    #expect(record(of: browser)[0] == "Name: b")
    _ = browser.show(.failure(SourceError(.notStored, "it is not cached")), for: try #require(browser.pictures.wanted))
    #expect(record(of: browser)[0] == "Name: b")
  }

  @Test("i hides pictures and shows them again; if none can be shown, it says so")
  func hidden() throws {
    var browser = browser(try listing("a"))
    let request = try #require(browser.pictures.wanted)
    _ = browser.show(.success(try drawn("@")), for: request)
    #expect(browser.press("i") == [.picture(nil)] && browser.lines.last == "pictures are hidden" && record(of: browser)[0] == "Name: a")
    #expect(browser.press("i") == [.picture(nil)] && record(of: browser)[0] == "@@@@")
    _ = browser.press("?")
    #expect(browser.placement == nil && !browser.lines.joined().contains("@"))
    #expect(browser.helpLines.contains { $0.hasPrefix("i ") })
    var without = Browser.showing(try listing("a"), 120, 30)
    #expect(without.press("i").isEmpty && without.lines.last?.hasPrefix("no pictures: 'chafa' is not installed") == true)
  }

  @Test("a picture is at most half as large as its place, and is left out without room")
  func room() throws {
    // The record is beside the list, in the list's place, or not shown.
    #expect(browser(try listing("a"), 120, 14).pictures.wanted?.rows == 4)
    #expect(browser(try listing("a"), 120, 12).pictures.wanted == nil)
    var narrow = browser(try listing("a"), 20, 24)
    #expect(narrow.pictures.wanted == nil)
    #expect(narrow.press("⏎").contains(.picture(PictureRequest(address: try Self.address("a"), columns: 20, rows: 9))))
    var tiny = browser(try listing("a"), 20, 5)
    #expect(!tiny.press("⏎").contains { if case .picture = $0 { true } else { false } })
  }

  @Test("a picture scrolls with the record; one that the terminal draws is removed when it is not whole")
  func scrolls() throws {
    var browser = browser(try listing("a"), 60, 14)
    _ = browser.press("⏎")
    let request = try #require(browser.pictures.wanted)
    let pixels = try #require(KittyPicture(shownBy: Array("\u{1B}_Gf=24,s=1,v=1;AAAA\u{1B}\\".utf8)))
    _ = browser.show(.success(.pixels(pixels, columns: 8, rows: 7)), for: request)
    #expect(browser.placement == KittyPlane.Placement(pixels, at: (0, 2), columns: 8, rows: 7))
    #expect(browser.lines[10] == "Name: a" && browser.lines[2...9].allSatisfy { $0.isEmpty })
    _ = browser.press("j")
    #expect(browser.placement == nil && browser.recordTop == 1)
    _ = browser.press("⎋")
    #expect(browser.placement == nil)
  }

  @Test("a frame with the most colorful picture is small enough for a slow line")
  func frame() throws {
    var browser = browser(try listing("a"))
    let request = try #require(browser.pictures.wanted)
    let before = browser.screen
    let lines = (0..<request.rows).map { row in
      (0..<request.columns).map { "\u{1B}[38;5;\(100 + ($0 * 7 + row) % 156);48;5;\(100 + ($0 * 11 + row) % 156)m▄" }.joined()
    }
    let picture = try #require(CharacterPicture(Array(lines.joined(separator: "\n").utf8), columns: request.columns, rows: request.rows))
    _ = browser.show(.success(.characters(picture)), for: request)
    let frame = browser.screen.difference(from: before)
    #expect(frame.count > 8_000 && frame.count < 16_000, "\(frame.count)")
  }
}

@Suite("The browser's mouse, and what it copies") struct BrowserMouseTests {
  private func click(_ browser: inout Browser, _ column: Int, _ row: Int) -> [BrowserAction] {
    browser.take(.mouse(MouseEvent(.press, column: column, row: row)))
  }

  private func browser(_ columns: Int = 60, _ rows: Int = 14) -> Browser {
    var listing = TestListing((1...40).map { "r\($0)" }, subtitle: "below")
    listing.tail = .ended(.complete)
    return Browser.showing(listing, columns, rows)
  }

  @Test("the mouse belongs to the terminal unless M gives it to the browser")
  func toggles() {
    var browser = browser()
    #expect(click(&browser, 0, 6).isEmpty && browser.tab.selected == 0)
    #expect(browser.press("M") == [.takeMouse(true)])
    #expect(click(&browser, 0, 6).isEmpty && browser.tab.selected == 2)
    #expect(browser.press("M") == [.takeMouse(false)] && click(&browser, 0, 2).isEmpty && browser.tab.selected == 2)
  }

  @Test("a press on either line of a card selects it, and a second one opens it; tabs and the search field can be pressed")
  func presses() {
    var browser = browser()
    _ = browser.press("M")
    for (row, selected) in [(3, 0), (4, 1), (5, 1), (8, 3), (9, 3)] {
      _ = click(&browser, 5, 2)
      if browser.mode == .record { _ = browser.press("⎋") }
      _ = browser.press("g")
      if row > 3 { #expect(click(&browser, 5, row).isEmpty) }
      #expect(browser.tab.selected == selected, "row \(row)")
    }
    #expect(click(&browser, 5, 8) == [.feed(tab: 0, .show("r4"))] && browser.mode == .record)
    // The record is in the list's place, and has no card to press.
    #expect(click(&browser, 5, 4).isEmpty && browser.tab.selected == 3)
    _ = browser.press("⎋")
    #expect(click(&browser, 30, 1).isEmpty && browser.mode == .typing)
    // `[1 countries (40)] 2 heroes  3 products  4 users`
    for (column, tab) in [(0, 0), (17, 0), (18, 1), (27, 1), (28, 2), (59, 3)] {
      _ = click(&browser, column, 0)
      #expect(browser.current == tab, "column \(column)")
    }
    // Below everything, and on the line of keys.
    _ = browser.press("1")
    for row in [12, 13, 99] { #expect(click(&browser, 5, row).isEmpty && browser.mode == .list) }
  }

  @Test("beside the list the record stays where it is, and a press on another card goes there")
  func beside() {
    var browser = browser(120, 14)
    _ = browser.press("M⏎")
    #expect(browser.mode == .record && click(&browser, 100, 4).isEmpty && browser.mode == .record)
    #expect(click(&browser, 3, 6) == [.feed(tab: 0, .hide)] && browser.mode == .list && browser.tab.selected == 2)
  }

  @Test("the wheel moves the selection, and scrolls the record and the keys")
  func wheel() {
    var browser = browser()
    _ = browser.press("M")
    func turn(_ kind: MouseEvent.Kind) { _ = browser.take(.mouse(MouseEvent(kind, column: 3, row: 3))) }
    turn(.wheelDown)
    #expect(browser.tab.selected == 3)
    turn(.wheelUp)
    turn(.wheelUp)
    #expect(browser.tab.selected == 0)
    _ = browser.press("?")
    turn(.wheelDown)
    #expect(browser.helpTop == 3 && browser.tab.selected == 0)
  }

  private static func copying(_ text: String) -> [UInt8] { Array("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{1B}\\".utf8) }

  @Test("y copies the id as shown, and o shows and copies the address of the record's page")
  func copies() {
    var listing = TestListing(["a\u{1B}[2J\u{202E}", "b"])
    listing.tail = .ended(.complete)
    listing.links["b"] = WebAddress("https://x.example/b")
    var browser = Browser.showing(listing, 80, 60)
    #expect(browser.press("y") == [.copy(Self.copying("a"))] && browser.lines.last == "copied a, if the terminal allows it")
    #expect(browser.press("o").isEmpty && browser.lines.last == "the record has no link")
    #expect(browser.press("jo") == [.copy(Self.copying("https://x.example/b"))])
    #expect(browser.lines.last == "https://x.example/b (copied, if the terminal allows it)")
    _ = browser.press("?")
    #expect(browser.lines.contains { $0.hasPrefix("o ") } && browser.lines.contains { $0.hasPrefix("y ") })
    var long = TestListing([String(repeating: "x", count: 50_001)])
    long.tail = .ended(.complete)
    browser = Browser.showing(long, 80, 60)
    #expect(browser.press("y").isEmpty && browser.lines.last == "this is too long to be copied")
  }

  @Test("long work moves a sign, which disappears when it is done")
  func sign() {
    var listing = TestListing.numbered(3)
    listing.tail = .loading
    var browser = Browser.showing(listing, 40, 12)
    #expect(browser.isWorking && !browser.lines[10].hasSuffix("|"))
    browser.turn()
    #expect(browser.lines[10] == "the first 3 · live                     |")
    browser.turn()
    #expect(browser.lines[10].hasSuffix("/"))
    listing.tail = .more
    _ = browser.show(listing, in: 0)
    #expect(browser.lines[10] == "the first 3 · live")
    browser.turn()
    #expect(browser.lines[10] == "the first 3 · live")
  }
}
