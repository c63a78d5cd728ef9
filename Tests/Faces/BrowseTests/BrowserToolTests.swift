import AggregatorCore
import Asking
import Feed
import Presentation
import RecordFormats
import Synchronization
import Testing

@testable import Browse
@testable import Terminal

@Suite("The browser as a tool: columns, order, conditions, marks, files, views") struct BrowserToolTests {
  @Test("s sorts the whole list by the current column: upwards, downwards, then as it was")
  func sorts() async {
    let driven = DrivenBrowser()
    await driven.begin()
    #expect(driven.titles == ["Berlin", "Bonn", "Paris", "Vaduz", "Łódź"])
    #expect(driven.browser.span?.path.text == "name")
    await driven.press("ll")
    #expect(driven.browser.span?.path.text == "people")
    await driven.press("s")
    #expect(driven.titles == ["Vaduz", "Bonn", "Łódź", "Paris", "Berlin"] && driven.lines[1] == "by people · a shows all")
    #expect(driven.lines[2].contains("PEOPLE↑"))
    await driven.press("s")
    #expect(
      driven.titles.first == "Berlin" && driven.lines[1] == "by people downwards · a shows all" && driven.lines[2].contains("PEOPLE↓"))
    await driven.press("s")
    #expect(driven.titles.first == "Berlin" && driven.titles.last == "Łódź" && driven.browser.choiceWords.isEmpty)
  }

  @Test("f keeps the records with the value of the cell, F the others, and the status says that it is a part")
  func filters() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press("lf")
    #expect(driven.titles == ["Berlin", "Bonn"] && driven.lines[1] == "where country=DE · a shows all")
    #expect(driven.browser.status.hasPrefix("all 2 that match"), "\(driven.browser.status)")
    await driven.press("hF")
    #expect(driven.titles == ["Bonn"] && driven.browser.choiceWords == "where country=DE and name!=Berlin")
    await driven.press("a")
    #expect(driven.titles.count == 5)
    // A missing value is one too.
    await driven.press("Gklf")
    #expect(driven.titles == ["Vaduz"] && driven.browser.choiceWords == "where country=null")
    await driven.press("⎋")
    #expect(driven.titles.count == 5 && driven.browser.choiceWords.isEmpty)
    // No single condition describes several values: a person types one.
    await driven.press("gll")
    #expect(driven.browser.span?.path.text == "rivers")
    await driven.press("f")
    #expect(driven.browser.mode == .line && driven.browser.line.text == "where rivers~")
    await driven.press("havel⏎")
    #expect(driven.titles == ["Berlin"])
  }

  @Test("a condition that no record meets says so, and lists the values")
  func meetsNone() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.run("where country=XX")
    #expect(driven.browser.emptyWords.contains("no record meets country=XX; country is one of DE, FR, PL"), "\(driven.browser.emptyWords)")
    #expect(driven.browser.emptyWords.hasSuffix("a shows all"))
  }

  @Test("a line takes the conditions and orders of list, names of sources, and bare conditions; an unknown word is told")
  func commands() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.run("sort country,-people")
    #expect(driven.titles == ["Berlin", "Bonn", "Paris", "Łódź", "Vaduz"])
    await driven.run("people>1000000")
    #expect(driven.titles == ["Berlin", "Paris"])
    await driven.run("where")
    await driven.run("--sort -people")
    #expect(driven.titles == ["Berlin", "Paris", "Łódź", "Bonn", "Vaduz"])
    await driven.run("sort nmae")
    #expect(
      driven.browser.message?.contains("unknown field \"nmae\"") == true && driven.titles.first == "Berlin",
      "\(driven.browser.message ?? "")")
    await driven.run("srot name")
    #expect(driven.browser.message == "unknown command \"srot\"; did you mean sort?", "\(driven.browser.message ?? "")")
    await driven.run("others")
    #expect(driven.browser.tab.source.name == "others" && driven.titles.first == "Łódź")
    await driven.run("source cities")
    #expect(driven.browser.tab.source.name == "cities")
    await driven.run("sync nowhere")
    #expect(driven.browser.message?.contains("unknown source \"nowhere\"") == true && driven.browser.tab.source.name == "cities")
    await driven.run("status others")
    #expect(driven.browser.message == "status takes no value")
    await driven.run("sync others")
    #expect(driven.browser.tab.source.name == "others")
    await driven.run("source cities")
    await driven.run("search bonn")
    #expect(driven.titles == ["Bonn"])
    await driven.run("q")
    #expect(driven.actions.last == .quit(isInterrupted: false))
  }

  @Test("in a line letters are letters, Tab completes commands and fields, and Esc leaves it")
  func line() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press(":sor⇥cou⇥")
    #expect(driven.browser.line.text == "sort country")
    #expect(driven.lines[1] == ":sort country" && driven.lines.last == "Enter run  Tab complete  Esc back")
    await driven.press("⏎")
    #expect(driven.browser.mode == .list && driven.browser.choiceWords == "by country")
    await driven.press(":q")
    #expect(driven.browser.mode == .line && driven.browser.line.text == "q")
    await driven.press("⎋")
    #expect(driven.browser.mode == .list && !driven.actions.contains(.quit(isInterrupted: false)))
    // A pasted line does not run by itself.
    await driven.press(":")
    _ = driven.browser.take(.paste("quit\n\u{1B}[2J"))
    #expect(driven.browser.mode == .line && !driven.lines[1].contains("\u{1B}"))
  }

  @Test("columns are chosen, hidden and shown by name, and a table scrolls sideways to the current one")
  func columns() async {
    let driven = DrivenBrowser(Array(City.all.prefix(3)), 100, 20)
    await driven.begin()
    await driven.press("z")
    #expect(driven.browser.layout.isTable && driven.browser.layout.record == nil)
    await driven.press("-")
    #expect(!driven.lines[2].contains("NAME") && driven.browser.message == "Name is hidden; v chooses the columns")
    await driven.run("fields people,name")
    #expect(driven.lines[2].trimmingSpaces.hasPrefix("PEOPLE") && !driven.lines[2].contains("COUNTRY"))
    await driven.press("v")
    #expect(driven.browser.mode == .columns && driven.lines.contains { $0.contains("[x] name") && $0.contains("Berlin") })
    #expect(driven.lines.contains { $0.contains("[ ] country") })
    await driven.press("country ⏎")
    #expect(driven.browser.mode == .list && driven.lines[2].contains("COUNTRY"))
    await driven.run("fields")
    let narrow = DrivenBrowser(City.all.map { city in copy(of: city) { $0.country = String(repeating: "long ", count: 9) } }, 64, 12)
    await narrow.begin()
    await narrow.press("z")
    for _ in 0..<6 {
      await narrow.press("l")
      #expect(narrow.browser.span.map { narrow.browser.spans.contains($0) } == true)
    }
    #expect(narrow.lines[2].contains("RIVERS") && narrow.lines[2].contains("ID"), "\(narrow.lines)")
    for _ in 0..<6 { await narrow.press("h") }
    #expect(narrow.browser.span?.path.text == "id" && narrow.lines[2].contains("NAME"))
  }

  @Test("c copies the cell, y the id, and Y the record as JSON, as list has it or in full")
  func copies() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press("c")
    #expect(driven.hasCopied("Berlin"))
    await driven.press("y")
    #expect(driven.hasCopied("1"))
    await driven.press("Y")
    #expect(driven.hasCopied(jsonText(City.schema.value(of: City.all[0]))))
  }

  @Test("a source that cannot be opened says why, r opens it again, and D does not wait forever")
  func unopened() async throws {
    let attempts = Mutex(0)
    let source = BrowsedSource("cities", searches: nil, pick: SourceDescriptor.Pick(verb: "deal", title: "Deal")) {
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt < 4 { throw SourceError(.settings, "attempt \(attempt) failed") }
      return BundledRecords<City>("cities") { RecordList(City.all) }.opened(clock: FixedTime())
    }
    let driven = DrivenBrowser(over: [source])
    await driven.begin()
    #expect(driven.lines.contains { $0.contains("cities: attempt 1 failed; r tries again") }, "\(driven.lines)")
    await driven.press("r")
    #expect(driven.lines.contains { $0.contains("cities: attempt 2 failed; r tries again") }, "\(driven.lines)")
    await driven.press("D")
    #expect(driven.browser.message == "cities: attempt 3 failed")
    await driven.press("r")
    #expect(driven.titles.first == "Berlin")
  }

  @Test("marked records are exported in the order of the list, and without marks the list in its conditions and order")
  func exports() async throws {
    let exported = Mutex<[BrowseExport]>([])
    let driven = DrivenBrowser { export in
      exported.withLock { $0.append(export) }
      return "wrote \(export.path)"
    }
    await driven.begin()
    await driven.run("sort -people")
    await driven.press("jxgx")
    #expect(driven.browser.status.hasSuffix("2 marked") && driven.lines[3].hasPrefix(" +1"), "\(driven.lines)")
    await driven.press("e")
    #expect(driven.browser.line.text == "export cities.csv")
    await driven.press("⏎")
    #expect(driven.browser.message == "wrote cities.csv")
    await driven.press("X")
    await driven.run("where country=DE")
    await driven.run("export all.json")
    let (marked, all) = try exported.withLock { (try #require($0.first), try #require($0.last)) }
    guard case .records(let records, let summary) = marked.content, case .list(_, let ask) = all.content else {
      Issue.record("\(exported.withLock { $0.map(\.path) })")
      return
    }
    #expect(records.map(\.id) == ["1", "3"] && summary.verdict == .bounded)
    #expect(ask.limit == nil && ask.conditions.map(\.description) == ["country=DE"] && ask.order.count == 1 && all.path == "all.json")
  }

  @Test("a view has the rows of all sources; Enter shows the record in its source, and Esc comes back")
  func views() async {
    let targets = City.all.map { BrowsedTarget(source: "others", id: $0.id) }
    let view = BrowsedView { text in
      var rows = ViewRows(
        City.all, of: City.fields, full: ["id", "name"], about: { city in targets.first { $0.id == city.id } ?? targets[0] },
        at: Moment(nanoseconds: 0))
      rows.words = "five rows for \"\(text)\""
      return rows
    }
    let driven = DrivenBrowser(views: [BrowsedSource("status", view), BrowsedSource("found", searches: "every source", view)])
    await driven.begin()
    await driven.press("!")
    #expect(
      driven.lines[0].contains("[! status (5)]") && driven.browser.status == "all 5 · five rows for \"\""
        || driven.browser.status == "five rows for \"\"")
    // All rows are at hand, so that they are sorted and filtered here.
    await driven.run("sort -people")
    await driven.run("where people<1000000")
    #expect(driven.titles == ["Łódź", "Bonn", "Vaduz"])
    // The row has the place 3 in the view, and is about the record 4.
    await driven.press("jjy")
    #expect(driven.hasCopied("4"))
    await driven.press("kk")
    await driven.press("j⏎")
    #expect(driven.browser.tab.source.name == "others" && driven.browser.mode == .record && driven.browser.listing.detail?.id == "2")
    // Keys are about the record that is shown, also where the list is another one.
    #expect(driven.browser.tab.record?.id == "2" && driven.lines.contains { $0.hasPrefix("> 2") })
    await driven.run("where id=1")
    await driven.press("!")
    await driven.press("⏎")
    #expect(driven.browser.listing.detail?.id != driven.browser.tab.record?.id && !driven.lines.contains { $0.hasPrefix(">") })
    await driven.press("y")
    #expect(driven.hasCopied(driven.browser.listing.detail?.id ?? "none"))
    await driven.press("⎋")
    await driven.run("others")
    await driven.press("a!j⏎")
    await driven.press("⎋")
    #expect(driven.browser.tab.source.name == "status" && driven.browser.mode == .list)
    await driven.press("⎋⎋")
    #expect(driven.browser.tab.source.name == "others")
    await driven.press("Aada⏎")
    #expect(driven.browser.tab.source.name == "found" && driven.browser.status == "five rows for \"ada\"")
    // Tab goes through the sources alone.
    await driven.press("⇥")
    #expect(driven.browser.tab.source.name == "cities")
  }

  @Test("the tenth source has the key 0, and what is beyond has S")
  func tenth() {
    let sources = (1...12).map { number in BrowsedSource("s\(number)", searches: nil) { throw SourceError(.settings, "closed") } }
    var browser = Browser(
      sources, on: TerminalSize(columns: 120, rows: 20), look: BrowserLook(isColored: false, now: { Moment(nanoseconds: 0) }))
    _ = browser.press("0")
    #expect(browser.current == 9 && browser.lines[0].contains("[0 s10]") && browser.lines[0].contains("s12"))
    _ = browser.press("?")
    #expect(browser.helpLines.contains { $0.hasPrefix("1 to 9, 0") && $0.hasSuffix("that source; S chooses from all") })
  }

  @Test("Enter beside an open record moves the focus where a person sees it, without colors too")
  func focus() async {
    let driven = DrivenBrowser()
    await driven.begin()
    #expect(driven.lines[4].contains("│") && !driven.lines[4].contains("┃"))
    await driven.press("⏎")
    #expect(driven.lines[4].contains("┃") && driven.lines.last?.hasPrefix("record: Esc back") == true)
    let row = driven.browser.layout.list.row
    let cells = driven.browser.screen.cells[row * 120..<row * 120 + 10]
    #expect(cells.allSatisfy { !$0.style.contains(.reversed) } && cells.first?.text == ">")
  }

  @Test("help shows the keys that work here: with columns, without, and for a record")
  func help() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press("?")
    let list = driven.browser.helpLines
    #expect(list.contains { $0.hasPrefix("l, Right") } && list.contains { $0.hasPrefix(":where") } && !list.contains { $0.hasPrefix("! ") })
    await driven.press("??")
    await driven.press("⎋⏎?")
    let record = driven.browser.helpLines
    #expect(!record.contains { $0.hasPrefix("s ") } && record.contains { $0.hasPrefix("Y ") } && record.count < list.count / 2)
    let cards = DrivenBrowser(City.all, 50, 20)
    await cards.begin()
    await cards.press("?")
    #expect(!cards.browser.helpLines.contains { $0.hasPrefix("l, Right") } && cards.browser.helpLines.contains { $0.hasPrefix("s ") })
  }

  @Test("a press on a heading sorts by that column, once the browser has the mouse")
  func heading() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press("Mz")
    let column = driven.lines[2].unicodeScalars.firstIndex(of: "P").map {
      driven.lines[2].unicodeScalars.distance(from: driven.lines[2].startIndex, to: $0)
    }
    let actions = driven.browser.take(.mouse(MouseEvent(.press, column: column ?? 0, row: 2)))
    #expect(driven.browser.span?.path.text == "people")
    #expect(actions.contains { if case .feed(0, .choose(let choice)) = $0 { choice.order.first?.path.text == "people" } else { false } })
  }

  @Test("a mark stays on its record while the order changes, and x in a record marks that")
  func marks() async {
    let driven = DrivenBrowser()
    await driven.begin()
    await driven.press("jx")
    #expect(driven.browser.tab.marked.keys.sorted() == ["2"] && driven.browser.tab.selected == 2)
    await driven.run("sort -people")
    #expect(driven.lines.contains { $0.contains("+2") && $0.contains("Bonn") })
    await driven.press("g⏎x")
    #expect(driven.browser.tab.marked.keys.sorted() == ["1", "2"] && driven.browser.tab.selected == 0 && driven.browser.mode == .record)
  }
}
