public import AggregatorCommand
import AggregatorCore
import Asking
import Browse
import Pictures
import RecordFormats
import Terminal

extension Face {
  /// `browse`: the sources on the whole terminal.
  public static let browse = Face(commands: [BrowseCommand.command])
}

/// `browse`: the sources on the whole terminal.
enum BrowseCommand {
  private static let mouse = Option("mouse", "use the mouse in the browser; selecting texts with it needs Shift then")
  private static let noMotion = Option("no-motion", "nothing moves by itself, as with AGGREGATOR_REDUCED_MOTION=1")

  static let command = Command(
    ["browse"], .optional(.source), options: [mouse, noMotion, .offline, .live, .maxAge, .refresh, .timeout, .store],
    livesOn: true,
    "look through the sources on the terminal; search, sort, filter, mark and export; ? lists the keys",
    examples: ["browse", "browse countries --offline"]
  ) { invocation in
    let (program, console) = (invocation.program, invocation.program.console)
    let terms = try terms(of: invocation)
    let sources = program.catalogue.sources
    guard !sources.isEmpty else { throw SourceError(.settings, "no source to browse") }
    let first = try invocation.arguments.first.map { name throws(UsageError) in
      try invocation.source(named: name, in: "browse SOURCE").name
    }
    let index = sources.firstIndex { $0.name == first } ?? 0
    let instead =
      "type '\(program.name) \(sources[index].name) list' to print records, or '\(program.name) search TEXT' to find some"
    guard console.isOutputTerminal, console.isInputTerminal, program.environment["TERM"] != "dumb" else {
      throw UsageError("browse needs a terminal; \(instead)")
    }
    var world = try await invocation.askingWorld(of: sources).on(terms)
    world.allowance = try invocation.timeout()
    // What the store cannot say is left out; the list of a source says why.
    let reports = (try? await program.catalogue.reports(on: sources, in: world)) ?? []
    let offered = sources.map { source in
      var offered = BrowsedSource(source.name, searches: source.searches, pick: source.pick) { [world] in
        try source.open(in: world)
      }
      offered.stored = reports.first { $0.source.name == source.name }?.brief ?? ""
      offered.canSync = !source.isEndless && world.store != nil
      return offered
    }
    let views = views(of: program.catalogue, in: world, invocation)
    let look = look(invocation, in: world)
    Interruption.restoreTerminalOnCrash()
    // For a terminal that does not know its size.
    let usualSize = TerminalSize(columns: console.width(program.environment), rows: 24)
    let session = BrowseSession(
      offered + views, showing: index, on: usualSize, look: look, clock: program.clock,
      drawing: pictures(of: program, in: world, isColored: look.isColored),
      exporting: BrowseExporter(invocation: invocation).write)
    let ending = await session.run()
    // Another process may have the store for a while; the line tells a person who quits why the shell does not return at once.
    try await ProgressLine(invocation) { _ in "waiting for the store, to keep what was deleted; Ctrl-C gives it up" }
      .during { await session.close() }
    switch ending {
    case .quit: return .success
    case .interrupted: return .interrupted
    case .lost: return .hungUp
    case .refused: throw SourceError(.custom("terminal"), "cannot use the terminal", remedy: .advice(instead))
    }
  }

  /// Returns the terms of the line. Unless it says how old an answer may be, one of the last day is shown at once; `r` asks the service.
  private static func terms(of invocation: Invocation) throws -> World.Terms {
    var terms = try invocation.terms()
    if terms.reach == .anywhere, !terms.isInsistent, !invocation.has(.maxAge) { terms.maxAge = World.Terms.freshAge }
    return terms
  }

  /// Returns the views over all sources: their names, and what each shows.
  private static func views(of catalogue: Catalogue, in world: World, _ invocation: Invocation) -> [BrowsedSource] {
    [
      BrowsedSource("status", .status(of: catalogue, in: world, words: invocation.wording)),
      BrowsedSource("changes", .changes(of: catalogue, in: world)),
      BrowsedSource("found", searches: "every source", .found(in: catalogue, world)),
    ]
  }

  private static func look(_ invocation: Invocation, in world: World) -> BrowserLook {
    let program = invocation.program
    var look = BrowserLook(
      isColored: Style.isColored(invocation.value(.color), onTerminal: true, program.environment),
      hasSkinTones: !FullScreen.isMultiplexed(program.environment), isOffline: invocation.has(.offline),
      now: { program.clock.now })
    look.program = program.name
    look.words = { remedy, source in words(remedy, source, program.name) }
    look.hasStandIns = world.terms.reach == .anywhere
    look.takesMouse = invocation.has(mouse)
    look.hasMotion = !invocation.has(noMotion) && ["", "0"].contains(program.environment["AGGREGATOR_REDUCED_MOTION"] ?? "")
    return look
  }

  /// Returns a remedy in the words of the browser, which has keys for some; nil for options that it does not take.
  private static func words(_ remedy: Remedy, _ source: String?, _ program: String) -> String? {
    switch remedy {
    case .check, .lengthen, .omit, .give(["explain"], _), .give(["all"], _): nil
    case .ask(let call, _) where ["list", "search"].contains(call.verb): nil
    case .ask(let call, let purpose) where call.verb == "sync" && call.isOfSource && call.source == nil:
      "R stores them all, \(purpose)"
    case .give(["offline"], _): "R stores them anew, to sort what is stored"
    case .either(let remedies): remedies.lazy.compactMap { words($0, source, program) }.first
    default: remedy.words(program, source)
    }
  }

  /// Returns a function that downloads pictures and draws them; nil if the terminal cannot show any.
  private static func pictures(of program: Program, in world: World, isColored: Bool) -> PictureDrawing? {
    guard let drawer = PictureDrawer(program, isColored: isColored) else { return nil }
    let pictures = PictureCache(in: world, folder: program.pictureFolder)
    return { request in
      let picture = try await pictures.picture(at: request.address)
      try Task.checkCancellation()
      return try await drawer.draw(picture, for: request)
    }
  }
}
