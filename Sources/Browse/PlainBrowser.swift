package import AggregatorCore
import Feed
import Platform
import Presentation
import RecordFormats
import Terminal

/// The browser without a screen, for screen readers and simple terminals. A person types lines, and the answer to each is written below
/// it. Nothing that was written changes.
package final class PlainBrowser {
  /// An event while it runs.
  private enum Event: Sendable {
    /// A line was typed; nil at the end of the lines.
    case line(String?)
    case news(TabNews)
    /// The time to wait for what still loads is over.
    case graceOver
  }

  /// The number of records that are written at a time.
  private static let page = 10
  /// Lines are not wrapped; the program that shows them does that.
  private static let width = 10_000

  private let clock: any Timekeeper
  private let grace: Duration
  private let readLine: @Sendable () -> String?
  private let write: (String) throws -> Void
  private var browser: Browser
  private let inbox = Inbox<Event>()
  private let tabs: OpenTabs
  /// The number of records written so far.
  private var written = 0
  /// The lines that came and were not carried out yet; nil at their end.
  private var lines: [String?] = []
  private var isReading = false
  private var isGraceOver = false

  /// `read` waits for the next line and returns it, or nil at the end. `write` takes whole lines and the
  /// prompt, which have to appear at once.
  ///
  /// If the next line is to quit, whatever is still loading gets the time `grace` to come.
  package init(
    _ sources: [BrowsedSource], showing first: Int = 0, look: BrowserLook, clock: any Timekeeper, grace: Duration,
    exporting: BrowseExporting? = nil, reading read: @escaping @Sendable () -> String?,
    writing write: @escaping (String) throws -> Void
  ) {
    (self.clock, self.grace, readLine, self.write) = (clock, grace, read, write)
    var look = look
    look.readsLines = true
    browser = Browser(sources, showing: first, on: TerminalSize(columns: 80, rows: 24), look: look)
    tabs = OpenTabs(sources, exporting: exporting) { [inbox] in inbox.post([.news($0)]) }
  }

  package func run() async throws {
    do {
      try write("type ? for what can be typed, q to quit\n")
      try await wait(for: browser.begin())
      try restart()
      while true {
        try write("\(browser.tab.source.name)> ")
        let line = try await nextLine()
        // A deletion may have been refused meanwhile.
        try sayMessage()
        if line == nil { try write("\n") }
        guard let line, !Self.quits(line) else { break }
        try await obey(line.trimmingSpaces)
        browser.message = nil
      }
    } catch is CancellationError {
      try say("stopped loading")
    }
    await tabs.close()
  }
}

// MARK: - Events

extension PlainBrowser {
  private static func quits(_ line: String?) -> Bool {
    guard let word = line?.trimmingSpaces.prefix(while: { $0 != " " }) else { return true }
    return BrowserVerb(typed: String(word)) == .quit
      || word.first == ":" && BrowserCommand.word(of: String(word.dropFirst())) == "quit"
  }

  /// Reads a line on a thread of its own, so that it can come while something loads.
  private func readAhead() {
    guard lines.isEmpty, !isReading else { return }
    isReading = true
    let read: @Sendable () -> Void = { [inbox, readLine] in inbox.post([.line(readLine())]) }
    if !SystemThread.start(read) { read() }
  }

  private func nextLine() async throws -> String? {
    readAhead()
    while lines.isEmpty { try await takeEvents() }
    return lines.removeFirst()
  }

  /// Handles the events that have come, or waits for the next ones.
  private func takeEvents() async throws {
    let events = await inbox.next()
    if events.isEmpty { throw CancellationError() }
    for event in events {
      switch event {
      case .line(let line):
        isReading = false
        lines.append(line)
      case .news(let news): perform(tabs.show(news, in: &browser))
      case .graceOver: isGraceOver = true
      }
    }
  }

  private func perform(_ actions: [BrowserAction]) {
    for action in actions {
      // Nothing scrolls here: a person asks for more with a line.
      if case .feed(_, .nearEnd) = action { continue }
      perform(tabs.perform(action, of: &browser))
    }
  }

  /// Carries out actions, and waits until nothing is under way. Throws a cancellation if the next line is to
  /// quit and loading takes too long.
  private func wait(for actions: [BrowserAction]) async throws {
    perform(actions)
    // Work under way is invisible here, so a line tells of it. Without a service nothing takes long, so each
    // line is carried out to its end.
    let takesLong = browser.isWorking && !browser.look.isOffline
    if takesLong { try say(browser.listing.typed.isEmpty ? "loading…" : "searching…") }
    var leaving: Task<Void, any Error>?
    defer { leaving?.cancel() }
    while browser.isWorking, !isGraceOver {
      if takesLong { readAhead() }
      if let line = lines.first {
        if leaving == nil, Self.quits(line) {
          leaving = Task { [inbox, clock, grace] in
            try await clock.sleep(for: grace)
            inbox.post([.graceOver])
          }
        } else if BrowserVerb(typed: line ?? "") == .standIn, browser.canStandIn {
          lines.removeFirst()
          perform(browser.take(.standIn))
          continue
        }
      }
      try await takeEvents()
    }
    if browser.isWorking { throw CancellationError() }
  }

  /// Does what a key does, and waits until nothing is under way.
  private func press(_ verb: BrowserVerb, at index: Int? = nil) async throws {
    try await wait(for: browser.take(verb, at: index))
  }
}

// MARK: - Typed lines

