import AggregatorCore

/// One question to one source, as the command line put it.
struct Asking: Sendable {
  let program: Program
  let invocation: Invocation
  let descriptor: SourceDescriptor
  let notices: Notices

  init(_ invocation: Invocation, _ descriptor: SourceDescriptor) throws {
    self.program = invocation.program
    self.invocation = invocation
    self.descriptor = descriptor
    self.notices = program.notices(invocation)
    try invocation.refuse(.offline, with: .live)
    try invocation.refuse(.offline, with: .refresh)
  }

  /// The source with the world that the options describe.
  func source() throws -> any DataSource {
    let settings = try program.settings(invocation)
    for warning in settings.warnings { notices.say(warning) }
    var world = Surroundings(settings: settings, transport: program.transport)
    world.clock = program.clock
    world.isInsistent = invocation.has(.refresh)
    if invocation.has(.offline) { world.reach = .offline }
    if invocation.has(.live) { world.reach = .live }
    let source = try descriptor.source(in: world)
    if invocation.has(.explain) { program.console.note("\(program.name): \(descriptor.name) = \(source)") }
    return source
  }

  /// How far the walk may go; 20 records unless told.
  func bounds() throws -> Bounds {
    try invocation.refuse(.all, with: .limit)
    try invocation.refuse(.all, with: .pages)
    let pages = try invocation.count(.pages)
    let limit = try invocation.count(.limit) ?? (pages == nil && !invocation.has(.all) ? 20 : nil)
    return Bounds(limit: limit, pages: pages, deadline: try deadline())
  }

  func deadline() throws -> Moment? { try invocation.duration(.timeout).map { program.clock.now + $0 } }

  /// Runs `work` with the options' listener to what happens.
  func listening<Result>(_ work: () async throws -> Result) async throws -> Result {
    let reporter = EventReporter(
      program: program.name, console: program.console, tellsRequests: invocation.has(.explain), tellsPages: invocation.has(.verbose))
    if reporter.isSilent { return try await work() }
    return try await Event.$listener.withValue({ reporter.tell($0) }, operation: work)
  }

  /// Walks over `query`, printing as the records come.
  func print<Item>(
    _ source: some DataSource<Item>, _ query: Query, bounds: Bounds, to renderer: some Renderer<Item>
  ) async throws -> Summary {
    var walk = Walk(source, query, bounds: bounds, clock: program.clock)
    var renderer = renderer
    var hasBegun = false
    while let items = try await walk.nextPage() {
      if !hasBegun {
        tellOrigin(walk.summary.origin)
        try renderer.begin(walk.summary.origin)
        hasBegun = true
      }
      try renderer.print(items)
      if program.console.isOutputTerminal { try program.console.flush() }
    }
    if !hasBegun { try renderer.begin(walk.summary.origin) }
    try renderer.end(walk.summary)
    return walk.summary
  }

  /// Says where the answer came from when that is not the service.
  func tellOrigin(_ origin: Origin?) {
    guard let origin, origin.kind != .live else { return }
    let what =
      switch origin.kind {
      case .cache: "an earlier answer, \(origin.age.map(\.amount) ?? "some time") old"
      case .bundled: "bundled data"
      case .replay: "a recording"
      case .live: "the service"
      }
    let why = invocation.has(.offline) ? " (--offline)" : origin.reason.map { ", because \($0.message)" } ?? ""
    let remedy = origin.reason?.remedy.map { "; \($0)" } ?? ""
    notices.say("\(descriptor.name): \(what)\(why)\(remedy)")
  }

  /// Says how the walk ended, and ends with the code for it.
  func conclude(_ summary: Summary, of query: Query) -> ExitCode {
    if summary.skipped > 0 { notices.say("\(descriptor.name): \(summary.skipped) broken row\(summary.skipped == 1 ? "" : "s") skipped") }
    switch summary.verdict {
    case .partial(let shortfall):
      notices.say("\(descriptor.name): this is not everything (\(shortfall))")
      return .partial
    case .bounded where !invocation.has(.limit) && !invocation.has(.pages):
      let total = summary.total.map { " of \($0)" } ?? ""
      notices.say("\(descriptor.name): the first \(summary.given)\(total); --all or --limit N gives more")
    case _ where summary.given == 0:
      notices.say("\(descriptor.name): nothing \(query.text.map { "matches \"\($0)\"" } ?? "there")")
    default: break
    }
    return .success
  }
}
