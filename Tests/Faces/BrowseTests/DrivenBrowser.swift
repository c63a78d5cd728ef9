import AggregatorCore
import Asking
import Feed
import Platform
import Presentation
import RecordFormats

@testable import Browse
@testable import Terminal

/// A city, with a value of every kind.
struct City: Record {
  var id = ""
  var name = ""
  var country: String?
  var people = 0
  var rivers: [String] = []

  static let fields: [Field<City>] = [
    Field("id", \.id), Field("name", \.name, .title, searchable: true), Field("country", \.country), Field("people", \.people),
    Field("rivers", \.rivers),
  ]

  static let all = [
    City(id: "1", name: "Berlin", country: "DE", people: 3_700_000, rivers: ["Spree", "Havel"]),
    City(id: "2", name: "Bonn", country: "DE", people: 330_000, rivers: ["Rhine"]),
    City(id: "3", name: "Paris", country: "FR", people: 2_100_000),
    City(id: "4", name: "Vaduz", people: 5_700), City(id: "5", name: "Łódź", country: "PL", people: 660_000),
  ]
}

/// A browser over sources that are really asked, without a terminal.
final class DrivenBrowser {
  var browser: Browser
  private let tabs: OpenTabs
  private let inbox = Inbox<TabNews>()
  /// All actions so far.
  private(set) var actions: [BrowserAction] = []

  /// A browser over the cities and these views, on a screen of that size.
  convenience init(
    _ cities: [City] = City.all, views: [BrowsedSource] = [], _ columns: Int = 120, _ rows: Int = 20, isOffline: Bool = true,
    exporting: BrowseExporting? = nil
  ) {
    let sources = [
      BrowsedSource("cities", searches: "name") { BundledRecords<City>("cities") { RecordList(cities) }.opened(clock: FixedTime()) },
      BrowsedSource("others", searches: "name") {
        BundledRecords<City>("others") { RecordList(Array(cities.reversed())) }.opened(clock: FixedTime())
      },
    ]
    self.init(over: sources + views, columns, rows, isOffline: isOffline, exporting: exporting)
  }

  /// A browser over these sources and views.
  init(over sources: [BrowsedSource], _ columns: Int = 120, _ rows: Int = 20, isOffline: Bool = true, exporting: BrowseExporting? = nil) {
    let look = BrowserLook(isColored: false, isOffline: isOffline, now: { Moment(nanoseconds: 0) })
    browser = Browser(sources, on: TerminalSize(columns: columns, rows: rows), look: look)
    tabs = OpenTabs(sources, exporting: exporting) { [inbox] in inbox.post([$0]) }
  }

  func begin() async { await settle(browser.begin()) }

  /// Presses keys, as `Browser.press` reads them, and waits for what they ask for. `⇤` is the left arrow.
  func press(_ keys: String) async { for key in keys { await settle(browser.press(String(key))) } }

  /// Types a line after `:` and runs it.
  func run(_ line: String) async { await settle(browser.run(line)) }

  private func settle(_ actions: [BrowserAction]) async {
    perform(actions)
    while browser.isWorking { for news in await inbox.next() { perform(tabs.show(news, in: &browser)) } }
  }

  private func perform(_ actions: [BrowserAction]) {
    self.actions += actions
    for action in actions { perform(tabs.perform(action, of: &browser)) }
  }

  var lines: [String] { browser.lines }

  /// The titles of the records in the list.
  var titles: [String] { browser.items.map(\.look.card.title) }

  /// True when exactly this text was copied last.
  func hasCopied(_ text: String) -> Bool {
    let copies = actions.filter { if case .copy = $0 { true } else { false } }
    return copies.last == .copy(Array("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{1B}\\".utf8))
  }
}

/// A clock that stands still.
struct FixedTime: Timekeeper {
  var now: Moment { Moment(nanoseconds: 0) }
  func sleep(until moment: Moment) async throws {}
}
