package import AggregatorCore
package import Asking
import Presentation

/// A command line that was understood: which command, with what.
package struct Invocation: Sendable {
  package var program: Program
  package let command: Command
  package let arguments: [String]
  /// What was given of each option, by its name: nothing of one without a value.
  package var values: [String: [String]]
  /// The settings, where they have been read.
  package var settings: Settings?
  /// How many records the settings want.
  var defaultLimit: Int?

  init(_ program: Program, _ command: Command, _ arguments: [String], _ values: [String: [String]]) {
    (self.program, self.command, self.arguments, self.values) = (program, command, arguments, values)
  }

  /// The source that was named; where there is none, the error says what `example` would be with the nearest name in place of `SOURCE`.
  package func source(named name: String, in example: String) throws(UsageError) -> SourceDescriptor {
    let catalogue = program.catalogue
    if let source = catalogue[name] {
      sayOmission(of: name)
      return source
    }
    throw unknownSource(name, in: example)
  }

  /// The error that there is no such source, with what is known of why.
  package func unknownSource(_ name: String, in example: String) -> UsageError {
    let catalogue = program.catalogue
    if catalogue.isHidden(name) { return UsageError(hidden: name) }
    if let omission = catalogue.omission(of: name) { return UsageError("\(omission.reason)") }
    let unknown = Unknown("source", name, among: catalogue.sources.map(\.name))
    return UsageError(unknown, notes: catalogue.unusableFiles) { example.replacingEach("SOURCE", with: $0) }
  }

  /// The sources that are named, or all, without those that `except` leaves out. A list without an end cannot be named: no sync stores it.
  package func endingSources(in example: String, except: Option? = nil) throws(UsageError) -> [SourceDescriptor] {
    let left = except.flatMap { values[$0.name] } ?? []
    for name in left { _ = try source(named: name, in: example.replacingEach("SOURCE", with: "--except SOURCE")) }
    var sources: [SourceDescriptor] = []
    for name in arguments where !sources.contains(where: { $0.name == name }) {
      let source = try source(named: name, in: example)
      if source.isEndless { throw UsageError(endless: source) }
      sources.append(source)
    }
    if arguments.isEmpty { sources = program.catalogue.sources.filter { !$0.isEndless } }
    sources.removeAll { left.contains($0.name) }
    if sources.isEmpty { throw UsageError("no source is left; name one that --except does not leave out") }
    return sources
  }

  /// Says which files of sources cannot be used, where all sources were meant, and gives the code for that.
  package func tellUnusableFiles() -> ExitCode {
    guard arguments.isEmpty, !program.catalogue.unusableFiles.isEmpty else { return .success }
    for reason in program.catalogue.unusableFiles { tell(reason) }
    return .settings
  }

  /// Says that a file has a source of that name too, if one does.
  package func sayOmission(of name: String) {
    if let omission = program.catalogue.omission(of: name) { say("\(omission.reason)") }
  }

  /// Runs the command within its time; what goes wrong is said as the command line has it.
  package func run() async throws -> ExitCode {
    // Help helps whatever is wrong.
    if command.words != ["help"], !command.words.isEmpty { try program.checkEnvironment() }
    do {
      // In the browser each request has that time, not the whole command.
      let deadline = command.words == ["browse"] ? nil : try timeout().map { program.clock.now + $0 }
      if let name = value(.format), Format(rawValue: name) == nil {
        try program.console.write(into: OutputFile(name, for: self))
      }
      let invocation = try withDefaults().quietInReport
      if let name = command.words.first { sayOmission(of: name) }
      return try await Deadline.keep(until: deadline, by: program.clock) {
        if try invocation.preparesFields() { return .success }
        return try await command.run(invocation)
      }
    } catch let error as SourceError {
      throw error.ending(self)
    } catch let error as UsageError {
      throw error.about(command)
    }
  }
}

extension Invocation {
  /// This line without notices and progress where it prints a report: who mails that mails what stands beside it, too.
  private var quietInReport: Invocation {
    guard isReport else { return self }
    var invocation = self
    invocation.values[Option.quiet.name] = []
    return invocation
  }
}

extension UsageError {
  /// Why a line cannot be read as an ask, in the words of a command line.
  fileprivate init(_ error: AskError, of source: SourceDescriptor?, _ invocation: Invocation) {
    switch error {
    case .unknown(let parameter): self.init(parameter, "unknown option --\(parameter.word)") { "--\($0)" }
    case .repeated(let name): self.init("--\(name) was given twice")
    case .invalid(let name, let expected): self.init("--\(name) must be \(expected)")
    case .conflict(let one, let other): self.init(together: one, other)
    case .unreadable(let name, let error):
      let error = error.worded(invocation.wording)
      self.init("--\(name): \(error.message)\(error.remedy.map { "; \($0)" } ?? "")")
    case .missing(let name): self.init("\(invocation.command.name) needs an argument: \(name.uppercased())")
    case .foreignCursor: self.init("\(error)")
    case .requiresShape where source?.isEndless == true: self.init("--require: \(error)")
    case .requiresShape:
      let command = "\(invocation.program.name) changes \(source?.name ?? "SOURCE") --require same-shape"
      self.init("--require: \(error); type '\(command)'")
    }
  }

  fileprivate init(together one: String, _ other: String) { self.init("--\(one) and --\(other) cannot be used together") }

  /// The list of that source has no end, so that no sync stores it.
  package init(endless source: SourceDescriptor) {
    self.init(
      "\(source.name) cannot be synced: the list has no end", suggestion: "\(source.name) next --limit 1000",
      usage: "\(source.name) next --limit N", topic: "\(source.name) next")
  }

  /// The source of that name is hidden.
  init(hidden name: String) { self.init("\(name) is hidden", suggestion: "add \(name)", topic: "remove") }
}

extension Catalogue {
  package func isHidden(_ name: String) -> Bool { hidden.contains { $0.name == name } }

  /// What is wrong with files of which nobody knows which sources they describe.
  var unusableFiles: [String] { omissions.filter { $0.name == nil }.map { "\($0.reason)" } }
}

// MARK: - What the options say

extension Invocation {
  package func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value given; nil when the option is missing or bare.
  package func value(_ option: Option) -> String? { values[option.name]?.last }

  /// True when the line says something of one of these.
  func says(_ parameters: Ask.Parameter...) -> Bool { parameters.contains { values[$0.name] != nil } }

  /// What these words mean, or all of the line; what cannot be read is a usage error.
  package func reading<Meaning>(
    _ words: AskWords? = nil, of source: SourceDescriptor? = nil, as read: (AskWords) throws(AskError) -> Meaning
  ) throws(UsageError) -> Meaning {
    do throws(AskError) { return try read(words ?? AskWords(values)) } catch {
      throw UsageError(error, of: source, self)
    }
  }

  /// How long the command may take.
  package func timeout() throws(UsageError) -> Duration? {
    try reading { words throws(AskError) in try Ask.Parameter.timeout.duration(in: words) }
  }

  /// Where answers may come from.
  package func terms() throws(UsageError) -> World.Terms {
    try refuse(.offline, with: .live, .refresh)
    return try reading { words throws(AskError) in try World.Terms(reading: words) }
  }

  /// Refuses options that cannot be used together with `one`.
  package func refuse(_ one: Option, with others: Option...) throws(UsageError) {
    guard has(one), let other = others.first(where: has) else { return }
    throw UsageError(together: one.name, other.name)
  }
}
