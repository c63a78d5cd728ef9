import AggregatorCore
import KeyFiles

/// The effective settings, and how to set one.
enum ConfigCommands {
  static let list = Command(
    ["config"], options: Option.printing, printing: Row.fields.map { $0.outline },
    "list the effective settings, each with where it comes from",
    examples: ["config", "config --fields key,origin", "config --format json"]
  ) { invocation in
    try await invocation.printing {
      try invocation.printRows(invocation.program.settings(invocation).listing.map(Row.init))
      return .success
    }
  }

  static func set(in catalogue: Catalogue) -> Command {
    Command(
      ["config", "set"],
      .one(
        .setting,
        surplus: "config set reads the value from standard input, so that no key stays in the shell's history; "
          + "type the name alone and then the value"),
      "read a value from standard input, hidden on a terminal, and save it in the key file",
      examples: catalogue.settings.first.map { ["config set \($0.name)", "config set \($0.name) < value.txt"] } ?? []
    ) { invocation in
      let program = invocation.program
      let setting = try setting(invocation.arguments.first ?? "", invocation)
      let file = KeyFile.destination(
        environment: program.environment, configFlag: invocation.value(.config), workingDirectory: program.workingDirectory)
      guard let file else {
        throw SourceError(
          .settings, "cannot place the key file: neither XDG_CONFIG_HOME nor HOME names a folder", remedy: "name one with --config FILE")
      }
      let value = try SecretPrompt.read("\(setting.name): ", console: program.console)
      try check(value, for: setting, invocation)
      try KeyFile.set(setting.name, to: Secret(value), inFileAt: file.path)
      program.notices(invocation).say("saved \(setting.name) in \(file.path)")
      if !(program.environment[setting.name] ?? "").isEmpty {
        program.notices(invocation).say("the environment variable \(setting.name) overrides it; type unset \(setting.name)")
      }
      return .success
    }
  }

  static func unset(in catalogue: Catalogue) -> Command {
    Command(
      ["config", "unset"], .one(.setting), "remove a value from the key file",
      examples: catalogue.settings.prefix(2).map { "config unset \($0.name)" }
    ) { invocation in
      let program = invocation.program
      let setting = try setting(invocation.arguments.first ?? "", invocation)
      let file = KeyFile.destination(
        environment: program.environment, configFlag: invocation.value(.config), workingDirectory: program.workingDirectory)
      let wasSet = try file.map { file throws(SourceError) in try KeyFile.unset(setting.name, inFileAt: file.path) } ?? false
      let place = file.map { " in \($0.path)" } ?? ""
      program.notices(invocation).say(wasSet ? "removed \(setting.name) from \(file?.path ?? "")" : "\(setting.name) is not set\(place)")
      if let entry = try program.settings(invocation)[setting], entry.origin != .default {
        program.notices(invocation).say("\(setting.name) still has a value (\(entry.origin))")
      }
      return .success
    }
  }

  private static func setting(_ name: String, _ invocation: Invocation) throws(UsageError) -> Setting {
    let known = invocation.program.catalogue.declared
    if let setting = known.first(where: { $0.name == name }) { return setting }
    // What stands behind the sign may be a key, and is not repeated.
    if let sign = name.firstIndex(of: "=") {
      let command = invocation.command.name
      throw UsageError(
        "\(command) takes the name alone", suggestion: known.contains { $0.name == name[..<sign] } ? "\(command) \(name[..<sign])" : nil
      ).about(invocation.command)
    }
    let nearest = UsageError.nearest(to: name, among: known.map(\.name))
    throw UsageError(
      "unknown setting \"\(name)\"; type '\(invocation.program.name) config' to list them",
      suggestion: nearest.map { "\(invocation.command.name) \($0)" }
    ).about(invocation.command)
  }

  /// Refuses what could only fail later.
  private static func check(_ value: String, for setting: Setting, _ invocation: Invocation) throws {
    guard !value.trimmingSpaces.isEmpty else {
      throw UsageError("config set \(setting.name): no value on standard input").about(invocation.command)
    }
    do {
      switch setting.kind {
      case .address: _ = try Settings(declared: [setting], flags: [setting.name: value]).address(setting)
      case .budget: _ = try Budget(value)
      case .text: try Defaults.check(value.trimmingSpaces, for: setting, called: "it")
      case .secret: break
      }
    } catch {
      throw SourceError(
        .settings,
        "invalid value for \(setting.name): \(error.message.replacingEach("\(setting.name) (flag)", with: "it"))",
        remedy: error.remedy)
    }
  }

  private struct Row: Fielded {
    let line: Settings.Line

    static let fields = [
      Field<Row>("key", .title, width: .whole) { $0.line.key },
      Field<Row>("value", .subtitle) { $0.line.value },
      Field<Row>("origin", .badge) { $0.line.origin },
      Field<Row>("secret", width: .hidden) { $0.line.isSecret },
    ]
  }
}
