package import AggregatorCore
package import Asking
import Recordings

/// The question of one command to one source. Its errors are found before a file is read or a request is sent.
package struct SourceQuestion: Sendable {
  package let invocation: Invocation
  let descriptor: SourceDescriptor
  package var ask: Ask
  /// The recording of what is asked; nil without `--record`.
  let recording: Recording?

  var program: Program { invocation.program }

  /// Reads what the line says of a verb of that source. `subject` is what the verb is about, if the arguments do not say that.
  package init(
    _ verb: Verb, of descriptor: SourceDescriptor, _ invocation: Invocation, about subject: [String]? = nil
  ) throws {
    try invocation.refuse(.offline, with: .record, .replay)
    try invocation.refuse(.record, with: .replay)
    try invocation.refuse(.live, with: .replay)
    try invocation.refuse(.plan, with: .record)
    let invocation = try invocation.replaying()
    var words = invocation.values.filter { name, _ in verb.parameters.contains { $0.name == name } }
    for parameter in verb.subjectParameters where parameter != .cursor {
      words[parameter.name] = subject ?? invocation.arguments
    }
    let (limit, now) = (invocation.usualLimit, invocation.program.clock.now)
    ask = try invocation.reading(AskWords(words), of: descriptor) { words throws(AskError) in
      try Ask(verb, of: descriptor, reading: words, usualLimit: limit, at: now)
    }
    if invocation.has(.replay), verb.partner == .anyone || verb.partner == .oneOfBoth { ask.terms.reach = .replay }
    self.invocation = invocation
    self.descriptor = descriptor
    recording = invocation.value(.record).map {
      Recording(of: descriptor.name, into: $0, in: invocation.program.workingDirectory)
    }
  }

  /// Reads what only one verb wants. Mistakes in it were found with those of the ask.
  func reading<Wishes>(_ read: (AskWords) throws(AskError) -> Wishes) throws(UsageError) -> Wishes {
    try invocation.reading(of: descriptor, as: read)
  }

  /// Opens the source. What is asked of it is recorded if the line says so.
  package func opened(in world: World? = nil) throws -> OpenedSource {
    let source = try descriptor.open(ask, in: recorded(in: world ?? invocation.world()))
    explain(source)
    return source
  }

  func recorded(in world: World) -> World {
    guard let recording else { return world }
    recording.hide(world.settings.secrets)
    var world = world
    world.transport = world.transport.through([Recorder(recording, clock: world.clock)])
    return world
  }

  /// Prints the source with its wrappers, if the line asks for that.
  func explain(_ source: OpenedSource) {
    if invocation.has(.explain) { program.console.note("\(program.name): \(descriptor.name) = \(source.answering)") }
  }

  /// Runs `work`, which asks the source: prints its events and records what is sent. `hear` takes the notices on the way.
  package func asking<Result>(
    showsProgress: Bool = true, hearing hear: @escaping @Sendable (String) -> Void = { _ in }, _ work: () async throws -> Result
  ) async throws -> Result {
    try await [self].recorded {
      try await EventPrinter(self, showsProgress: showsProgress, hearing: hear).during(work)
    }
  }
}
