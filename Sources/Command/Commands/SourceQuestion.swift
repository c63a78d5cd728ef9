import AggregatorCore
import Presentation
import SourceTesting

/// What one command asks of one source; whatever is wrong with it is found before a file is read or a request sent.
struct SourceQuestion: Sendable {
  let invocation: Invocation
  let descriptor: SourceDescriptor
  var query: Query
  var bounds: Bounds
  /// Where what is asked is recorded, if it is.
  let recording: Recording?
  /// What `--require` wants of the answer.
  private let requirements: [Requirement]

  var program: Program { invocation.program }

  /// A question within `bounds` and the time that the command has.
  init(_ query: Query, of descriptor: SourceDescriptor, within bounds: Bounds = .none, _ invocation: Invocation) throws {
    try invocation.refuse(.offline, with: .live)
    try invocation.refuse(.offline, with: .refresh)
    try invocation.refuseMixedRecordings()
    try invocation.refuse(.plan, with: .record)
    let timeout = try invocation.duration(.timeout)
    do throws(SourceError) {
      requirements = try invocation.value(.require).map { text throws(SourceError) in try Requirement.all(in: text) } ?? []
    } catch {
      throw UsageError(error, of: .require).about(invocation.command)
    }
    let invocation = try invocation.replaying()
    self.invocation = invocation
    recording = invocation.value(.record).map { Recording(of: descriptor.name, into: $0) }
    self.descriptor = descriptor
    self.query = query
    // One time for the whole command, of which some has passed where it asks several times.
    let left = timeout.map { min($0, Deadline.left ?? $0) }
    self.bounds = Bounds(
      limit: bounds.limit, pages: bounds.pages, deadline: left.map { invocation.program.clock.now + $0 } ?? bounds.deadline)
  }

  /// The source in the world that the options describe.
  func source() throws -> any DataSource { try source(in: world()) }

  /// The world that the options describe; what is asked in it is recorded where that was asked for.
  func world() throws -> Surroundings { try recorded(in: invocation.world()) }

  /// The same for a world that several sources share.
  func recorded(in world: Surroundings) -> Surroundings {
    guard let recording else { return world }
    recording.hide(world.settings.secrets)
    var world = world
    world.transport = world.transport.through([Recorder(recording, clock: world.clock)])
    return world
  }

  func source(in world: Surroundings) throws -> any DataSource { try answering(opened(in: world)) }

  private func answering(_ source: some OpenSource) -> any DataSource { source.answering }

  /// The source and its parts.
  func opened(in world: Surroundings) throws -> any OpenSource {
    do {
      let source = try descriptor.open(in: world)
      if invocation.has(.explain) { program.console.note("\(program.name): \(descriptor.name) = \(source.answering)") }
      return source
    } catch let error as SourceError {
      throw error.from(descriptor.name)
    }
  }

  /// Walks over the answer, or the records in it that are wanted; `begin` learns where it comes from before `take` gets them, page by page,
  /// and so does a person unless `tells` is false.
  func walk<Item>(
    _ source: some DataSource<Item>, where isWanted: (@Sendable (Item) -> Bool)? = nil, tells: Bool = true, showsProgress: Bool = true,
    beginning begin: (Origin) throws -> Void = { _ in }, _ take: ([Item]) throws -> Void
  ) async throws -> Summary {
    try await recorded {
      try await EventPrinter(self, showsProgress: showsProgress).during {
        var walk = Walk(source, query, bounds: bounds, clock: program.clock, where: isWanted)
        var hasBegun = false
        while let items = try await next(&walk) {
          if !hasBegun, let origin = walk.summary.origin {
            if tells { tell(origin) }
            try begin(origin)
            hasBegun = true
          }
          try take(items)
        }
        return walk.summary
      }
    }
  }

  private func next<Item>(_ walk: inout Walk<Item>) async throws -> [Item]? {
    do {
      return try await walk.nextPage()
    } catch let error as SourceError {
      throw error.from(descriptor.name).advising(invocation, descriptor)
    }
  }
}

extension SourceQuestion {
  /// Says where the answer comes from when that is not the service.
  func tell(_ origin: Origin) {
    let completion = origin.isPart ? "; '\(program.name) \(descriptor.name) sync' fetches the rest" : ""
    if origin.kind != .live { notice(words(for: origin) + completion) }
  }

  /// Where an answer comes from, and why not from the service.
  func words(for origin: Origin) -> String { origin.words(isOffline: invocation.has(.offline), at: program.clock.now) }

  /// Ends the answer with how the walk went, and says below a table what did not fit.
  func end<Item>(_ renderer: inout any Renderer<Item>, _ summary: Summary) throws {
    if case .partial = summary.verdict { program.console.markPartial() }
    try renderer.end(summary)
    try invocation.tellShortage(of: renderer)
  }

  /// Says how the walk ended, and ends with the code for it, which is that of what `--require` misses too.
  /// `shortage` is why no record was wanted, should that be so.
  func conclude(_ summary: Summary, isReadingOn: Bool = false, shortage: String? = nil) -> ExitCode {
    checked(tell(summary, isReadingOn: isReadingOn, shortage), summary)
  }

  private func tell(_ summary: Summary, isReadingOn: Bool, _ shortage: String?) -> ExitCode {
    if let skipped = summary.skippedWords { notice(skipped + (invocation.has(.verbose) ? "" : "; --verbose shows why")) }
    if summary.verdict == .complete, let change = summary.change { notice(change) }
    if summary.duplicates > 0 { notice("left out \(count(summary.duplicates, "repeated record"))") }
    if let shortfall = summary.shortfallWords {
      notice(shortfall)
      return .partial
    }
    switch summary.verdict {
    case .bounded where isReadingOn, .complete where isReadingOn: break
    case .bounded
    where !invocation.has(.limit) && !invocation.has(.pages) && !invocation.has(.offset)
      && !invocation.has(.count):
      notice(
        "showing the first \(summary.given)\(summary.total.map { " of \($0)" } ?? ""); \(invocation.has(.all) ? "" : "--all or ")--limit N shows more"
      )
    case _ where summary.given == 0:
      if let shortage {
        notice(shortage)
        break
      }
      guard let text = query.text else {
        notice("no records")
        break
      }
      program.notices(invocation).say("no \(descriptor.name) match \"\(text)\"\(summary.nearest.question.map { "; \($0)" } ?? "")")
    // A list without an end never is.
    case .unverifiable where summary.origin?.kind == .cache && !descriptor.isEndless:
      notice("this may not be everything: the store does not know whether the list is whole")
    default: break
    }
    return .success
  }

  /// `code`, unless the answer lacks something that `--require` wants; that is said, quiet or not.
  func checked(_ code: ExitCode, _ summary: Summary) -> ExitCode {
    let shortfalls = requirements.compactMap { $0.shortfall(of: summary) }
    // What there is stands before what it lacks.
    if !shortfalls.isEmpty { try? program.console.flush() }
    for shortfall in shortfalls { program.notices(invocation).tell("\(descriptor.name): \(shortfall) (--require)") }
    return shortfalls.isEmpty ? code : .partial
  }

  func notice(_ text: String) { program.notices(invocation).say("\(descriptor.name): \(text)") }

  func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
