package import AggregatorCore
import Asking
import Programs

/// The commands that list and change settings.
enum ConfigCommands {
  static let list = Command(
    ["config"], options: Option.printing, printing: Row.fields.map { $0.outline },
    "list the settings and where each comes from; also lists what else is in the key file",
    examples: ["config", "config --fields key,origin", "config --format json"]
  ) { invocation in
    let settings = try invocation.effectiveSettings()
    let rows = settings.declared.map { setting in
      let text = setting == StoreLocation.setting ? settings.text(setting) : nil
      let entry = settings[setting]
      let command = entry == nil ? settings.waitingCommands.first { $0.name == setting.name } : nil
      return Row(
        key: setting.name, value: text.map(StoreLocation.shown) ?? entry?.shown ?? command.map { _ in Secret.mask },
        origin: (command?.origin ?? entry?.origin)?.description ?? "not set", isSecret: setting.isSecret)
    }
    let file = invocation.keyFile ?? ""
    // Any of them may be a key, so no value is shown.
    let others = unread(invocation).map { Row(key: $0.name, origin: "\(file):\($0.line) (no source reads it)") }
    try invocation.printRows(rows + others)
    return .success
  }

  private static let command = Option(
    "command", takes: .required(.free("COMMAND")),
    "save a command that prints the key, such as 'pass show shop'; it runs without a shell, once for each run that needs the key"
  )

  static let set = Command(
    ["config", "set"],
    .one(
      .setting,
      surplus: "config set reads the value from standard input, so that no key stays in the shell's history; "
        + "type the name alone and then the value"),
    options: [command],
    "save a value in the key file; it is read from standard input, hidden on a terminal",
    examplesIn: { $0.settings.first.map { ["config set \($0.name)", "config set \($0.name) < value.txt"] } ?? [] }
  ) { invocation in
    let setting = try setting(invocation)
    let file = try invocation.writableKeyFile()
    if let text = invocation.value(command) {
      try await save(text, for: setting, invocation)
    } else {
      let value = try invocation.program.console.readSecret(setting.name)
      try check(value, for: setting)
      try KeyFile.set(setting.name, to: Secret(value), inFileAt: file)
      _ = try KeyFile.unset([KeyCommand.name(for: setting.name)], inFileAt: file)
      invocation.say("saved \(setting.name) in \(file)")
      if setting.isSecret { invocation.warn(ofShort: Secret(value), called: setting.name) }
    }
    if !(invocation.program.environment[setting.name] ?? "").isEmpty {
      invocation.say("the environment variable \(setting.name) overrides it; type unset \(setting.name)")
    }
    return .success
  }

  static let unset = Command(
    ["config", "unset"], .one(.setting), "remove a name and its value from the key file",
    examplesIn: { $0.settings.prefix(2).map { "config unset \($0.name)" } }
  ) { invocation in
    let (name, file) = (invocation.arguments[0], invocation.keyFile)
    let setting = unread(invocation).contains { $0.name == name } ? nil : try setting(invocation)
    let wasSet = try file.map { file throws(SourceError) in try KeyFile.unset(name, inFileAt: file) } ?? false
    let origin = file.map { " in \($0)" } ?? ""
    invocation.say(wasSet ? "removed \(name) from \(file ?? "")" : "\(name) is not set\(origin)")
    if let setting, let entry = try invocation.effectiveSettings()[setting], entry.origin != .default {
      invocation.say("\(name) still has a value (\(entry.origin))")
    }
    return .success
  }

  /// Returns the names in the key file that no source reads, each with its line.
  static func unread(_ invocation: Invocation) -> [(name: String, line: Int)] {
    let declared = invocation.program.declared
    let known = Set(declared.map(\.name) + declared.filter(\.isSecret).map { KeyCommand.name(for: $0.name) })
    return invocation.keyFile.map { KeyFile.names(inFileAt: $0).filter { !known.contains($0.name) } } ?? []
  }

  /// Runs a command once, and saves it if it prints a key.
  private static func save(_ text: String, for setting: Setting, _ invocation: Invocation) async throws {
    guard setting.isSecret else {
      throw UsageError("\(setting.name) is not a key, and a command is only for keys; omit --command")
    }
    let settings = try invocation.readSettings()
    let command = try invocation.keyFileCommand(text, for: setting)
    let (key, furtherLines) = try await command.key(
      hiding: settings, searching: invocation.program.environment["PATH"] ?? "", within: KeyProgram.usualTime)
    try KeyFile.set(KeyCommand.name(for: setting.name), to: Secret(text), inFileAt: command.path)
    _ = try KeyFile.unset([setting.name], inFileAt: command.path)
    let rest =
      furtherLines > 0
      ? "; the key is the first line that it prints, and \(plural(furtherLines, "further line")) \(furtherLines == 1 ? "is" : "are") not used"
      : ""
    invocation.say("saved the command for \(setting.name) in \(command.path)\(rest)")
    invocation.warn(ofShort: key, called: setting.name)
  }

  private static func setting(_ invocation: Invocation) throws(UsageError) -> Setting {
    let (known, name, command) = (invocation.program.declared, invocation.arguments[0], invocation.command.name)
    if let setting = known.first(where: { $0.name == name }) { return setting }
    // The text after the sign may be a key, and is not repeated.
    if let sign = name.firstIndex(of: "=") {
      let isKnown = known.contains { $0.name == name[..<sign] }
      throw UsageError("\(command) takes the name alone", suggestion: isKnown ? "\(command) \(name[..<sign])" : nil)
    }
    let unknown = Unknown("setting", name, among: known.map(\.name))
    throw UsageError(unknown, "\(unknown); type '\(invocation.program.name) config' to list them") { "\(command) \($0)" }
  }

  /// Throws if the value would fail later, when it is used.
  private static func check(_ value: String, for setting: Setting) throws {
    if value.trimmingSpaces.isEmpty { throw UsageError("config set \(setting.name): no value on standard input") }
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
    let key: String
    var value: String?
    let origin: String
    /// True for a key; nil for a name that no source reads.
    var isSecret: Bool?

    static let fields = [
      Field<Row>("key", .title, width: .whole) { $0.key },
      Field<Row>("value", .subtitle) { $0.value },
      Field<Row>("origin", .badge) { $0.origin },
      Field<Row>("secret", width: .hidden) { $0.isSecret },
    ]
  }
}

extension Invocation {
  /// Says if a key that was saved is too short to be masked everywhere, because it could be any word of a record.
  package func warn(ofShort key: Secret, called name: String) {
    guard key.reveal().utf8.count < Scrubber.shortest else { return }
    say(
      "\(name) has fewer than \(Scrubber.shortest) characters, so it is masked in recordings alone, and not where the service repeats it"
    )
  }
}
