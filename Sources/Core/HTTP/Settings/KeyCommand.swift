import Platform

/// A command in a key file that prints a key: `SHOP_KEY_COMMAND = pass show shop`.
package struct KeyCommand: Sendable {
  /// The name of the key.
  package let name: String
  /// The command as it is written. It may itself hold a secret.
  package let text: Secret
  /// The file and the line that have it; the line is zero before it is saved.
  package let path: String, line: Int
  /// The files that a part of it was written in.
  let writers: Set<String>
  /// The reason why it must not be run; nil if it may be.
  package let refusal: String?
  /// The key that it printed, or the reason why it printed none; nil until it has run.
  package var answer: Result<Secret, SourceError>?

  /// Returns the name under which a key file has the command for a key.
  package static func name(for key: String) -> String { "\(key)_COMMAND" }

  package var origin: Settings.Origin { .command(path: path, line: line) }

  package func fault(_ message: String, remedy: Remedy? = nil) -> SourceError {
    SourceError(
      .missingKey, line > 0 ? "\(Self.name(for: name)) (\(path):\(line)) \(message)" : "the command for \(name) \(message)",
      remedy: remedy ?? .set([name], "to save the key itself"))
  }
}

extension KeyFile {
  /// Returns the reason why commands in this file and in those that it includes must not be run; nil if they may be.
  ///
  /// A folder that somebody works in may be from a stranger, and so may a file that others can write.
  package static func refusal(
    of writers: Set<String>, openToAll: Set<String>, isFound: Bool, personal: String?, workingDirectory: String
  ) -> String? {
    if let file = writers.intersection(openToAll).min() { return "other users can write \(file)" }
    let folder = workingDirectory.hasSuffix("/") ? workingDirectory : "\(workingDirectory)/"
    let isForeign = isFound || writers.contains { $0 != personal && $0.hasPrefix(folder) }
    return isForeign ? "a file of the working directory runs no command" : nil
  }

  /// Returns a command as it would be in the key file at `path`.
  package static func command(
    _ text: String, for setting: Setting, at path: String, of program: String, environment: [String: String], chosen: KeyFile?,
    workingDirectory: String
  ) -> KeyCommand {
    let isFound = candidates(of: program, environment: environment, chosen: chosen, workingDirectory: workingDirectory)
      .contains { $0.path == path && $0.isFound }
    let isOpen = (try? SystemFiles().read(path, upTo: XCConfig.largestFile)).map { $0.permissions & 0o022 != 0 } ?? false
    let refusal = refusal(
      of: [path], openToAll: isOpen ? [path] : [], isFound: isFound,
      personal: personal(of: program, environment: environment).first?.path, workingDirectory: workingDirectory)
    return KeyCommand(name: setting.name, text: Secret(text), path: path, line: 0, writers: [path], refusal: refusal)
  }
}

extension Settings {
  /// The commands for keys that have no nearer value and that did not run yet.
  package var waitingCommands: [KeyCommand] {
    commands.values.filter { $0.answer == nil }.sorted { $0.name < $1.name }
  }

  /// Returns the settings with what commands have printed, by the names of the keys.
  package func answering(_ answers: [String: Result<Secret, SourceError>]) -> Settings {
    guard commands.contains(where: { answers[$0.key] != nil }) else { return self }
    let settings = remade { file in for (name, answer) in answers { file.commands[name]?.answer = answer } }
    return copy(of: settings) { $0.furtherSecrets = furtherSecrets }
  }

  package func isSet(_ setting: Setting) -> Bool { self[setting] != nil || commands[setting.name] != nil }

  /// Returns the reason why the command for a key gave none; nil without such a command.
  package func failure(of name: String) -> SourceError? {
    guard let command = commands[name] else { return nil }
    switch command.answer {
    case .failure(let error): return error
    case .success: return nil
    case nil: return command.fault("has not printed the key yet", remedy: "try again")
    }
  }
}
