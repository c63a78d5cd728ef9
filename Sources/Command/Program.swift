import AggregatorCore
import KeyFiles
import Terminal

/// The running command: what it is called, what it offers, and the world around it.
struct Program: Sendable {
  let name: String
  let version: String
  let catalogue: Catalogue
  var environment: [String: String]
  /// The variables whose values are no texts.
  var unreadableVariables: Set<String> = []
  let workingDirectory: String
  let console: Console
  var transport: any Transport
  var clock: any Timekeeper = SystemTime()
}

extension Program {
  /// The effective settings for this command line; their warnings are printed.
  func settings(_ invocation: Invocation) throws -> Settings {
    let settings = try invocation.settings ?? readSettings(invocation)
    for warning in settings.warnings { notices(invocation).say(warning) }
    return settings
  }

  func readSettings(_ invocation: Invocation) throws -> Settings {
    try Settings.load(
      declared: catalogue.declared, environment: environment, configFlag: invocation.value(.config), workingDirectory: workingDirectory)
  }

  /// What the terminal is asked to do with results.
  func style(_ invocation: Invocation) -> Style {
    let isTerminal = console.isOutputTerminal
    return Style(
      isColored: Style.isColored(invocation.value(.color), onTerminal: isTerminal, environment),
      hasLinks: isTerminal && Style.opensLinks(environment), isolatesDirections: isTerminal && environment["TERM"] != "dumb")
  }

  /// What people read on standard error beside the results.
  func notices(_ invocation: Invocation) -> Notices {
    Notices(program: name, console: console, isQuiet: invocation.has(.quiet))
  }
}

/// What a person should know beside the results, one line each, on standard error.
struct Notices: Sendable {
  let program: String
  let console: Console
  let isQuiet: Bool

  func say(_ text: String) {
    if !isQuiet { tell(text) }
  }

  /// Says what somebody asked to be told, quiet or not.
  func tell(_ text: String) { console.note(Printable.clean("\(program): \(text)")) }
}