extension PlainBrowser {
  private func obey(_ line: String) async throws {
    let word = String(line.prefix { $0 != " " })
    let rest = String(line.dropFirst(word.count)).trimmingSpaces
    if line.hasPrefix(":") {
      let before = browser.current
      try await wait(for: browser.run(String(line.dropFirst())))
      if browser.mode == .line { browser.mode = .list }
      if browser.message != nil, browser.current == before { try sayMessage() } else { try restart() }
    } else if line.hasPrefix("/") {
      try await search(String(line.dropFirst()).trimmingSpaces)
    } else if let number = Int(line) {
      try await show(number: number)
    } else if let index = browser.tabs.firstIndex(where: { $0.source.name == line }) {
      try await press(.tab(index))
      try restart()
    } else {
      switch BrowserVerb(typed: word) {
      case .help: try write(help)
      case .pageDown, .more: try await more()
      case .top: try restart()
      case .refresh: try await refresh()
      case .delete: try await delete(rest)
      case .undo: try await undo()
      case .pick: try await pick()
      case .showAll:
        try await press(.showAll)
        try restart()
      case .standIn:
        try await press(.standIn)
        try sayMessage()
      default: try say("\"\(line)\" is not known; type ? for what can be typed")
      }
    }
  }

  private func search(_ text: String) async throws {
    try await press(.search)
    guard browser.mode == .typing else { return try sayMessage() }
    perform(browser.search(text))
    try await wait(for: browser.take(.key(Key(.enter))))
    try restart()
  }

  private func refresh() async throws {
    let (wasFailed, hadRecords) = (listing.head.error != nil || listing.tail.error != nil, !listing.items.isEmpty)
    try await press(.refresh)
    if wasFailed, hadRecords { try await more() } else { try restart() }
  }

  private func more() async throws {
    if let suggestion = listing.suggestion { return try await search(suggestion) }
    if written >= listing.items.count { try await press(.more) }
    guard written < listing.items.count else {
      return try say(browser.tailWords ?? (browser.status.isEmpty ? browser.emptyWords : browser.status))
    }
    try writeRows()
    if let tail = browser.tailWords, written == listing.items.count { try say(tail) }
  }

  private func show(number: Int) async throws {
    guard number >= 1, number <= listing.items.count else {
      return try say(listing.items.isEmpty ? "no records" : "type a number from 1 to \(listing.items.count)")
    }
    try await press(.open, at: number - 1)
    if let error = listing.detail?.phase.error { try say(browser.look.text(error)) }
    let record = listing.detail.map(\.item) ?? browser.tab.record
    for line in record?.look.lines(width: Self.width) ?? [] { try say(line) }
    if browser.mode == .record { try await press(.close) }
  }

  private func delete(_ text: String) async throws {
    // A person cannot mean a record that was not listed yet.
    let index = Int(text).map { $0.adding(-1) }.flatMap { 0..<min(written, listing.items.count) ~= $0 ? $0 : nil }
    guard index != nil || !listing.canDelete else { return try say("type d and the number of a record that was listed") }
    let record = index.map { listing.items[$0] }
    try await press(.delete, at: index)
    guard let record, listing.canDelete else { return try sayMessage() }
    written -= 1
    let title = record.look.card.title
    let undoing = browser.undoing(record.id)
    try say(
      "deleted \(title == record.id ? title : "\(title), \(record.id)"); \(undoing); the records after it moved up by one")
    // The deletion may have been refused already, and then no further news comes.
    if listing.refusal != nil { try sayMessage() }
  }

  private func undo() async throws {
    let id = listing.undoable
    try await press(.undo)
    guard let id, let index = listing.index(of: id, near: written) else { return try sayMessage() }
    if index < written { written += 1 }
    try say("restored \(id); it is record \(index + 1), and the records after it moved down by one")
  }

  private func pick() async throws {
    try await press(.pick)
    guard let pick = browser.tab.source.pick, browser.tab.pick.listing != nil, browser.message == nil else {
      return try sayMessage()
    }
    try say("\(pick.title); a shows all again")
    try restart()
  }
}

// MARK: - Output

extension PlainBrowser {
  /// The records that are numbered: the list, or the picked record in its place.
  private var listing: Listing { browser.listing }

  private func say(_ text: String) throws { try write(Printable.clean(text) + "\n") }

  /// Writes the message of the browser about the last line.
  private func sayMessage() throws {
    if let message = browser.message { try say(message) }
    browser.message = nil
  }

  private func restart() throws {
    written = 0
    if !browser.status.isEmpty { try say(browser.status) }
    if listing.items.isEmpty { try say(browser.emptyWords) }
    try writeRows()
  }

  private func writeRows() throws {
    let end = min(listing.items.count, written + Self.page)
    for index in written..<max(written, end) {
      let card = listing.items[index].look.card
      let parts = [card.title, card.badge, card.subtitle].filter { !$0.isEmpty }.joined(separator: ". ")
      try say("\(index + 1) of \(listing.items.count): \(parts)")
    }
    written = end
  }

  /// The lines that can be typed, from the table of keys.
  private var help: String {
    let typed = browser.offeredKeys.compactMap { key in key.typed.map { ($0.line, $0.does ?? key.words) } }
    let names = browser.tabs.map(\.source.name)
    let commands = BrowserCommand.all.map { (":\($0.name)" + ($0.value.map { " \($0)" } ?? ""), $0.does) }
    let lines = typed + (names.count > 1 ? [(names.joined(separator: ", "), "that source or view")] : []) + commands
    return lines.map { "\($0): \($1)\n" }.joined()
  }
}
