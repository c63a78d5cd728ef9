package import AggregatorCore
import Feed
package import Terminal

/// The browser on a terminal: draws its screens, and carries out its actions.
package final class BrowseSession {
  /// The reason why it ended.
  package enum Ending: Sendable, Hashable {
    case quit
    case interrupted
    /// The terminal is gone.
    case lost
    /// The terminal could not be taken.
    case refused
  }

  /// An event while it runs.
  private enum Event: Sendable {
    case input(TerminalInput)
    case news(TabNews)
    case drawn(PictureRequest, Result<DrawnPicture, SourceError>)
    /// It is time for the frame that was put off.
    case frameDue
    /// The size has been the same for a moment, since the change with this number.
    case sizeRested(Int)
    /// Some time went by while something was under way.
    case turned
  }

  private let fallbackSize: TerminalSize
  private let clock: any Timekeeper
  private let drawing: PictureDrawing?
  private var browser: Browser
  private let inbox = Inbox<Event>()
  private let tabs: OpenTabs
  /// The screen that the terminal shows; nil if that is unknown.
  private var shown: Screen?
  private var plane = KittyPlane()
  private var picture: Task<Void, Never>?
  /// The timer that moves the sign of work under way.
  private var turning: Task<Void, Never>?
  private var lastFrame: Moment?
  /// The tabs for which more has to be asked, because their end came near or a person wants more. That is done after the frame, because
  /// the frame must not wait while a page is read.
  private var tabsForMore: [Int: FeedEvent] = [:]
  private var isFramePutOff = false
  private var resizes = 0
  private var restedResizes = 0
  private var isResizing: Bool { resizes > restedResizes }

  /// The shortest time between two frames while records come in. With more frames, a slow line would show old records for long.
  private static let frameGap = Duration.milliseconds(16)
  /// The time for which the selection has to rest before its picture is loaded.
  private static let rest = Duration.milliseconds(120)

  /// `size` is used if the terminal does not know its own size. Pictures are shown only with `drawing`.
  package init(
    _ sources: [BrowsedSource], showing first: Int = 0, on size: TerminalSize, look: BrowserLook, clock: any Timekeeper,
    drawing: PictureDrawing?, exporting: BrowseExporting? = nil
  ) {
    tabs = OpenTabs(sources, exporting: exporting) { [inbox] in inbox.post([.news($0)]) }
    fallbackSize = size
    self.clock = clock
    self.drawing = drawing
    var look = look
    look.hasPictures = drawing != nil
    browser = Browser(sources, showing: first, on: TerminalSize(ofTerminalAt: 1) ?? size, look: look)
  }

  package func run() async -> Ending {
    guard FullScreen.enter() else { return .refused }
    defer { FullScreen.end() }
    FullScreen.takeMouse(browser.look.takesMouse)
    let isRead = FullScreen.read { [inbox] events in inbox.post(events.map { .input($0) }) }
    guard isRead else { return .refused }
    // The first frame is drawn before anything is opened, because a slow disk must not leave the screen empty.
    let opening = browser.begin()
    guard draw() else { return .lost }
    var ending = perform(opening)
    if ending == nil, !draw() { ending = .lost }
    while ending == nil {
      let events = await inbox.next()
      ending = events.isEmpty ? .lost : take(events)
    }
    if ending == .lost { FullScreen.abandon() }
    FullScreen.end()
    for task in [picture, turning] { task?.cancel() }
    tabs.stop()
    return ending ?? .lost
  }

  /// Ends everything under way, but waits for deletions.
  package func close() async { await tabs.close() }

  private func take(_ events: [Event]) -> Ending? {
    // A person who presses Ctrl-C does not want to see the effect of the keys before it.
    if events.contains(where: { if case .input(.key(.control("c"))) = $0 { true } else { false } }) { return .interrupted }
    for (index, event) in events.enumerated() {
      let isFollowed = if index + 1 < events.count, case .input = events[index + 1] { true } else { false }
      if case .input(.ended) = event { return .lost }
      if let ending = perform(take(event, isFollowed: isFollowed)) { return ending }
    }
    return putsOffFrame(for: events) || draw() ? nil : .lost
  }

  private func take(_ event: Event, isFollowed: Bool) -> [BrowserAction] {
    switch event {
    case .input(.notice(.resized)):
      // The size may be the same as before, with another one in between: the terminal may have lost what it showed.
      resizes += 1
      post(.sizeRested(resizes), after: Self.rest)
      return redraw()
    case .input(.notice(.suspended)): return [.suspend]
    case .input(.notice(.resumed)):
      FullScreen.take()
      return redraw()
    case .input(let input): return browser.take(input, isFollowed: isFollowed)
    case .news(let news): return tabs.show(news, in: &browser)
    case .drawn(let request, let result): return browser.show(result, for: request)
    case .frameDue: isFramePutOff = false
    case .sizeRested(resizes): restedResizes = resizes
    case .turned:
      browser.turn()
      turning = post(.turned, after: .milliseconds(browser.look.hasMotion ? 250 : 1000))
    case .sizeRested: break
    }
    return []
  }

  /// Puts the next frame off if only records came and the last frame was just drawn; a key is answered at once. Returns true if it did.
  private func putsOffFrame(for events: [Event]) -> Bool {
    let isHurried = events.contains { if case .news(let news) = $0 { !news.isOfRecords } else { true } }
    guard !isHurried, let lastFrame, Duration.zero..<Self.frameGap ~= clock.now - lastFrame else { return false }
    if !isFramePutOff {
      isFramePutOff = true
      post(.frameDue, after: Self.frameGap)
    }
    return true
  }

  @discardableResult
  private func post(_ event: Event, after wait: Duration) -> Task<Void, Never> {
    Task { [inbox, clock] in if (try? await clock.sleep(for: wait)) != nil { inbox.post([event]) } }
  }

  /// Draws everything anew, in the current size of the terminal.
  private func redraw() -> [BrowserAction] {
    shown = nil
    return browser.resize(to: TerminalSize(ofTerminalAt: 1) ?? fallbackSize)
  }

  private func draw() -> Bool {
    let screen = browser.screen
    let cleared = shown == nil ? plane.clear() : []
    // While a person resizes the window, its picture would be sent for each of many sizes.
    let placement = isResizing ? nil : browser.placement
    if placement != nil { FullScreen.keepsPictures() }
    let frame = cleared + screen.difference(from: shown) + plane.show(placement)
    shown = screen
    keepTurning()
    if !frame.isEmpty {
      lastFrame = clock.now
      guard FullScreen.show(frame) else { return false }
    }
    let wanted = tabsForMore
    tabsForMore = [:]
    // If the page comes at once, the next frame draws it.
    for (tab, event) in wanted { _ = perform(tabs.perform(.feed(tab: tab, event), of: &browser)) }
    return true
  }

  /// Keeps a sign moving while something is under way.
  private func keepTurning() {
    guard browser.isWorking else {
      turning?.cancel()
      turning = nil
      return
    }
    // Seconds are counted on the screen even without motion.
    if turning == nil { turning = post(.turned, after: .milliseconds(browser.look.hasMotion ? 500 : 1000)) }
  }

  private func perform(_ actions: [BrowserAction]) -> Ending? {
    var waiting = actions[...]
    while let action = waiting.popFirst() {
      switch action {
      case .quit(let isInterrupted): return isInterrupted ? .interrupted : .quit
      case .redraw: shown = nil
      case .suspend:
        FullScreen.suspend()
        FullScreen.take()
        waiting += redraw()
      case .picture(let request): bring(request)
      case .copy(let sequence): if !FullScreen.show(sequence) { return .lost }
      case .takeMouse(let isTaken): FullScreen.takeMouse(isTaken)
      case .feed(let tab, .nearEnd): if tabsForMore[tab] == nil { tabsForMore[tab] = .nearEnd }
      case .feed(let tab, .more): tabsForMore[tab] = .more
      case .feed, .pick, .sync, .export: waiting += tabs.perform(action, of: &browser)
      }
    }
    return nil
  }

  private func bring(_ request: PictureRequest?) {
    picture?.cancel()
    picture = nil
    guard let request, let drawing else { return }
    picture = Task { [inbox, clock, rest = Self.rest] in
      do {
        try await clock.sleep(for: rest)
        inbox.post([.drawn(request, .success(try await drawing(request)))])
      } catch is CancellationError {
        return
      } catch {
        inbox.post([.drawn(request, .failure(SourceError(shown: error)))])
      }
    }
  }
}
