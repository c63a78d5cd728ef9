package import AggregatorCore
import Asking
import RecordFormats

/// A command line that was understood: its command, with arguments and options.
package struct Invocation: Sendable {
  package var program: Program
  package let command: Command
  package let arguments: [String]
  /// The values of each option that was given, by its name; empty for an option without a value.
  package var values: [String: [String]]
  /// The settings, once they have been read.
  package var settings: Settings?
  /// The number of records that the settings ask for.
  package var defaultLimit: Int?

  package init(_ program: Program, _ command: Command, _ arguments: [String], _ values: [String: [String]]) {
    (self.program, self.command, self.arguments, self.values) = (program, command, arguments, values)
  }

  /// Returns the source called `name`. If none is, the error suggests `example`, with the nearest name in place of `SOURCE`.
  package func source(named name: String, in example: String) throws(UsageError) -> SourceDescriptor {
    let catalogue = program.catalogue
    if let source = catalogue[name] {
      sayOmission(of: name)
      return source
    }
    throw unknownSource(name, in: example)
  }

  /// Returns the error for an unknown source, with the reason where one is known.
  package func unknownSource(_ name: String, in example: String) -> UsageError {
    let catalogue = program.catalogue
    if catalogue.isHidden(name) { return UsageError(hidden: name) }
    if let error = catalogue.refusal(of: name) { return error }
    let unknown = Unknown("source", name, among: catalogue.sources.map(\.name))
    return UsageError(unknown, notes: catalogue.unusableFiles) { example.replacingEach("SOURCE", with: $0) }
  }

  /// Returns the sources that are named, or all, except those that the option `except` leaves out.
  ///
  /// A name that cannot be synced does not stop the others, and neither does a file of sources that cannot be read: both are told here.
  /// `code` is the exit code for that, if nothing else fails. Throws if no source is left.
  func endingSources(
    in example: String, except: Option? = nil
  ) throws(UsageError) -> (sources: [SourceDescriptor], code: ExitCode) {
    let left = except.flatMap { values[$0.name] } ?? []
    for name in left { _ = try source(named: name, in: example.replacingEach("SOURCE", with: "--except SOURCE")) }
    var (sources, errors) = ([SourceDescriptor](), [UsageError]())
    for name in arguments where !sources.contains(where: { $0.name == name }) {
      do throws(UsageError) {
        let source = try source(named: name, in: example)
        if source.isEndless { throw UsageError(endless: source) }
        sources.append(source)
      } catch {
        errors.append(error)
      }
    }
    let last = sources.isEmpty ? errors.popLast() : nil
    for error in errors { tell(failure: error.about(command)) }
    if let last { throw last }
    if arguments.isEmpty { sources = program.catalogue.sources.filter { !$0.isEndless } }
    sources.removeAll { left.contains($0.name) }
    if sources.isEmpty { throw UsageError("no source is left; name one that --except does not leave out") }
    let unusable = arguments.isEmpty ? program.catalogue.unusableFiles : []
    for reason in unusable { tell(reason) }
    return (sources, errors.isEmpty ? unusable.isEmpty ? .success : .settings : .usage)
  }

  /// Says that a file describes a source of that name too, if one does.
  package func sayOmission(of name: String) {
    if let omission = program.catalogue.omission(of: name) { say("\(omission.reason)") }
  }

  /// Runs the command within its time limit. Errors get the words of the command line.
  func run() async throws -> ExitCode {
    // Help runs even if the environment is wrong.
    if command.words != ["help"], !command.words.isEmpty { try program.checkEnvironment() }
    do {
      let livesOn = command.livesOn || StatementPrompt.isWanted(by: self)
      let deadline = livesOn ? nil : try timeout().map { program.clock.now + $0 }
      let invocation = try withDefaults().quietInReport
      if let name = command.words.first { sayOmission(of: name) }
      return try await Deadline.keep(until: deadline, by: program.clock) {
        if let file { try await program.console.write(into: OutputFile(file, for: self)) }
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
  /// This line, with `--quiet` added when it prints a report: a job that mails the report would mail notices and progress too.
  private var quietInReport: Invocation {
    guard isReport else { return self }
    var invocation = self
    invocation.values[Option.quiet.name] = []
    return invocation
  }
}

extension UsageError {
  /// Makes the error for a line that cannot be read as an ask, in the words of a command line.
  fileprivate init(_ error: AskError, of source: SourceDescriptor?, _ invocation: Invocation) {
    switch error {
    case .unknown(let parameter): self.init(parameter, "unknown option --\(parameter.word)") { "--\($0)" }
    case .repeated(let name): self.init("--\(name) was given twice")
    case .invalid(let name, let expected), .mismatch(let name, _, let expected): self.init("--\(name) must be \(expected)")
    case .conflict(let one, let other): self.init(together: one, other)
    case .needs(let one, let other): self.init("--\(one) needs --\(other)")
    case .unreadable(let name, let error):
      let error = error.worded(invocation.wording)
      self.init("--\(name): \(error.message)\(error.remedy.map { "; \($0)" } ?? "")")
    case .missing(let name): self.init("\(invocation.command.name) needs an argument: \(name.uppercased())")
    case .foreignCursor: self.init("\(error)")
    }
  }

  fileprivate init(together one: String, _ other: String) { self.init("--\(one) and --\(other) cannot be used together") }

  /// Makes the error for an endless list, which no sync stores.
  init(endless source: SourceDescriptor) {
    self.init(
      "\(source.name) cannot be synced: the list has no end", suggestion: "\(source.name) next --limit 1000",
      usage: "\(source.name) next --limit N", topic: "\(source.name) next")
  }

  /// Makes the error for a hidden source.
  init(hidden name: String) { self.init("\(name) is hidden", suggestion: "add \(name)", topic: "remove") }
}

extension Catalogue {
  package func isHidden(_ name: String) -> Bool { hidden.contains { $0.name == name } }

  /// Problems in files that cannot be read at all, so that their sources are unknown.
  var unusableFiles: [String] { omissions.filter { $0.name == nil }.map { "\($0.reason)" } }

  /// Returns the error for a name that a file gave and may not have, or for a file of that name that cannot be read; nil without one.
  func refusal(of name: String) -> UsageError? {
    if let omission = omission(of: name) { return UsageError("\(omission.reason)") }
    let unread = omissions.first { $0.file?.split(separator: "/").last == "\(name).json" }
    // The line may be right.
    return unread.map { copy(of: UsageError("\($0.reason)")) { $0.code = .settings } }
  }
}

// MARK: - Reading the options

extension Invocation {
  package func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value given; nil when the option is missing or has no value.
  package func value(_ option: Option) -> String? { values[option.name]?.last }

  /// The file for the results; nil if the line names none. It may be named beside a format, and is the first value then.
  var file: String? { values[Option.format.name]?.first.flatMap { Format(rawValue: $0) == nil ? $0 : nil } }

  /// True when the line gives at least one of these parameters.
  func says(_ parameters: Ask.Parameter...) -> Bool { parameters.contains { values[$0.name] != nil } }

  /// Reads `words`, or all options of the line. Throws a usage error if they cannot be read.
  func reading<Meaning>(
    _ words: AskWords? = nil, of source: SourceDescriptor? = nil, as read: (AskWords) throws(AskError) -> Meaning
  ) throws(UsageError) -> Meaning {
    do throws(AskError) { return try read(words ?? AskWords(values)) } catch {
      throw UsageError(error, of: source, self)
    }
  }

  /// Returns the time limit of the command; nil without one.
  package func timeout() throws(UsageError) -> Duration? {
    try reading { words throws(AskError) in try Ask.Parameter.timeout.duration(in: words) }
  }

  /// Returns the terms of the ask: where answers may come from.
  package func terms() throws(UsageError) -> World.Terms {
    try refuse(.offline, with: .live, .refresh)
    return try reading { words throws(AskError) in try World.Terms(reading: words) }
  }

  /// Throws if an option is given that cannot be used together with `one`.
  package func refuse(_ one: Option, with others: Option...) throws(UsageError) {
    guard has(one), let other = others.first(where: has) else { return }
    throw UsageError(together: one.name, other.name)
  }
}

extension Invocation {
  /// True when the person agrees: by `--yes`, or when asked at a terminal. Throws where the person cannot be asked.
  package func confirms(_ question: String) throws(UsageError) -> Bool {
    if has(.yes) { return true }
    guard let isMeant = program.console.confirms("\(question) [y/N] ") else {
      throw UsageError("\(command.words.last ?? "") needs --yes where it cannot ask")
    }
    return isMeant
  }
}
