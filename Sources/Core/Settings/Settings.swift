/// What holds: for each declared setting the value from the nearest place that sets it: a flag, the environment, the key file, the default.
///
/// The spaces around a value are no part of it, and an empty value counts as none. The value of a secret comes out as a `Secret` only.
public struct Settings: Sendable {
  /// Who set a value.
  public enum Origin: Sendable, Hashable {
    /// An option of the command line.
    case flag
    /// The environment of the process.
    case environment
    /// A line of a key file.
    case file(path: String, line: Int)
    /// Nobody: it is the declared default.
    case `default`
  }

  /// A value and who set it.
  public struct Entry: Sendable, Hashable {
    /// What was declared.
    public let setting: Setting
    /// The nearest place that sets it.
    public let origin: Origin
    let value: Secret
    /// The files that a value of a key file was written in.
    let writers: Set<String>
    let secrets: KnownSecrets
    let secretNames: Set<String>
  }

  /// What was declared, each name once, in the order of declaration.
  public let declared: [Setting]
  /// The key file that was read; nil if there is none.
  public let keyFile: String?
  /// Whether the key file was merely found in the working directory.
  package let isKeyFileFound: Bool
  /// What a person should know although the settings can be used: one sentence each.
  public let warnings: [String]
  /// Secrets that no setting is, such as the password in the address of a server.
  package var furtherSecrets: [Secret] = []

  private let entries: [String: Entry]
  private let known: KnownSecrets
  private let secretNames: Set<String>

  /// Settings of which no file knows: for a program that takes them from elsewhere, and for tests.
  public init(declared: [Setting], flags: [String: String] = [:], environment: [String: String] = [:]) {
    self.init(declared: declared, flags: flags, environment: environment, file: FileValues())
  }

  package init(declared: [Setting], flags: [String: String], environment: [String: String], file: FileValues) {
    self.declared = Self.unique(declared)
    (keyFile, isKeyFileFound, warnings) = (file.path, file.isFound, file.warnings)
    typealias Found = (setting: Setting, value: String, origin: Origin, writers: Set<String>)
    func value(_ text: String?) -> String? { text.map(\.trimmingSpaces).flatMap { $0.isEmpty ? nil : $0 } }
    let found = self.declared.compactMap { setting -> Found? in
      if let flag = value(flags[setting.name]) { return (setting, flag, .flag, []) }
      if let variable = value(environment[setting.name]) { return (setting, variable, .environment, []) }
      if let line = file.values[setting.name], let text = value(line.text.reveal()) {
        return (setting, text, .file(path: line.path, line: line.line), line.writers)
      }
      return value(setting.defaultValue).map { (setting, $0, .default, []) }
    }
    let secrets = KnownSecrets(found.filter(\.setting.isSecret).map { Secret($0.value) })
    let names = Set(self.declared.filter(\.isSecret).map { SecretName.plain($0.name) })
    var entries = [String: Entry](minimumCapacity: found.count)
    for (setting, value, origin, writers) in found {
      entries[setting.name] = Entry(
        setting: setting, origin: origin, value: Secret(value), writers: writers, secrets: secrets, secretNames: names)
    }
    (self.entries, known, secretNames) = (entries, secrets, names)
  }

  /// Of settings with the same name the first counts, and it is a secret if one of them is.
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
  /// The value of a setting and where it comes from; nil if it is not set and has no default.
  public subscript(setting: Setting) -> Entry? {
    let entry = entries[setting.name]
    if let entry, entry.origin != .default || entry.setting.defaultValue == setting.defaultValue { return entry }
    // Others may declare that name too, a file that nobody trusts among them: what a person did not set is each one's own default.
    guard let value = setting.defaultValue.map(\.trimmingSpaces), !value.isEmpty else { return nil }
    let isSecret = declared.contains { $0.name == setting.name && $0.isSecret }
    let own = isSecret ? Setting(setting.name, .secret, setting.summary, default: value) : setting
    return Entry(setting: own, origin: .default, value: Secret(value), writers: [], secrets: known, secretNames: secretNames)
  }

  /// The value; nil if there is none, or if it is a secret, whose text only `secret(_:)` gives.
  public func text(_ setting: Setting) -> String? {
    guard let entry = self[setting], !entry.setting.isSecret, !setting.isSecret else { return nil }
    return entry.value.reveal()
  }

  /// Everything secret in these settings: values that are secrets, and what addresses hold of them.
  package var secrets: [Secret] {
    furtherSecrets
      + declared.compactMap { self[$0] }.flatMap { entry -> [Secret] in
        if entry.setting.isSecret { return [entry.value] }
        guard entry.setting.kind == .address, entry.value.reveal().utf8.contains(UInt8(ascii: "?")) else { return [] }
        return entry.address?.hidden.map(\.decoded.value) ?? []
      }
  }

  /// The value as a secret; nil if there is none.
  public func secret(_ setting: Setting) -> Secret? { self[setting]?.value }

  /// The value as an address; the error names the setting, who set it and what to write instead, and not the value, which may hold a password.
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
  /// What a key file says of the declared settings.
  package struct FileValues {
    /// `writers` are the files that any of it was written in, the line itself included.
    package typealias Value = (text: Secret, path: String, line: Int, writers: Set<String>)

    package var path: String?
    /// Whether the file was found in the working directory without being named.
    package var isFound = false
    package var values: [String: Value] = [:]
    package var warnings: [String] = []

    package init() {}
  }

  /// Refuses to send a key where a file says that merely lay in the working directory, and does not give the key itself.
  func refuseStrangers(among settings: [Setting]) throws(SourceError) {
    guard isKeyFileFound else { return }
    for address in settings where address.kind == .address {
      guard let place = self[address], case .file = place.origin else { continue }
      for key in settings where key.isSecret || key.kind == .text {
        guard let secret = self[key], secret.origin != .default else { continue }
        if place.writers.count == 1, secret.writers == place.writers { continue }
        throw SourceError(
          .settings,
          "the key was not sent: \(address.name) comes from a key file found in the working directory (\(place.origin)), but"
            + " \(key.name) does not (\(secret.origin))",
          remedy: .trust(keyFile: keyFile ?? ""))
      }
    }
  }

  /// The budget that a setting names; the scopes of its rates are those of what the service publishes.
  public func budget(_ setting: Setting, published: Budget) throws(SourceError) -> Budget {
    guard let text = text(setting) else { return published }
    do throws(SourceError) {
      return try Budget(text, like: published)
    } catch {
      throw changing(error) { $0.message = "\(setting.name): \($0.message)" }
    }
  }
}
