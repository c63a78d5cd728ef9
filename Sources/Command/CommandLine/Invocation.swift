import AggregatorCore
import Presentation

/// A command line that was understood: which command, with what.
struct Invocation: Sendable {
  var program: Program
  let command: Command
  let arguments: [String]
  /// What was given of each option, by its name: nothing of one without a value.
  var values: [String: [String]]
  /// The settings, where they have been read.
  var settings: Settings?
  /// How many records the settings want.
  var defaultLimit: Int?

  init(_ program: Program, _ command: Command, _ arguments: [String], _ values: [String: [String]]) {
    (self.program, self.command, self.arguments, self.values) = (program, command, arguments, values)
  }

  /// The source that was named; where there is none, the error says what `example` would be with the nearest name in place of `SOURCE`.
  func source(named name: String, in example: String) throws(UsageError) -> SourceDescriptor {
    let catalogue = program.catalogue
    if let source = catalogue[name] {
      sayOmission(of: name)
      return source
    }
    throw unknownSource(name, in: example)
  }

  /// The error that there is no such source, with what is known of why.
  func unknownSource(_ name: String, in example: String) -> UsageError {
    let catalogue = program.catalogue
    if catalogue.isHidden(name) { return UsageError(hidden: name) }
    if let omission = catalogue.omission(of: name) { return UsageError("\(omission.reason)") }
    let nearest = Closest.closest(to: name, among: catalogue.sources.map(\.name))
    return UsageError(
      "unknown source \"\(name)\"", notes: catalogue.unusableFiles,
      suggestion: nearest.map { example.replacingEach("SOURCE", with: $0) })
  }

  /// The sources that are named, or all, without those that `except` leaves out. A list without an end cannot be named: no sync stores it.
  func endingSources(in example: String, except: Option? = nil) throws(UsageError) -> [SourceDescriptor] {
    let left = except.flatMap { values[$0.name] } ?? []
    for name in left { _ = try source(named: name, in: example.replacingEach("SOURCE", with: "--except SOURCE")) }
    var sources: [SourceDescriptor] = []
    for name in arguments where !sources.contains(where: { $0.name == name }) {
      let source = try source(named: name, in: example)
      if source.isEndless { throw SyncCommand.refusal(of: source) }
      sources.append(source)
    }
    if arguments.isEmpty { sources = program.catalogue.sources.filter { !$0.isEndless } }
    sources.removeAll { left.contains($0.name) }
    if sources.isEmpty { throw UsageError("no source is left; name one that --except does not leave out") }
    return sources
  }

  /// Says which files of sources cannot be used, where all sources were meant, and gives the code for that.
  func tellUnusableFiles() -> ExitCode {
    guard arguments.isEmpty, !program.catalogue.unusableFiles.isEmpty else { return .success }
    for reason in program.catalogue.unusableFiles { tell(reason) }
    return .settings
  }

  /// Says that a file has a source of that name too, if one does.
  func sayOmission(of name: String) {
    if let omission = program.catalogue.omission(of: name) { say("\(omission.reason)") }
  }

  /// Runs the command within its time; what goes wrong is said as the command line has it.
  func run() async throws -> ExitCode {
    // Help helps whatever is wrong.
    if command.words != ["help"], !command.words.isEmpty { try program.checkEnvironment() }
    do {
      // In the browser each request has that time, not the whole command.
      let deadline = command.words == ["browse"] ? nil : try duration(.timeout).map { program.clock.now + $0 }
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
  /// The source of that name is hidden.
  init(hidden name: String) { self.init("\(name) is hidden", suggestion: "add \(name)", topic: "remove") }
}

extension Catalogue {
  func isHidden(_ name: String) -> Bool { hidden.contains { $0.name == name } }

  /// What is wrong with files of which nobody knows which sources they describe.
  var unusableFiles: [String] { omissions.filter { $0.name == nil }.map { "\($0.reason)" } }
}

// MARK: - What the options say

extension Invocation {
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value given; nil when the option is missing or bare.
  func value(_ option: Option) -> String? { values[option.name]?.last }

  /// A whole number, of at least `least`.
  func number(_ option: Option, from least: Int = .min) throws(UsageError) -> Int? {
    let expected = least > 0 ? Self.countExpected : "a whole number, such as \(least == 0 ? "0 or 20" : "7")"
    return try value(option, as: expected) { text in Int(text).flatMap { $0 >= least ? $0 : nil } }
  }

  func count(_ option: Option) throws(UsageError) -> Int? { try number(option, from: 1) }

  /// A length of time: `5`, `1.5`, `500ms`, `2m`.
  func duration(_ option: Option) throws(UsageError) -> Duration? {
    try value(option, as: Self.durationExpected) { text in Duration(amount: text).flatMap { $0 > .zero ? $0 : nil } }
  }

  /// The age up to which a cached answer is used; 0 always asks.
  func maxAge() throws(UsageError) -> Duration? { try value(.maxAge, as: Self.ageExpected) { Duration(amount: $0) } }

  static let countExpected = "a positive whole number, such as 20"
  static let durationExpected = "a length of time, such as 5, 500ms or 2m"
  static let ageExpected = "a length of time, such as 10m or 1d, or 0 to always ask"

  private func value<Value>(_ option: Option, as expected: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
    guard let text = value(option) else { return nil }
    guard let value = read(text) else { throw UsageError("--\(option.name) must be \(expected)") }
    return value
  }

  /// What an option's values mean, each read by `read`; what cannot be read is a usage error.
  func meanings<Meaning>(of option: Option, _ read: (String) throws(SourceError) -> [Meaning]) throws(UsageError) -> [Meaning] {
    do throws(SourceError) {
      var meanings: [Meaning] = []
      for text in values[option.name] ?? [] { meanings += try read(text) }
      return meanings
    } catch {
      let error = error.worded(wording)
      throw UsageError("--\(option.name): \(error.message)\(error.remedy.map { "; \($0)" } ?? "")")
    }
  }

  /// Refuses options that cannot be used together with `one`.
  func refuse(_ one: Option, with others: Option...) throws(UsageError) {
    guard has(one), let other = others.first(where: has) else { return }
    throw UsageError("--\(one.name) and --\(other.name) cannot be used together")
  }
}
