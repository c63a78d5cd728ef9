import Synchronization

/// The values of all declared settings, each from the nearest origin that sets it: a flag, the environment, the key file, the default.
///
/// The spaces around a value do not count, and an empty value counts as not set. A secret is given out only as a `Secret`.
public struct Settings: Sendable {
  /// The origin of a value.
  public enum Origin: Sendable, Hashable {
    /// An option of the command line.
    case flag
    /// The environment of the process.
    case environment
    /// A line of a key file.
    case file(path: String, line: Int)
    /// A command in a line of a key file.
    case command(path: String, line: Int)
    /// The declared default, because nothing else sets a value.
    case `default`
  }

  /// A value with its origin.
  public struct Entry: Sendable, Hashable {
    /// The setting as it was declared.
    public let setting: Setting
    /// The nearest origin that sets it.
    public let origin: Origin
    let value: Secret
    /// The key files that the value was written in; empty if it is not from a key file.
    let writers: Set<String>
    let secrets: KnownSecrets
    let secretNames: Set<String>
  }

  /// The declared settings, each name once, in the order of declaration.
  public let declared: [Setting]
  /// The path of the key file that was read; nil if none was.
  public let keyFile: String?
  /// True when the key file was not named but found in the working directory.
  package let isKeyFileFound: Bool
  /// Problems that a person should know of although the settings can be used: one sentence each.
  public let warnings: [String]
  /// Secrets that are not settings, such as the password in the address of a server.
  package var furtherSecrets: [Secret] = []

  /// The commands of the key file for keys that have no nearer value.
  let commands: [String: KeyCommand]
  /// Makes the same settings with other values of the key file. What a closure holds is never printed.
  let remade: @Sendable ((inout FileValues) -> Void) -> Settings

  private let entries: [String: Entry]
  private let known: KnownSecrets
  private let secretNames: Set<String>
  /// The secrets of ``declared``, once somebody has asked for them. With a hundred sources each of them asks.
  private let found = FoundSecrets()

  private final class FoundSecrets: Sendable {
    let secrets = Mutex<[Secret]?>(nil)
  }

  /// Makes settings without a key file: for a program that gets their values elsewhere, and for tests.
  public init(declared: [Setting], flags: [String: String] = [:], environment: [String: String] = [:]) {
    self.init(declared: declared, flags: flags, environment: environment, file: FileValues())
  }

  init(declared: [Setting], flags: [String: String], environment: [String: String], file: FileValues) {
    self.declared = Self.unique(declared)
    remade = { change in
      Settings(declared: declared, flags: flags, environment: environment, file: copy(of: file, change))
    }
    (keyFile, isKeyFileFound, warnings) = (file.path, file.isFound, file.warnings)
    typealias WrittenValue = (setting: Setting, value: String, origin: Origin, writers: Set<String>)
    func value(_ text: String?) -> String? { text.map(\.trimmingSpaces).flatMap { $0.isEmpty ? nil : $0 } }
    let found = self.declared.compactMap { setting -> WrittenValue? in
      if let flag = value(flags[setting.name]) { return (setting, flag, .flag, []) }
      if let variable = value(environment[setting.name]) { return (setting, variable, .environment, []) }
      if let line = file.values[setting.name], let text = value(line.text.reveal()) {
        return (setting, text, .file(path: line.path, line: line.line), line.writers)
      }
      if let command = file.commands[setting.name], case .success(let key) = command.answer {
        return (setting, key.reveal(), command.origin, command.writers)
      }
      return value(setting.defaultValue).map { (setting, $0, .default, []) }
    }
    let ownValues = Set(
      found.filter { if case .command = $0.origin { false } else { $0.origin != .default } }.map(\.setting.name))
    commands = file.commands.filter { !ownValues.contains($0.key) }
    let secrets = KnownSecrets(found.filter(\.setting.isSecret).map { Secret($0.value) })
    let names = Set(self.declared.filter(\.isSecret).map { SecretName.plain($0.name) })
    var entries = [String: Entry](minimumCapacity: found.count)
    for (setting, value, origin, writers) in found {
      entries[setting.name] = Entry(
        setting: setting, origin: origin, value: Secret(value), writers: writers, secrets: secrets, secretNames: names)
    }
    (self.entries, known, secretNames) = (entries, secrets, names)
  }

  /// Returns the first setting of each name; it is a secret if any setting of that name is.
  static func unique(_ settings: [Setting]) -> [Setting] {
    let secrets = Set(settings.filter(\.isSecret).map(\.name))
    var names: Set<String> = []
    return settings.filter { names.insert($0.name).inserted }.map { first in
      guard secrets.contains(first.name), !first.isSecret else { return first }
      return Setting(first.name, .secret, first.summary, default: first.defaultValue)
    }
  }
}

// MARK: - Asking

