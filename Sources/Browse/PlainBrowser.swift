package import AggregatorCore
import Feed
import Presentation

/// The browser without a screen, for screen readers and terminals that can do little: lines are typed, and what becomes of each is written
/// below; nothing that was written changes.
package final class PlainBrowser {
  /// How many records are written at a time.
  private static var page: Int { 10 }

  private let sources: [BrowsedSource]
  private var look: BrowserLook
  private let clock: any Timekeeper
  private let grace: Duration
  private let readLine: @Sendable () -> String?
  private let write: (String) throws -> Void
  private var current: Int
  private var tabs: [Int: any OpenTab] = [:]
  /// The record that was chosen at random, while it takes the list's place.
  private var picked: (any Listing)?
  /// How many records were written.
  private var written = 0
  /// The line behind the one that is obeyed.
  private var lineAhead: Task<String?, Never>?

  /// `read` waits for the next line and gives it, nil at the end; `write` takes whole lines, and the prompt, which are to be seen at once.
  ///
  /// What still loads when the next line is to quit has `grace` to come.
  package init(
    _ sources: [BrowsedSource], showing first: Int = 0, look: BrowserLook, clock: any Timekeeper, grace: Duration,
    reading read: @escaping @Sendable () -> String?, writing write: @escaping (String) throws -> Void
  ) {
    (self.sources, self.look, current, readLine, self.write) = (sources, look, first, read, write)
    (self.clock, self.grace) = (clock, grace)
    self.look.suggestionKey = "Enter"
  }

  package func run() async throws {
    do {
      try write("type ? for what can be typed, q to quit\n")
      try await show(source: current)
      while true {
        try write("\(sources[current].name)> ")
        let line = await nextLine.value
        lineAhead = nil
        if line == nil { try write("\n") }
        guard let line, !Self.quits(line) else { break }
        try await obey(line.trimmingSpaces)
      }
    } catch is CancellationError {
      try say("stopped loading")
    }
    for tab in tabs.values { await tab.close() }
  }

  private static func quits(_ line: String?) -> Bool {
    guard let word = line?.trimmingSpaces.prefix(while: { $0 != " " }) else { return true }
    return ["q", "quit", "exit"].contains(word)
  }

  /// The next line, read on a thread of its own so that it is known while something loads.
  private var nextLine: Task<String?, Never> {
    if let lineAhead { return lineAhead }
    let line = Task { [readLine] in
      await withCheckedContinuation { continuation in
        let read: @Sendable () -> Void = { continuation.resume(returning: readLine()) }
        if !SystemThread.start(read) { read() }
      }
    }
    lineAhead = line
    return line
  }

  /// What comes of `work`; a cancellation, where the next line is to quit.
  private func unlessQuitting(_ work: @escaping @Sendable () async throws -> any Listing) async throws -> any Listing {
    let task = Task { try await work() }
    // Without a service nothing takes long, and a list of lines is obeyed to its end.
    guard !look.isOffline else { return try await task.value }
    let line = nextLine
    let watch = Task { [clock, grace] in
      guard PlainBrowser.quits(await line.value) else { return }
      try await clock.sleep(for: grace)
      task.cancel()
    }
    defer { watch.cancel() }
    return try await task.value
  }

  private var tab: any OpenTab {
    get throws {
      if let tab = tabs[current] { return tab }
      let source = try sources[current].open()
      let tab = try openTab(source)
      tabs[current] = tab
      return tab
    }
  }

  /// What is numbered: the list, or the record in its place.
  private var listing: any Listing { get throws { try picked ?? tab.listing } }
}

extension PlainBrowser {
  private func obey(_ line: String) async throws {
    let word = String(line.prefix { $0 != " " })
    let rest = String(line.dropFirst(word.count)).trimmingSpaces
    if line.hasPrefix("/") {
      try await search(String(line.dropFirst()).trimmingSpaces)
    } else if let number = Int(line) {
      try await show(number: number)
    } else if let index = sources.firstIndex(where: { $0.name == line }) {
      try await show(source: index)
    } else {
      switch word {
      case "?", "h", "help": try write(help)
      case "": try await more()
      case "t": try await restart()
      case "r": try await refresh()
      case "d": try delete(rest)
      case "u": try undo()
      case "D": try await pick()
      case "a":
        picked = nil
        try await restart()
      default: try say("\"\(line)\" is not known; type ? for what can be typed")
      }
    }
  }

  private var help: String {
    let source = sources[current]
    let canDelete = (try? tab.listing.canDelete) ?? false
    let lines: [(String, String)?] = [
      ("Enter", "next records"), ("3", "record 3 in full"),
      source.searches.map { ("/TEXT", "search by \($0); / alone shows everything") },
      canDelete ? ("d 3", "delete record 3") : nil, canDelete ? ("u", "undo the last deletion") : nil,
      source.pick.map { ("D", $0.title) }, picked == nil ? nil : ("a", "show all again"), ("t", "back to top"),
      ("r", "try again, or ask anew"), sources.count > 1 ? (sources.map(\.name).joined(separator: ", "), "that source") : nil,
      ("q", "quit"),
    ]
    return lines.compactMap { $0.map { "\($0.0): \($0.1)\n" } }.joined()
  }

