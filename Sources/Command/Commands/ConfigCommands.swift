import AggregatorCore
import KeyFiles

/// The effective settings, and how to set one.
enum ConfigCommands {
  static let list = Command(["config"], options: Option.printing, "the settings that hold, each with who set it") { invocation in
    try await invocation.printing(Row.fields.map { $0.outline }) {
      try invocation.printRows(invocation.program.settings(invocation).listing.map(Row.init))
      return .success
    }
  }

  static let set = Command(
    ["config", "set"], .one("KEY"), "reads a value from standard input, unseen on a terminal, into the key file",
    examples: ["config set COUNTRIES_URL", "config set COUNTRIES_URL < value.txt"]
  ) { invocation in
    let program = invocation.program
    let setting = try setting(invocation.arguments.first ?? "", invocation)
    let file = KeyFile.destination(
      environment: program.environment, configFlag: invocation.value(.config), workingDirectory: program.workingDirectory)
    guard let file else {
      throw SourceError(.settings, "there is no place for a key file without a home folder", remedy: "name one with --config FILE")
    }
    let value = SecretPrompt.read("\(setting.name): ", console: program.console)
    try check(value, for: setting, invocation)
    try KeyFile.set(setting.name, to: Secret(value), inFileAt: file.path)
    program.notices(invocation).say("\(setting.name) is set in \(file.path)")
    if !(program.environment[setting.name] ?? "").isEmpty {
      program.notices(invocation).say("the environment sets \(setting.name) too, and wins; type unset \(setting.name)")
    }
    return .success
  }

  private static func setting(_ name: String, _ invocation: Invocation) throws(UsageError) -> Setting {
    let known = invocation.program.catalogue.settings
    if let setting = known.first(where: { $0.name == name }) { return setting }
    let nearest = UsageError.nearest(to: name, among: known.map(\.name))
    throw UsageError(
      "there is no setting \"\(name)\"; '\(invocation.program.name) config' lists them", suggestion: nearest.map { "config set \($0)" }
    ).about(invocation.command)
  }

  /// Refuses what could only fail later.
  private static func check(_ value: String, for setting: Setting, _ invocation: Invocation) throws {
    guard !value.trimmingSpaces.isEmpty else {
      throw UsageError("config set \(setting.name): no value came on standard input").about(invocation.command)
    }
    do {
      switch setting.kind {
      case .address: _ = try Settings(declared: [setting], flags: [setting.name: value]).address(setting)
      case .budget: _ = try Budget(value)
      case .text, .secret: break
      }
    } catch {
      throw SourceError(.settings, "that is no value for \(setting.name): \(error.message)", remedy: error.remedy)
    }
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
