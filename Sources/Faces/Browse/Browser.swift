package import AggregatorCore
import Asking
package import Feed
import Presentation
import RecordFormats
package import Terminal

/// An action of the browser outside of itself.
package enum BrowserAction: Sendable, Hashable {
  case feed(tab: Int, FeedEvent)
  /// Choose a random record of a tab's source.
  case pick(tab: Int)
  /// Store every record of a tab's source, or stop doing so.
  case sync(tab: Int)
  case export(tab: Int, ExportRequest)
  /// Load another picture, or none.
  case picture(PictureRequest?)
  /// Send a sequence that makes the terminal copy something.
  case copy([UInt8])
  case takeMouse(Bool)
  case redraw
  case suspend
  case quit(isInterrupted: Bool)
}

/// A source in the browser, or a view over all sources.
struct BrowserTab: Sendable {
  let source: BrowsedSource
  var listing = Listing() {
    didSet { if listing.asked != oldValue.asked { sought = listing.asked.flatMap { SearchPhrase($0) } } }
  }
  /// The moment at which the origin of the rows was told; nil before that.
  var originTold: Moment?
  /// The search that the rows answer; nil if they do not answer one.
  private(set) var sought: SearchPhrase?
  var pick = RandomPick()
  /// The index of the selected record. When rows come and go, the same record stays selected.
  var selected = 0
  /// The records on the screen.
  var window = ListWindow()
  var goal = Goal()
  var table = Table()
  /// The values that the fields of its records have; empty before the first record.
  var leaves: [Leaf] = []
  /// The records that a person marked, by their ids.
  var marked: [String: BrowsedRecord] = [:]
  /// The progress of a sync under way.
  var sync: AskProgress?
  /// True while a file is written.
  var isExporting = false
  /// The number of rows of a view in words, and the text in place of rows; nil for a source.
  var view: (words: String, nothing: String)?

  /// A record that is chosen at random.
  struct RandomPick: Sendable {
    /// The record, shown in place of the list.
    var listing: Listing?
    /// True while it is being chosen, unless something else was asked for since.
    var isUnderWay = false
    /// The selection in the list while the record is shown.
    var left: (selected: Int, top: Int)?
  }

  /// The records that a person asked for and that may not be in the list yet.
  struct Goal: Sendable {
    /// The id of the record to select as soon as it appears.
    var selected: String?
    /// True when the last record has to be selected, however many pages are read until then.
    var isEnd = false
    /// The id of the record to show in full before the list may have it.
    var opened: String?
  }

  /// The lines in which its records are shown.
  struct Table: Sendable {
    /// The lines of the records that were on the screen last.
    var lines = ListRows()
    /// The layout for the records; nil on a narrow terminal, and before the first record.
    var fit: ListFit?
    /// The columns as a person wants them.
    var wish = TableWish()
    /// The current column; nil before a person has moved to one.
    var column: FieldPath?
  }

  var shown: Listing { pick.listing ?? listing }

  /// The first record on the screen. Setting another one makes a window that is measured later.
  var top: Int {
    get { window.first }
    set { window = ListWindow(at: newValue) }
  }

  /// The selected record; nil if the list is empty.
  var record: BrowsedRecord? { selected < items.count ? items[selected] : nil }

  /// The records that are shown. They are not taken from `shown`, which would copy everything else.
  var items: FeedItems<BrowsedRecord> { pick.listing?.items ?? listing.items }
}

