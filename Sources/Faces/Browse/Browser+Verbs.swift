import AggregatorCore
import Feed
import Platform
import Terminal

// The actions of the keys.
extension Browser {
  /// Performs a verb and returns what is left to do. While the help is shown, verbs about records do nothing.
  mutating func perform(_ verb: BrowserVerb) -> [BrowserAction] {
    switch verb {
    case .quit where mode == .help: mode = .list
    case .quit: return [.quit(isInterrupted: false)]
    case .interrupt: return [.quit(isInterrupted: true)]
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    case .help:
      if mode != .help { isHelpOfRecord = mode == .record }
      (mode, helpTop) = (mode == .help ? .list : .help, 0)
    case .down, .up, .pageDown, .pageUp, .halfDown, .halfUp, .top, .bottom: return move(verb)
    case .sources: return tabs.count > 1 ? pickSource() : tell("no other source")
    case .close: return goBack()
    case .nextTab: return show(tab: (home + 1) % sourceCount)
    case .previousTab: return show(tab: (home + sourceCount - 1) % sourceCount)
    case .tab(let index): return index < tabs.count ? show(tab: index) : []
    case .status: return show(view: "status")
    case .changes: return show(view: "changes")
    case .find: return tabs.contains { $0.source.name == "found" } ? beginLine("find ") : tell("no other source")
    case .line: return beginLine()
    default: return mode == .help ? [] : performOnRecords(verb)
    }
    return []
  }

  /// Performs a verb about the list or a record of it.
  private mutating func performOnRecords(_ verb: BrowserVerb) -> [BrowserAction] {
    switch verb {
    case .search: return beginSearch()
    case .open: return open()
    case .delete: return delete()
    case .undo: return undo()
    case .pick: return pick()
    case .showAll: return showEverything()
    case .more: return tab.pick.listing == nil ? [.feed(tab: current, .more)] : []
    case .refresh: return refresh()
    case .standIn: return canStandIn ? [.feed(tab: current, .standIn)] : tell("nothing is loading")
    case .picture: return togglePictures()
    case .copy: return copyID()
    case .copyCell: return copyCell()
    case .copyRecord: return copyRecord()
    case .left where mode == .record, .right where mode == .record: return goBack()
    case .left: return layout.isTable ? moveColumn(by: -1) : goBack()
    case .right: return layout.isTable && listing.suggestion == nil ? moveColumn(by: 1) : open()
    // Without records there is nothing to sort, and a person waits for the service.
    case .sort where canStandIn && items.isEmpty: return [.feed(tab: current, .standIn)]
    case .sort: return sort()
    case .filter: return filterByCell(differing: false)
    case .exclude: return filterByCell(differing: true)
    case .width: return toggleWidth()
    case .hideColumn: return hideColumn()
    case .columns: return pickColumns()
    case .zoom: return zoom()
    case .mark: return mark()
    case .unmark: return unmark()
    case .export: return beginExport()
    case .sync: return sync()
    case .link: return showLink()
    case .mouse: return toggleMouse()
    // `perform` does these itself.
    case .down, .up, .pageDown, .pageUp, .halfDown, .halfUp, .top, .bottom, .sources, .close, .nextTab, .previousTab, .tab,
      .status, .changes, .find, .line, .help, .redraw, .suspend, .quit, .interrupt:
      return []
    }
  }

  /// The number of sources; the views come after them.
  var sourceCount: Int { tabs.firstIndex { $0.source.view != nil } ?? tabs.count }

  private mutating func show(view name: String) -> [BrowserAction] {
    guard let index = tabs.firstIndex(where: { $0.source.name == name && $0.source.view != nil }) else { return [] }
    return show(tab: index)
  }

  /// Searches every source for a text.
  mutating func find(_ text: String) -> [BrowserAction] {
    guard !text.isEmpty else { return beginLine("find ") }
    guard let index = tabs.firstIndex(where: { $0.source.name == "found" }) else { return tell("no other source") }
    let actions = show(tab: index)
    return [.feed(tab: index, .typed(text)), .feed(tab: index, .submit)]
      + actions.filter { if case .feed = $0 { false } else { true } }
  }

  /// Shows the source that a row of a view is about, and the record in full if the row is about one.
  private mutating func show(_ target: BrowsedTarget) -> [BrowserAction] {
    guard let index = tabs.firstIndex(where: { $0.source.name == target.source }) else { return [] }
    let from = current
    let actions = show(tab: index)
    guard let id = target.id else { return actions }
    (mode, recordTop, tab.goal.opened, opener) = (.record, 0, id, from)
    if let found = listing.index(of: id, near: tab.selected) { tab.selected = found }
    return actions + [.feed(tab: index, .show(id))]
  }

  private mutating func show(tab index: Int) -> [BrowserAction] {
    if mode == .record { close() }
    mode = .list
    current = index
    return begin()
  }

  private mutating func move(_ verb: BrowserVerb) -> [BrowserAction] {
    switch mode {
    case .help:
      helpTop = moved(
        helpTop, by: verb, page: max(1, layout.body.height - 1), last: max(0, helpLines.count - layout.body.height))
    case .record:
      let height = layout.record?.height ?? layout.list.height
      recordTop = moved(recordTop, by: verb, page: max(1, height - 1), last: max(0, recordHeight - height))
    case .sources, .columns, .line: break
    case .list, .typing:
      tab.selected = moved(tab.selected, by: verb, page: tab.window.wholeCount, last: max(0, items.count - 1))
      tab.goal.isEnd = verb == .bottom && listing.hasMoreAtHand
    }
    return []
  }

