import AggregatorCore
import Feed
import Platform
import Terminal

// The actions of the keys.
extension Browser {
  mutating func perform(_ verb: BrowserVerb) -> [BrowserAction] {
    switch verb {
    case .quit where mode == .help: mode = .list
    case .quit: return [.quit(isInterrupted: false)]
    case .interrupt: return [.quit(isInterrupted: true)]
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    case .help:
      (mode, helpTop) = (mode == .help ? .list : .help, 0)
    case .down, .up, .pageDown, .pageUp, .halfDown, .halfUp, .top, .bottom: return move(verb)
    case .sources: return tabs.count > 1 ? pickSource() : tell("no other source")
    case .close: return goBack()
    case .nextTab: return show(tab: (current + 1) % tabs.count)
    case .previousTab: return show(tab: (current + tabs.count - 1) % tabs.count)
    case .tab(let index): return index < tabs.count ? show(tab: index) : []
    case _ where mode == .help: break
    case .search: return beginSearch()
    case .open: return open()
    case .delete: return delete()
    case .undo: return undo()
    case .pick: return pick()
    case .showAll: showAll()
    case .more: return tab.picked == nil ? [.feed(tab: current, .more)] : []
    case .refresh: return refresh()
    case .standIn: return canStandIn ? [.feed(tab: current, .standIn)] : tell("nothing is loading")
    case .picture: return togglePictures()
    case .copy: return copy()
    case .link: return showLink()
    case .mouse: return toggleMouse()
    }
    return []
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
    case .sources: break
    case .list, .typing:
      tab.selected = moved(tab.selected, by: verb, page: tab.window.wholeCount, last: max(0, items.count - 1))
      tab.goesToEnd = verb == .bottom && listing.hasMoreAtHand
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
    case .help, .sources: mode = .list
    case .record:
      close()
      return [.feed(tab: current, .hide)]
    case _ where tab.picked != nil: showAll()
    case _ where !tab.listing.typed.isEmpty: return search("")
    default: return tell("q quits")
    }
    return []
  }

  private mutating func tell(_ text: String) -> [BrowserAction] {
    message = text
    return []
  }

  mutating func close() { (mode, recordTop) = (.list, 0) }

  private mutating func beginSearch() -> [BrowserAction] {
    guard tab.source.searches != nil else { return tell("\(tab.source.name) cannot be searched") }
    let isRecord = mode == .record
    if isRecord { close() }
    tab.isPicking = false
    showAll()
    mode = .typing
    return isRecord ? [.feed(tab: current, .hide)] : []
  }

  private mutating func open() -> [BrowserAction] {
    if mode == .record { return goBack() }
    if let suggestion = listing.suggestion { return search(suggestion) }
    guard let id = tab.record?.id else { return [] }
    (mode, recordTop) = (.record, 0)
    tab.isPicking = false
    return tab.picked == nil ? [.feed(tab: current, .show(id))] : []
  }

  private mutating func delete() -> [BrowserAction] {
    guard listing.canDelete else { return tell("records of \(tab.source.name) cannot be deleted") }
    guard let id = tab.record?.id else { return [] }
    if mode == .record { close() }
    message = "deleted; \(undoing(id))"
    return [.feed(tab: current, .delete(id))]
  }

  private mutating func undo() -> [BrowserAction] {
    guard let id = listing.undoable else { return tell("nothing to undo") }
    tab.awaited = id
    message = "restored \(Printable.clean(id))"
    return [.feed(tab: current, .undo)]
  }

  private mutating func pick() -> [BrowserAction] {
    guard let pick = tab.source.pick else { return tell("\(tab.source.name) picks no record at random") }
    if mode == .record { close() }
    message = "\(pick.title): choosing"
    tab.isPicking = true
    return [.pick(tab: current)]
  }

  private mutating func showAll() {
    guard tab.picked != nil else { return }
    tab.picked = nil
    (tab.selected, tab.top) = tab.left ?? (0, 0)
    tab.left = nil
  }

  private mutating func togglePictures() -> [BrowserAction] {
    guard look.hasPictures else { return tell("this terminal cannot show pictures; 'chafa' would draw them") }
    pictures.isOn.toggle()
    return tell(pictures.isOn ? "pictures are shown" : "pictures are hidden")
  }

  private mutating func copy() -> [BrowserAction] {
    guard let id = tab.record?.id else { return [] }
    return copy(id) { "copied \($0), if the terminal allows it" }
  }

  /// Copies exactly the text that is shown, because a person may paste it where a line break runs a command.
  private mutating func copy(_ text: String, telling told: (String) -> String) -> [BrowserAction] {
    let text = Printable.clean(text)
    // Terminals do not take longer texts. Not every terminal copies at all, and none tells whether it did.
    guard text.utf8.count <= 50_000 else { return tell("this is too long to be copied") }
    message = told(text)
    return [.copy(Array("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{1B}\\".utf8))]
  }

  private mutating func showLink() -> [BrowserAction] {
    guard let record = tab.record else { return [] }
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
    if tab.picked != nil { return pick() }
    if listing.head.error != nil || listing.tail.error != nil { return [.feed(tab: current, .retry)] }
    if let detail = listing.detail, detail.phase.error != nil { return [.feed(tab: current, .show(detail.id))] }
    return [.feed(tab: current, .refresh)]
  }
}