/// The browser as a value: keys and news go in, actions come out, and a screen is a function of it.
package struct Browser: Sendable {
  /// The mode of the browser, which decides what keys do.
  package enum Mode: Sendable, Hashable {
    case list
    /// Letters go to the search field.
    case typing
    /// One record is shown in full.
    case record
    case help
    /// A source is chosen from all of them; letters narrow the list.
    case sources
    /// The columns of the table are chosen.
    case columns
    /// A command is typed after `:`.
    case line
  }

  package var size: TerminalSize
  package internal(set) var mode = Mode.list
  package internal(set) var current: Int {
    didSet { if tabs[current].source.view == nil { home = current } }
  }
  var tabs: [BrowserTab]
  /// The message about the last key, until the next one.
  var message: String?
  var pictures = BrowserPictures()
  var isMouseTaken: Bool
  /// The number of times that the sign of work under way has moved; nil if it does not show.
  private(set) var turns: Int?
  /// The first lines shown of the record in full and of the help.
  var recordTop = 0
  var helpTop = 0
  /// True when the help was opened from a record in full.
  var isHelpOfRecord = false
  var picker = BrowserPicker()
  var line = LineEditor(prompt: ":", continuation: "")
  /// True when the list has the whole screen, as a table if there is room for one.
  var isAlone = false
  /// The tab of the view from which the record in full was opened; nil if it was opened in its list.
  var opener: Int?
  /// The tab of the latest source; a view that is shown now has none.
  private(set) var home: Int
  let look: BrowserLook

  package init(_ sources: [BrowsedSource], showing first: Int = 0, on size: TerminalSize, look: BrowserLook) {
    tabs = sources.map { BrowserTab(source: $0) }
    current = min(max(0, first), max(0, tabs.count - 1))
    home = current
    self.size = size
    self.look = look
    isMouseTaken = look.takesMouse
  }

  var tab: BrowserTab {
    get { tabs[current] }
    set { tabs[current] = newValue }
  }

  var listing: Listing { tab.shown }

  /// The record that keys are about: the one that is shown in full, or else the selected one. Nil while a record loads that the list does
  /// not have, since a key must not be about another one.
  var record: BrowsedRecord? {
    guard mode == .record, let detail = listing.detail else { return tab.record }
    return detail.item ?? (isOfList ? tab.record : nil)
  }

  /// True unless a record is shown in full that is not the selected one, because a view led to it.
  var isOfList: Bool { mode != .record || listing.detail.map { $0.id == tab.record?.id } ?? (tab.goal.opened == nil) }

  var items: FeedItems<BrowsedRecord> { tab.items }

  /// The greatest length of a searched text, in characters.
  static var mostTyped: Int { 200 }
}

/// The properties of the browser that do not change while it runs.
package struct BrowserLook: Sendable {
  package var isColored: Bool
  package var hasSkinTones: Bool
  /// True when no service may be asked.
  package var isOffline: Bool
  /// True when a stand-in may answer instead of a service.
  package var hasStandIns = false
  /// True when pictures can be shown.
  package var hasPictures = false
  /// The reason why pictures are not shown.
  package var lackOfPictures = "'chafa' is not installed, which draws pictures on this terminal"
  /// True when the browser takes the mouse from the terminal at the start.
  package var takesMouse = false
  /// True when anything may move by itself.
  package var hasMotion = true
  /// The name of the program that a person types after leaving the browser.
  package var program = "aggregator"
  /// Puts the remedy for a source's error into the words of that program.
  package var words: @Sendable (Remedy, _ source: String?) -> String? = { remedy, _ in remedy.description }
  /// Returns the current time; a recording is read at its own time.
  package var now: @Sendable () -> Moment

  /// Returns an error in the words of that program.
  func text(_ error: SourceError) -> String { Printable.clean("\(error.worded(words))") }

  package init(isColored: Bool, hasSkinTones: Bool = true, isOffline: Bool = false, now: @escaping @Sendable () -> Moment) {
    (self.isColored, self.hasSkinTones, self.isOffline, self.now) = (isColored, hasSkinTones, isOffline, now)
  }
}

// MARK: - Input and news

extension Browser {
  /// Shows the current tab, which may be its first time.
  package mutating func begin() -> [BrowserAction] {
    // The rows of a view may have changed since.
    let isView = tab.source.view != nil && tab.source.searches == nil
    return (tab.listing.head == .idle ? [.feed(tab: current, .appear)] : isView ? [.feed(tab: current, .reload)] : [])
      + scrollToSelection()
  }