extension Settings {
  /// The value of a setting with its origin; nil if it is not set and has no default.
  public subscript(setting: Setting) -> Entry? {
    let entry = entries[setting.name]
    if let entry, entry.origin != .default || entry.setting.defaultValue == setting.defaultValue { return entry }
    // Others may declare the name too, even a source from an untrusted file: a setting that no person set has its own declared default.
    guard let value = setting.defaultValue.map(\.trimmingSpaces), !value.isEmpty else { return nil }
    let isSecret = declared.contains { $0.name == setting.name && $0.isSecret }
    let own = isSecret ? Setting(setting.name, .secret, setting.summary, default: value) : setting
    return Entry(setting: own, origin: .default, value: Secret(value), writers: [], secrets: known, secretNames: secretNames)
  }

  /// The value of a setting; nil if it has none, or if it is a secret, which only `secret(_:)` returns.
  public func text(_ setting: Setting) -> String? {
    guard let entry = self[setting], !entry.setting.isSecret, !setting.isSecret else { return nil }
    return entry.value.reveal()
  }

  /// All secrets in these settings: the values of secrets, and the secrets in addresses.
  package var secrets: [Secret] {
    if let known = found.secrets.withLock(\.self) { return furtherSecrets + known }
    let secrets = declared.compactMap { self[$0] }.flatMap { entry -> [Secret] in
      if entry.setting.isSecret { return [entry.value] }
      guard entry.setting.kind == .address, entry.value.reveal().utf8.contains(UInt8(ascii: "?")) else { return [] }
      return entry.address?.hidden.map(\.decoded.value) ?? []
    }
    found.secrets.withLock { $0 = secrets }
    return furtherSecrets + secrets
  }

  /// The value as a secret; nil if it has none.
  public func secret(_ setting: Setting) -> Secret? { self[setting]?.value }

  /// The value as an address. The error names the setting, its origin and what to write, but not the value, which may hold a password.
  public func address(_ setting: Setting) throws(SourceError) -> WebAddress {
    guard let entry = self[setting] else {
      throw SourceError(.settings, "\(setting.name) is not set", remedy: .setAddress(setting.name))
    }
    if let address = entry.address { return address }
    let text = entry.value.reveal()
    throw SourceError(
      .settings, "\(setting.name) (\(entry.origin)) \(Self.complaint(about: text))",
      remedy: entry.origin.adviceOnAddress(in: setting))
  }

  private static func complaint(about text: String) -> String {
    let text = text.lowercased()
    if text == "http:" || text == "https:" { return "is only \(text), because // starts a comment" }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return "contains a space or a control character" }
    if !text.hasPrefix("http://"), !text.hasPrefix("https://") { return "does not start with http:// or https://" }
    if text.utf8.contains(UInt8(ascii: "@")) { return "contains a user name or a password, which would end up in logs" }
    return "is not a valid address"
  }
}

extension Settings: CustomStringConvertible {
  public var description: String { declared.compactMap { self[$0]?.description }.joined(separator: "\n") }
}

extension Settings {
  /// The values of the declared settings in a key file.
  struct FileValues {
    /// A value with its line; `writers` are all files that a part of it was written in, that of the line included.
    typealias Value = (text: Secret, path: String, line: Int, writers: Set<String>)

    var path: String?
    /// True when the file was not named but found in the working directory.
    var isFound = false
    var values: [String: Value] = [:]
    var commands: [String: KeyCommand] = [:]
    var warnings: [String] = []
  }

  /// Throws when a key would go to an address, or be used with a limit, from a key file that was merely found in the working directory, and
  /// the key is not from that file.
  func refuseStrangers(among settings: [Setting]) throws(SourceError) {
    guard isKeyFileFound else { return }
    // Who may set the address gets the key, and who may lift the limit gets it blocked.
    for power in settings where power.kind == .address || power.kind == .budget {
      guard let entry = self[power], case .file = entry.origin else { continue }
      for key in settings where key.isSecret || key.kind == .text {
        guard let secret = self[key], secret.origin != .default else { continue }
        if entry.writers.count == 1, secret.writers == entry.writers { continue }
        throw SourceError(
          .settings,
          "the key was not sent: \(power.name) comes from a key file found in the working directory (\(entry.origin)), but"
            + " \(key.name) does not (\(secret.origin))",
          remedy: .trust(keyFile: keyFile ?? ""))
      }
    }
  }

  /// The budget in the value of a setting, or the published one if it is not set; its rates have the scopes of the published rates.
  public func budget(_ setting: Setting, published: Budget) throws(SourceError) -> Budget {
    guard let text = text(setting) else { return published }
    do throws(SourceError) {
      return try Budget(text, like: published)
    } catch {
      throw copy(of: error) { $0.message = "\(setting.name): \($0.message)" }
    }
  }
}
