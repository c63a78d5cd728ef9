import AggregatorCore

/// The effective settings, and how to set one.
enum ConfigCommands {
  static let list = Command(["config"], options: Option.printing, "the settings that hold, each with who set it") { invocation in
    if invocation.isBare(.fields) { return try invocation.listFields(of: Row.self) }
    let settings = try invocation.program.settings(invocation)
    for warning in settings.warnings { invocation.program.notices(invocation).say(warning) }
    return try invocation.print(settings.listing.map(Row.init))
  }

  static let set = Command(
    ["config", "set"], .one("KEY"), "reads a value from standard input, without echo, into the key file",
    examples: ["config set COUNTRIES_URL"]
  ) { invocation in
    let program = invocation.program
    let key = invocation.arguments.first ?? ""
    let known = program.catalogue.settings.map(\.name)
    guard known.contains(key) else {
      throw UsageError("there is no setting \"\(key)\"", suggestion: closest(to: key, among: known).map { "config set \($0)" })
    }
    let file = KeyFile.destination(
      environment: program.environment, configFlag: invocation.value(.config), workingDirectory: program.workingDirectory)
    guard let file else {
      throw SourceError(.settings, "there is no place for a key file without a home folder", remedy: "name one with --config FILE")
    }
    let value = try SecretPrompt.read("\(key): ", console: program.console)
    guard !value.isEmpty else { throw UsageError("config set \(key): no value came on standard input") }
    try KeyFile.set(key, to: Secret(value), inFileAt: file.path)
    program.notices(invocation).say("\(key) is set in \(file.path)")
    return .success
  }

  private struct Row: Fielded {
    let line: Settings.Line

    static let fields = [
      Field<Row>("key", width: .whole) { $0.line.key },
      Field<Row>("value") { $0.line.value },
      Field<Row>("origin") { $0.line.origin },
      Field<Row>("secret", width: .hidden) { $0.line.isSecret },
    ]
  }
}