  /// Returns the index after a move. The size of a page is computed only for the keys that need it.
  private func moved(_ index: Int, by verb: BrowserVerb, page: @autoclosure () -> Int, last: Int) -> Int {
    let index =
      switch verb {
      case .down: index + 1
      case .up: index - 1
      case .pageDown: index + page()
      case .pageUp: index - page()
      case .halfDown: index + max(1, page() / 2)
      case .halfUp: index - max(1, page() / 2)
      case .top: 0
      case .bottom: last
      default: index
      }
    return min(max(0, index), last)
  }

  private mutating func goBack() -> [BrowserAction] {
    switch mode {
    case .help, .sources, .columns, .line: mode = .list
    case .record:
      let (tab, opener) = (current, opener)
      close()
      return [.feed(tab: tab, .hide)] + (opener.map { show(tab: $0) } ?? [])
    case _ where tab.pick.listing != nil: showAll()
    case _ where !tab.listing.typed.isEmpty: return search("")
    case _ where !tab.listing.choice.isEmpty: return choose(FeedChoice())
    case _ where tab.source.view != nil: return show(tab: home)
    default: return tell("q quits")
    }
    return []
  }

  mutating func tell(_ text: String) -> [BrowserAction] {
    message = text
    return []
  }

  mutating func close() { (mode, recordTop, opener, tab.goal.opened) = (.list, 0, nil, nil) }

  private mutating func beginSearch() -> [BrowserAction] {
    guard tab.source.searches != nil else { return tell("\(tab.source.name) cannot be searched") }
    let isRecord = mode == .record
    if isRecord { close() }
    tab.pick.isUnderWay = false
    showAll()
    mode = .typing
    return isRecord ? [.feed(tab: current, .hide)] : []
  }

  private mutating func open() -> [BrowserAction] {
    if mode == .record { return goBack() }
    if let suggestion = listing.suggestion { return search(suggestion) }
    if let target = tab.record?.look.target { return show(target) }
    guard let id = tab.record?.id else { return [] }
    (mode, recordTop) = (.record, 0)
    tab.pick.isUnderWay = false
    return tab.pick.listing == nil ? [.feed(tab: current, .show(id))] : []
  }

  private mutating func delete() -> [BrowserAction] {
    guard listing.canDelete else { return tell("records of \(tab.source.name) cannot be deleted") }
    guard let id = record?.id else { return [] }
    if mode == .record { close() }
    message = "deleted; \(undoing(id))"
    return [.feed(tab: current, .delete(id))]
  }

  private mutating func undo() -> [BrowserAction] {
    guard let id = listing.undoable else { return tell("nothing to undo") }
    tab.goal.selected = id
    message = "restored \(Printable.clean(id))"
    return [.feed(tab: current, .undo)]
  }

  private mutating func pick() -> [BrowserAction] {
    guard let pick = tab.source.pick else { return tell("\(tab.source.name) picks no record at random") }
    if mode == .record { close() }
    message = "\(pick.title): choosing"
    tab.pick.isUnderWay = true
    return [.pick(tab: current)]
  }

  private mutating func showAll() {
    guard tab.pick.listing != nil else { return }
    tab.pick.listing = nil
    (tab.selected, tab.top) = tab.pick.left ?? (0, 0)
    tab.pick.left = nil
  }

  /// Shows the whole list in its own order again.
  private mutating func showEverything() -> [BrowserAction] {
    if tab.pick.listing != nil {
      showAll()
      return []
    }
    return tab.listing.choice.isEmpty ? [] : choose(FeedChoice())
  }

  private mutating func zoom() -> [BrowserAction] {
    if mode == .record { return tell("z is a key of the list") }
    isAlone.toggle()
    tab.table.wish.first = nil
    return tell(isAlone ? "the list alone; z shows details beside it" : "details beside the list, if there is room")
  }

  private mutating func sync() -> [BrowserAction] {
    guard tab.source.view == nil else { return tell("R stores the records of a source") }
    guard !look.isOffline else { return tell("--offline asks no service") }
    if tab.sync == nil { message = "storing every record of \(tab.source.name); R stops" }
    return [.sync(tab: current)]
  }

  private mutating func togglePictures() -> [BrowserAction] {
    guard look.hasPictures else { return tell("no pictures: \(look.lackOfPictures)") }
    pictures.isOn.toggle()
    return tell(pictures.isOn ? "pictures are shown" : "pictures are hidden")
  }

  private mutating func showLink() -> [BrowserAction] {
    guard let record else { return [] }
    let full = mode == .record ? listing.detail?.item : nil
    guard let link = full?.look.link ?? record.look.link else { return tell("the record has no link") }
    return copy(link.shown) { "\($0) (copied, if the terminal allows it)" }
  }

  private mutating func toggleMouse() -> [BrowserAction] {
    isMouseTaken.toggle()
    message = isMouseTaken ? "the mouse selects records; M gives it back to the terminal" : "the mouse is the terminal's again"
    return [.takeMouse(isMouseTaken)]
  }

  private mutating func refresh() -> [BrowserAction] {
    pictures.forgetFailures()
    if tab.pick.listing != nil { return pick() }
    if listing.head.error != nil || listing.tail.error != nil { return [.feed(tab: current, .retry)] }
    if let detail = listing.detail, detail.phase.error != nil { return [.feed(tab: current, .show(detail.id))] }
    return [.feed(tab: current, .refresh)]
  }
}
