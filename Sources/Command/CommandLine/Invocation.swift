import AggregatorCore
import Presentation

/// A command line that was understood: which command, with what.
struct Invocation: Sendable {
  var program: Program
  let command: Command
  let arguments: [String]
  var values: [String: String?]
  private let repeated: [String: [String]]
  /// The settings, where they have been read.
  var settings: Settings?
  /// How many records the settings want.
  var defaultLimit: Int?

  init(program: Program, command: Command, arguments: [String], values: [String: String?], repeated: [String: [String]] = [:]) {
    self.program = program
    self.command = command
    self.arguments = arguments
    self.values = values
    self.repeated = repeated
  }

  /// The same command with other options.
  func with(_ values: [String: String?]) -> Invocation {
    Invocation(program: program, command: command, arguments: arguments, values: values)
  }

  /// The source that was named; where there is none, the error says what `example` would be with the nearest name in place of `SOURCE`.
  func source(named name: String, in example: String) throws(UsageError) -> SourceDescriptor {
    if let source = program.catalogue[name] { return source }
    let nearest = UsageError.nearest(to: name, among: program.catalogue.sources.map(\.name))
    throw UsageError("unknown source \"\(name)\"", suggestion: nearest.map { example.replacing("SOURCE", with: $0) }).about(command)
  }

  func run() async throws -> ExitCode {
    // Help helps whatever is wrong.
    if command.name != HelpCommand.command.name, !command.words.isEmpty { try program.checkEnvironment() }
    // In the browser each request has that time, not the whole command.
    let deadline = command.words == BrowseCommand.command.words ? nil : try duration(.timeout).map { program.clock.now + $0 }
    if let name = value(.format), Format(rawValue: name) == nil { try program.console.write(into: OutputFile(name, for: self)) }
    let invocation = try withDefaults()
    do {
      return try await Deadline.keep(until: deadline, by: program.clock) { try await command.run(invocation) }
    } catch let error as SourceError {
      throw error.ending(invocation)
    }
  }
}

extension Invocation {
  /// Whether an option was given.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value given; nil when the option is missing or bare.
  func value(_ option: Option) -> String? { values[option.name] ?? nil }

  /// Every value of an option that may be given several times.
  func values(_ option: Option) -> [String] { repeated[option.name] ?? [] }

  /// Whether an option with an optional value was given without one.
  func isBare(_ option: Option) -> Bool { has(option) && value(option) == nil }

  /// A whole number of at least 1.
  func count(_ option: Option) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), number >= 1 else {
      throw wrong(option, Self.countExpected)
    }
    return number
  }

  /// A whole number from 0 on.
  func place(_ option: Option) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), number >= 0 else { throw wrong(option, "a whole number, such as 0 or 20") }
    return number
  }

  static let countExpected = "a positive whole number, such as 20"
  static let durationExpected = "a length of time, such as 5, 500ms or 2m"

  /// Any whole number.
  func number(_ option: Option) throws(UsageError) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text) else { throw wrong(option, "a whole number, such as 7") }
    return number
  }

  /// A length of time: `5`, `1.5`, `500ms`, `2m`.
  func duration(_ option: Option) throws(UsageError) -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Duration(amount: text), duration > .zero else {
      throw wrong(option, Self.durationExpected)
    }
    return duration
  }

  /// Refuses two options that cannot be used together.
  func refuse(_ one: Option, with other: Option) throws(UsageError) {
    if has(one), has(other) { throw UsageError("--\(one.name) and --\(other.name) cannot be used together").about(command) }
  }

  private func wrong(_ option: Option, _ expected: String) -> UsageError {
    UsageError("--\(option.name) must be \(expected)").about(command)
  }
}