  private func say(_ text: String) throws { try write(Printable.clean(text) + "\n") }

  /// Sends what a person did, and waits until nothing is under way.
  private func send(_ events: FeedEvent...) async throws -> any Listing {
    let tab = try tab
    for event in events { tab.send(event) }
    // Nobody sees that something goes on.
    if tab.isWorking, !look.isOffline { try say(tab.listing.typed.isEmpty ? "loading…" : "searching…") }
    return try await unlessQuitting {
      let listing = await tab.settled()
      try Task.checkCancellation()
      return listing
    }
  }

  private func show(source index: Int) async throws {
    (current, picked, written) = (index, nil, 0)
    do {
      let isNew = tabs[index] == nil
      _ = isNew ? try await send(.appear) : try tab.listing
      try await restart()
    } catch let error as SourceError {
      try say("\(error.from(sources[index].name))")
    }
  }

  private func restart() async throws {
    written = 0
    let words = try words
    try say(words.status)
    if try listing.count == 0 { try say(words.nothing) }
    try writeRows()
  }

  private func search(_ text: String) async throws {
    guard sources[current].searches != nil else { return try say("\(sources[current].name) cannot be searched") }
    picked = nil
    _ = try await send(.typed(text), .submit)
    try await restart()
  }

  private func refresh() async throws {
    let listing = try tab.listing
    var isFailed = if case .failed = listing.head { true } else { false }
    if case .failed = listing.tail { isFailed = true }
    let count = listing.count
    _ = try await send(isFailed ? .retry : .refresh)
    if isFailed, count > 0 { try await more() } else { try await restart() }
  }

  private func more() async throws {
    if picked == nil, let suggestion = try tab.listing.suggestion { return try await search(suggestion) }
    if picked == nil, written >= (try tab.listing.count) { _ = try await send(.more) }
    guard written < (try listing.count) else {
      let words = try words
      return try say(words.tail ?? words.status)
    }
    try writeRows()
    if let tail = try words.tail, written == (try listing.count) { try say(tail) }
  }

  private func writeRows() throws {
    let listing = try listing
    let end = min(listing.count, written + Self.page)
    for index in written..<max(written, end) {
      let card = listing.card(at: index)
      let parts = [card.title, card.badge, card.subtitle].filter { !$0.isEmpty }.joined(separator: ". ")
      try say("\(index + 1) of \(listing.count): \(parts)")
    }
    written = end
  }

  private func show(number: Int) async throws {
    let listing = try listing
    guard number >= 1, number <= listing.count else {
      return try say(listing.count == 0 ? "there are no records" : "type a number from 1 to \(listing.count)")
    }
    let index = number - 1
    var lines = listing.lines(at: index, width: Self.width)
    if picked == nil {
      let answered = try await send(.show(listing.id(at: index)))
      if case .failed(let error)? = answered.detail?.phase { try say("\(error)") }
      lines = answered.detailLines(width: Self.width)
      try tab.send(.hide)
    }
    for line in lines { try say(line) }
  }

  /// Lines are not broken: whoever reads them does that.
  private static var width: Int { 10_000 }

  private func delete(_ text: String) throws {
    let listing = try listing
    guard listing.canDelete else { return try say("records of \(sources[current].name) cannot be deleted") }
    // Nobody can mean what was not read yet.
    guard let number = Int(text), number >= 1, number <= min(written, listing.count) else {
      return try say("type d and the number of a record that was listed")
    }
    let (id, title) = (listing.id(at: number - 1), listing.card(at: number - 1).title)
    try tab.send(.delete(id))
    written -= 1
    let undoing = ListingWords.undoing(id, of: sources[current].name, look)
    try say("deleted \(title.isEmpty ? id : "\(title), \(id)"); \(undoing); the numbers behind it are one less now")
  }

  private func undo() throws {
    guard let id = try tab.listing.undoable, picked == nil else { return try say("nothing to undo") }
    try tab.send(.undo)
    guard let index = try tab.listing.index(of: id, near: written) else { return try say("restored \(id); r lists it again") }
    if index < written { written += 1 }
    try say("restored \(id); it is record \(index + 1), and the numbers behind it are one more again")
  }

  private func pick() async throws {
    guard let pick = sources[current].pick else { return try say("\(sources[current].name) has no deal of the day") }
    do {
      picked = try await unlessQuitting { [tab = try tab] in try await tab.picked(by: pick) }
      try say("\(pick.title); a shows all again")
      try await restart()
    } catch let error as SourceError {
      try say("\(error)")
    }
  }

  private var words: ListingWords {
    get throws { ListingWords(of: try listing, name: sources[current].name, pick: picked == nil ? nil : sources[current].pick, look: look) }
  }
}
