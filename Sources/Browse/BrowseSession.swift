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

  /// What happens while it runs.
  private enum Event: Sendable {
    case input(TerminalInput)
    case news(TabNews)
    case drawn(PictureRequest, Result<DrawnPicture, SourceError>)
    /// It is time for the frame that was put off.
    case frameDue
    /// The size has not changed again since it changed for that time.
    case sizeRested(Int)
    /// Some time went by with something under way.
    case turned
  }

  private let fallbackSize: TerminalSize
  private let clock: any Timekeeper
  private let drawing: PictureDrawing?
  private var browser: Browser
  private let inbox = Inbox<Event>()
  private let tabs: OpenTabs
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
    drawing: PictureDrawing?
  ) {
    tabs = OpenTabs(sources) { [inbox] in inbox.post([.news($0)]) }
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
    // Drawn before anything is opened: a slow disk must not leave the screen empty.
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

  /// Ends what is under way, but waits for deletions.
  package func close() async { await tabs.close() }

  private func take(_ events: [Event]) -> Ending? {
    // Whoever pressed it does not want to see what became of the keys before it.
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
      // Also where the size is what it was: it was another in between, and the terminal has forgotten what it showed.
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

  /// Whether a frame can wait: a key is answered at once.
  private func putsOffFrame(for events: [Event]) -> Bool {
    let isHurried = events.contains { if case .news(.changed) = $0 { false } else { true } }
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

  /// Draws everything anew, in the size that the terminal has now.
  private func redraw() -> [BrowserAction] {
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
    for tab in near { _ = perform(tabs.perform(.feed(tab: tab, .nearEnd), of: &browser)) }
    return true
  }

  /// What takes long shows that it goes on.
  private func keepTurning() {
    guard browser.isWorking else {
      turning?.cancel()
      turning = nil
      return
    }
    // Seconds are told without motion too.
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
      case .feed(let tab, .nearEnd): tabsNearEnd.insert(tab)
      case .feed, .pick: waiting += tabs.perform(action, of: &browser)
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