  /// True while something is under way that a person waits for.
  package var isWorking: Bool { tab.pick.isUnderWay || tab.isExporting || tab.sync != nil || listing.isWorking }

  /// Moves the sign of work under way, after some time went by.
  package mutating func turn() { turns = isWorking ? (turns ?? -1) + 1 : nil }

  /// Shows a new state of a source.
  package mutating func show(_ listing: Listing, in index: Int) -> [BrowserAction] {
    let (old, selected) = (tabs[index].listing, tabs[index].record)
    tabs[index].listing = listing
    if listing.summary.origin != old.summary.origin { tabs[index].originTold = look.now() }
    if !listing.items.continues(old.items) { tabs[index].table.lines = ListRows() }
    if tabs[index].leaves.isEmpty, let first = listing.items.first { tabs[index].leaves = first.look.leaves }
    if listing.detail?.id == tabs[index].goal.opened { tabs[index].goal.opened = nil }
    if let refusal = listing.refusal, refusal != old.refusal, index == current { message = "\(refusal)" }
    if tabs[index].pick.listing == nil {
      let awaited = tabs[index].goal.selected
      tabs[index].goal.selected = nil
      if let awaited, let found = listing.index(of: awaited, near: tabs[index].selected) {
        tabs[index].selected = found
      } else if listing.asked != old.asked || listing.chosen != old.chosen {
        (tabs[index].selected, tabs[index].top) = (0, 0)
      } else if let selected, let found = listing.index(of: selected.id, near: tabs[index].selected) {
        tabs[index].selected = found
      }
      if tabs[index].goal.isEnd {
        (tabs[index].selected, tabs[index].goal.isEnd) = (listing.items.count - 1, listing.hasMoreAtHand)
      }
      // The list was asked for anew after the deletion.
      if let awaited, index == current, listing.index(of: awaited, near: 0) == nil {
        message = "restored \(Printable.clean(awaited)); r lists it again"
      }
    }
    if index == current, opener != nil, let id = tab.goal.opened ?? listing.detail?.id,
      let found = listing.index(of: id, near: tab.selected)
    {
      tab.selected = found
    }
    if index == current, mode == .record, isRecordGone { close() }
    if !isWorking { turns = nil }
    return index == current ? scrollToSelection() : []
  }

  /// Shows a record that was chosen at random, or the error with which that failed.
  package mutating func show(picked: Result<Listing, SourceError>, in index: Int) -> [BrowserAction] {
    guard tabs[index].pick.isUnderWay else { return [] }
    tabs[index].pick.isUnderWay = false
    switch picked {
    case .success(let listing):
      if tabs[index].pick.listing == nil { tabs[index].pick.left = (tabs[index].selected, tabs[index].top) }
      (tabs[index].pick.listing, tabs[index].table.lines) = (listing, ListRows())
      (tabs[index].selected, tabs[index].top) = (0, 0)
      if index == current { message = nil }
    case .failure(let error): if index == current { message = look.text(error) }
    }
    return index == current ? scrollToSelection() : []
  }

  /// True when the record that is shown in full is gone, because it was deleted elsewhere or another search began.
  private var isRecordGone: Bool { tab.pick.listing == nil && tab.listing.detail == nil && tab.goal.opened == nil }

  package mutating func resize(to size: TerminalSize) -> [BrowserAction] {
    self.size = size
    return scrollToSelection()
  }

  /// Handles input. If it `isFollowed` by more input that came with it, work that only the screen needs is left to that.
  package mutating func take(_ input: TerminalInput, isFollowed: Bool = false) -> [BrowserAction] {
    forgetLastKey()
    let actions: [BrowserAction] =
      switch input {
      case .paste(let text): paste(Printable.clean(text))
      case .mouse(let event): take(event)
      case .key(let key): take(key)
      // The session that has the terminal handles these.
      case .notice, .ended: []
      }
    if isFollowed, actions.isEmpty, isStep(input) { return [] }
    return actions + scrollToSelection()
  }

