import AggregatorCore
import Asking
import Presentation
import SourceVerification

/// What one command asks of one source; whatever is wrong with it is found before a file is read or a request sent.
struct SourceQuestion: Sendable {
  let invocation: Invocation
  let descriptor: SourceDescriptor
  var ask: Ask
  /// Where what is asked is recorded, if it is.
  let recording: Recording?

  var program: Program { invocation.program }

  /// A question on the terms and in the time of the command line.
  init(_ query: Query, of descriptor: SourceDescriptor, _ invocation: Invocation) throws {
    try invocation.refuse(.offline, with: .live)
    try invocation.refuse(.offline, with: .refresh)
    try invocation.refuseMixedRecordings()
    try invocation.refuse(.plan, with: .record)
    let timeout = try invocation.duration(.timeout)
    var ask = Ask(query, of: descriptor.name)
    ask.requirements = try invocation.reading(.require) { text throws(SourceError) in try Requirement.all(in: text) }
    ask.conditions = try invocation.reading(.where) { text throws(SourceError) in [try RecordCondition(text, on: descriptor.fields.leaves)]
    }
    ask.order = try invocation.reading(.sort) { text throws(SourceError) in try RecordOrder.all(in: text, of: descriptor.fields.leaves) }
    let invocation = try invocation.replaying()
    self.invocation = invocation
    recording = invocation.value(.record).map { Recording(of: descriptor.name, into: $0, in: invocation.program.workingDirectory) }
    self.descriptor = descriptor
    ask.terms = try invocation.terms
    // One time for the whole command, of which some has passed where it asks several times.
    ask.deadline = timeout.map { invocation.program.clock.now + min($0, Deadline.left ?? $0) }
    self.ask = ask
  }

  /// The world that the options describe; what is asked in it is recorded where that was asked for.
  func world() throws -> World { try recorded(in: invocation.world()) }

  /// The same for a world that several sources share.
  func recorded(in world: World) -> World {
    guard let recording else { return world }
    recording.hide(world.settings.secrets)
    var world = world
    world.transport = world.transport.through([Recorder(recording, clock: world.clock)])
    return world
  }

  /// The source and everything that can be done with it.
  func opened(in world: World? = nil) throws -> any SourceSession {
    let source = try descriptor.open(ask, in: world ?? self.world())
    explain(source)
    return source
  }

  /// Says what answers in place of what, where that was asked for.
  func explain(_ source: any SourceSession) {
    if invocation.has(.explain) { program.console.note("\(program.name): \(descriptor.name) = \(source.answering)") }
  }

  /// Runs `work`, which asks: what happens in it is told, and what is sent recorded.
  func asking<Result>(showsProgress: Bool = true, _ work: () async throws -> Result) async throws -> Result {
    try await recorded { try await EventPrinter(self, showsProgress: showsProgress).during(work) }
  }
}

extension Invocation {
  /// What an option's values mean, each read by `read`; what cannot be read is a usage error.
  fileprivate func reading<Meaning>(
    _ option: Option, _ read: (String) throws(SourceError) -> [Meaning]
  ) throws(UsageError) -> [Meaning] {
    let texts = option.isRepeatable ? values(option) : value(option).map { [$0] } ?? []
    do throws(SourceError) {
      var meanings: [Meaning] = []
      for text in texts { meanings += try read(text) }
      return meanings
    } catch {
      throw UsageError(error.worded(for: self), of: option).about(command)
    }
  }
}

// MARK: - What a person is told

extension SourceQuestion {
  /// Says where the answer comes from when that is not the service.
  func tell(_ origin: Origin) {
    if origin.kind != .live { say(.origin(origin)) }
  }

  /// Where an answer comes from, and why not from the service.
  func words(for origin: Origin) -> String {
    let origin = origin.worded(for: invocation)
    let remedies = Notice.origin(origin).remedies.map { "; \($0.words(program.name, descriptor.name))" }.joined()
    return origin.words(because: invocation.has(.offline) ? "--offline" : nil, at: program.clock.now) + remedies
  }

  /// Says what a person should know, unless they asked for just that.
  func say(_ notices: Notice...) { for notice in notices { say(notice) } }

  private func say(_ notice: Notice) {
    let isBounded = [Option.limit, .pages, .offset, .count].contains(where: invocation.has)
    let isMoreWanted = [Option.limit, .pages, .all].contains(where: invocation.has)
    switch notice {
    case .first where isBounded, .stored where !isMoreWanted: return
    case .skippedRow where invocation.has(.verbose), .skippedMore where invocation.has(.verbose): return
    case .origin(let origin): return self.notice(words(for: origin))
    case .noMatch: return program.notices(invocation).say(text(of: notice))
    case .noneMeets(_, areCodes: true): return self.notice("\(text(of: notice)) (--fields explains them)")
    case .first where invocation.has(.all): return self.notice("\(text(of: notice)); --limit N shows more")
    case .skipped where !invocation.has(.verbose): return self.notice("\(text(of: notice)); --verbose shows why")
    default: break
    }
    self.notice(([text(of: notice)] + notice.remedies.map { $0.words(program.name, descriptor.name) }).joined(separator: "; "))
  }

  private func text(of notice: Notice) -> String {
    var notice = notice
    if case .incomplete(let shortfall) = notice { notice = .incomplete(shortfall.worded(for: invocation)) }
    return notice.text(of: descriptor.name, at: program.clock.now)
  }

  /// Ends the answer with how it came about, and says below a table what did not fit.
  func end<Item>(_ renderer: inout any Renderer<Item>, _ summary: Summary) throws {
    if case .partial = summary.verdict { program.console.markPartial() }
    try renderer.end(summary.worded(for: invocation))
    try invocation.tellShortage(of: renderer)
  }

  /// Says what a person should know of an answer, and ends with the code for it, which is that of what `--require` misses too.
  func conclude(_ verdict: Verdict?, _ notices: [Notice], unmet: [String]) -> ExitCode {
    for notice in notices { say(notice) }
    var code = ExitCode.success
    if case .partial = verdict { code = .partial }
    return checked(code, unmet)
  }

  /// `code`, unless the answer lacks something that `--require` wants; that is said, quiet or not.
  func checked(_ code: ExitCode, _ unmet: [String]) -> ExitCode {
    // What there is stands before what it lacks.
    if !unmet.isEmpty { try? program.console.flush() }
    for shortfall in unmet { program.notices(invocation).tell("\(descriptor.name): \(shortfall) (--require)") }
    return unmet.isEmpty ? code : .partial
  }

  func notice(_ text: String) { program.notices(invocation).say("\(descriptor.name): \(text)") }

  func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
