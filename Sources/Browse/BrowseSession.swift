package import AggregatorCore
import Feed
package import Terminal

/// The browser on the terminal: draws what it is, and does what it wants done.
package final class BrowseSession {
  /// How it ended.
  package enum Ending: Sendable, Hashable {
    case quit
    case interrupted
    /// The terminal is gone.
    case lost
    /// There is no terminal to take.
    case refused
  }

  private enum Event: Sendable {
    case terminal(TerminalReader.Event)
    case changed(tab: Int)
    case picked(tab: Int, Result<any Listing, SourceError>)
    case drawn(PictureRequest, Result<DrawnPicture, SourceError>)
    /// It is time for the frame that was put off.
    case frameDue
    /// The size has not changed again since it changed for that time.
    case sizeRested(Int)
    /// Some time went by.
    case turned
  }

  private let sources: [BrowsedSource]
  private let fallbackSize: TerminalSize
  private let clock: any Timekeeper
  private let drawer: (any PictureDrawer)?
  private var browser: Browser
  private let inbox = Inbox<Event>()
  private var tabs: [Int: any OpenTab] = [:]
  private var tasks: [Task<Void, Never>] = []
  private var picking: Task<Void, Never>?
  /// What the terminal shows; nil where that is unknown.
  private var shown: Screen?
  private var plane = KittyPlane()
  private var picture: Task<Void, Never>?
  /// Turns the sign that something is under way.
  private var turning: Task<Void, Never>?
  private var lastFrame: Moment?
  /// The tabs whose end came near. More is asked for behind the frame, which must not wait while a page is read beside it.
  private var tabsNearEnd: Set<Int> = []
  private var isFramePutOff = false
  private var resizes = 0
  private var restedResizes = 0
  private var isResizing: Bool { resizes > restedResizes }

  /// While records come in, frames are no closer to each other than this: a slow line would show old ones for long.
  private static let frameGap = Duration.milliseconds(16)
  /// A picture is brought once the selection has rested for so long.
  private static let rest = Duration.milliseconds(120)

  /// `size` is the size of a terminal that does not know its own; without `drawing` there are no pictures.
  package init(
    _ sources: [BrowsedSource], showing first: Int = 0, on size: TerminalSize, look: BrowserLook, clock: any Timekeeper,
    drawing drawer: (any PictureDrawer)?
  ) {
    self.sources = sources
    fallbackSize = size
    self.clock = clock
    self.drawer = drawer
    var look = look
    look.hasPictures = drawer != nil
    browser = Browser(sources, showing: first, on: TerminalSize(ofTerminalAt: 1) ?? size, look: look)
  }

  package func run() async -> Ending {
    guard FullScreen.enter() else { return .refused }
    defer { FullScreen.end() }
    FullScreen.takeMouse(browser.look.takesMouse)
    let isRead = TerminalReader.start { [inbox] events in inbox.post(events.map { .terminal($0) }) }
    guard isRead else { return .refused }
    // Drawn before anything is opened: a slow disk must not leave the screen empty.
    let opening = browser.begin()
    guard draw() else { return .lost }
    var ending = perform(opening)
    if ending == nil, !draw() { ending = .lost }
    if ending == nil { ending = await inbox.drain { take($0) } }
    if ending == .lost { FullScreen.abandon() }
    FullScreen.end()
    for task in tasks + [picking, picture, turning].compactMap({ $0 }) { task.cancel() }
    return ending ?? .lost
  }

  /// Ends what is under way, but waits for deletions.
  package func close() async { for tab in tabs.values { await tab.close() } }

  private func take(_ events: [Event]) -> Ending? {
    // Whoever pressed it does not want to see what became of the keys before it.
    let isInterrupted = events.contains { if case .terminal(.input(.key(.control("c")))) = $0 { true } else { false } }
    if isInterrupted { return .interrupted }
    for (index, event) in events.enumerated() {
      let actions: [BrowserAction]
      switch event {
      case .terminal(.input(let input)):
        let isFollowed = if index + 1 < events.count, case .terminal(.input) = events[index + 1] { true } else { false }
        actions = browser.take(input, isFollowed: isFollowed)
      case .terminal(.notice(.resized)):
        // Also where the size is what it was: it was another in between, and then the terminal has forgotten what it showed.
        shown = nil
        actions = browser.resize(to: TerminalSize(ofTerminalAt: 1) ?? fallbackSize)
        resizes += 1
        post(.sizeRested(resizes), after: Self.rest)
      case .terminal(.notice(.suspended)): actions = [.suspend]
      case .terminal(.notice(.resumed)): actions = takeTerminal()
      case .terminal(.ended): return .lost
      case .changed(let tab): actions = tabs[tab].map { browser.show($0.listing, in: tab) } ?? []
      case .picked(let tab, let result): actions = browser.show(picked: result, in: tab)
      case .drawn(let request, let result): actions = browser.show(result, for: request)
      case .frameDue:
        isFramePutOff = false
        continue
      case .sizeRested(let number):
        if number == resizes { restedResizes = number }
        continue
      case .turned:
        browser.turn()
        continue
      }
      if let ending = perform(actions) { return ending }
    }
    return putsOffFrame(for: events) || draw() ? nil : .lost
  }

  /// Whether a frame can wait: a key is answered at once.
  private func putsOffFrame(for events: [Event]) -> Bool {
    let isHurried = events.contains { if case .changed = $0 { false } else { true } }
    guard !isHurried, let lastFrame, Duration.zero..<Self.frameGap ~= clock.now - lastFrame else { return false }
    if !isFramePutOff {
      isFramePutOff = true
      post(.frameDue, after: Self.frameGap)
    }
    return true
  }

  private func post(_ event: Event, after wait: Duration) {
    Task { [inbox, clock] in
      do {
        try await clock.sleep(for: wait)
        inbox.post([event])
      } catch {}
    }
  }

  /// The terminal is in any mode and shows anything.
  private func takeTerminal() -> [BrowserAction] {
    FullScreen.take()
    shown = nil
    return browser.resize(to: TerminalSize(ofTerminalAt: 1) ?? fallbackSize)
  }

  private func draw() -> Bool {
    let screen = browser.screen
    let cleared = shown == nil ? plane.clear() : []
    // While a window is drawn larger or smaller, its picture would be sent for each of many sizes.
    let placement = isResizing ? nil : browser.placement
    if placement != nil { FullScreen.keepsPictures() }
    let frame = cleared + screen.difference(from: shown) + plane.show(placement)
    shown = screen
    keepTurning()
    if !frame.isEmpty {
      lastFrame = clock.now
      guard FullScreen.show(frame) else { return false }
    }
    let near = tabsNearEnd
    tabsNearEnd = []
    // What becomes of it is drawn with the page, where that comes at once.
    for tab in near { _ = perform(send(.nearEnd, to: tab)) }
    return true
  }

  /// What takes long shows that it goes on.
  private func keepTurning() {
    guard browser.isWorking else {
      turning?.cancel()
      turning = nil
      return
    }
    guard turning == nil else { return }
    // Seconds are told without motion too.
    let (first, gap) = browser.look.hasMotion ? (500, 250) : (1000, 1000)
    turning = Task { [inbox, clock] in
      do {
        try await clock.sleep(for: .milliseconds(first))
        while true {
          inbox.post([.turned])
          try await clock.sleep(for: .milliseconds(gap))
        }
      } catch {}
    }
  }

  private func perform(_ actions: [BrowserAction]) -> Ending? {
    var waiting = actions[...]
    while let action = waiting.popFirst() {
      switch action {
      case .quit(let isInterrupted): return isInterrupted ? .interrupted : .quit
      case .redraw: shown = nil
      case .suspend:
        FullScreen.suspend()
        waiting += takeTerminal()
      case .open(let tab): waiting += open(tab)
      case .pick(let tab): pick(tab)
      case .picture(let request): bring(request)
      case .copy(let sequence): if !FullScreen.show(sequence) { return .lost }
      case .takeMouse(let isTaken): FullScreen.takeMouse(isTaken)
      case .feed(let tab, .nearEnd): tabsNearEnd.insert(tab)
      case .feed(let tab, let event): waiting += send(event, to: tab)
      }
    }
    return nil
  }

  private func send(_ event: FeedEvent, to tab: Int) -> [BrowserAction] {
    // It could not be opened: to try again is to open it again.
    guard let opened = tabs[tab] else { return event == .retry || event == .refresh ? open(tab) : [] }
    opened.send(event)
    // At once, so that the next key sees what became of this one.
    return browser.show(opened.listing, in: tab)
  }

  private func open(_ index: Int) -> [BrowserAction] {
    do {
      let source = try sources[index].open()
      let tab = try openTab(source)
      tabs[index] = tab
      tasks.append(tab.watch { [inbox] in inbox.post([.changed(tab: index)]) })
      return [.feed(tab: index, .appear)]
    } catch {
      let error = error as? SourceError ?? SourceError(.settings, "\(error)")
      return browser.show(EmptyListing(head: .failed(error.from(sources[index].name))), in: index)
    }
  }

  private func bring(_ request: PictureRequest?) {
    picture?.cancel()
    picture = nil
    guard let request, let drawer else { return }
    picture = Task { [inbox, clock, rest = Self.rest] in
      do {
        try await clock.sleep(for: rest)
        inbox.post([.drawn(request, .success(try await drawer.draw(request)))])
      } catch is CancellationError {
        return
      } catch {
        inbox.post([.drawn(request, .failure(SourceError(shown: error)))])
      }
    }
  }

  private func pick(_ index: Int) {
    guard let tab = tabs[index], let pick = sources[index].pick else { return }
    picking?.cancel()
    picking = Task { [inbox, name = sources[index].name] in
      do {
        inbox.post([.picked(tab: index, .success(try await tab.picked(by: pick)))])
      } catch is CancellationError {
        return
      } catch {
        inbox.post([.picked(tab: index, .failure(SourceError(shown: error).from(name)))])
      }
    }
  }
}