  private mutating func take(_ key: Key) -> [BrowserAction] {
    switch mode {
    case .typing: type(key)
    case .sources, .columns: takeInPicker(key)
    case .line: takeInLine(.key(key))
    case .list, .record, .help: BrowserVerb(key).map { perform($0) } ?? []
    }
  }

  private mutating func paste(_ text: String) -> [BrowserAction] {
    if mode == .sources || mode == .columns { narrow(picker.typed + text) }
    if mode == .line { return takeInLine(.paste(text)) }
    return mode == .typing ? insert(text) : []
  }

  private mutating func forgetLastKey() {
    message = nil
    (tab.goal.selected, tab.goal.isEnd) = (nil, false)
  }

  /// True when a key moves by one record, or is part of the typed text.
  private func isStep(_ input: TerminalInput) -> Bool {
    guard case .key(let key) = input else { return false }
    if mode == .typing || mode == .line { return true }
    return mode == .list && [.down, .up].contains(BrowserVerb(key))
  }

  /// Selects an existing record, scrolls so that it is on the screen, and asks for more if the end is near.
  mutating func scrollToSelection() -> [BrowserAction] {
    fitList()
    tab.selected = min(max(0, tab.selected), max(0, items.count - 1))
    let room = layout.list.height
    let key = ListRows.Key(
      shape: shape, spans: spans, height: room, asked: tab.listing.asked, isPicked: tab.pick.listing != nil)
    let known = tab.table.lines.key == key ? tab.table.lines.lines : [:]
    let window = ListWindow(
      from: tab.top, showing: tab.selected, of: items.count, height: room, tail: tailLines.count,
      lines: { known[items[$0].id] ?? listLines(at: $0) })
    tab.window = window
    tab.table.lines = ListRows(key: key, lines: [:])
    for (index, lines) in zip(window.first..., window.records) { tab.table.lines.lines[items[index].id] = lines }
    let actions = updatePicture()
    recordTop = min(recordTop, max(0, recordHeight - (layout.record?.height ?? room)))
    guard tab.pick.listing == nil, listing.head == .loaded, listing.tail == .more,
      tab.selected + window.wholeCount >= items.count
    else { return actions }
    return actions + [.feed(tab: current, tab.goal.isEnd ? .more : .nearEnd)]
  }
}

// MARK: - Searching

extension Browser {
  private mutating func type(_ key: Key) -> [BrowserAction] {
    switch key.code {
    case .enter:
      mode = .list
      return [.feed(tab: current, .submit)]
    case .escape:
      if tab.listing.typed.isEmpty { mode = .list }
      return search("")
    case .backspace where key.modifiers.isEmpty: return search(String(tab.listing.typed.dropLast()))
    case .right: return tab.listing.suggestion.map { search($0) } ?? []
    case .up, .down, .pageUp, .pageDown, .tab: return BrowserVerb(key).map { perform($0) } ?? []
    case .text("u") where key.modifiers == .control: return search("")
    case .text("w") where key.modifiers == .control, .backspace: return search(Self.withoutLastWord(tab.listing.typed))
    case .text("h") where key.modifiers == .control: return search(String(tab.listing.typed.dropLast()))
    case .text where key.modifiers.contains(.control):
      let verb = BrowserVerb(key)
      return verb.map { [.interrupt, .suspend, .redraw, .down, .up, .standIn].contains($0) ? perform($0) : [] } ?? []
    case .text(let scalar) where !key.modifiers.contains(.alt): return insert(String(Character(scalar)))
    default: return []
    }
  }

  private mutating func insert(_ text: String) -> [BrowserAction] {
    let typed = tab.listing.typed + text
    return search(String(typed.prefix(Self.mostTyped)))
  }

  func search(_ text: String) -> [BrowserAction] { text == tab.listing.typed ? [] : [.feed(tab: current, .typed(text))] }

  private static func withoutLastWord(_ text: String) -> String {
    String(text.reversed().drop(while: \.isWhitespace).drop { !$0.isWhitespace }.reversed())
  }
}
