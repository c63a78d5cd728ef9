package import Platform

extension Settings {
  /// Loads the settings of a program that was started with this environment in this folder.
  ///
  /// `flags` are values by the names of settings. A missing key file is an error only if it was named. An existing file that cannot be read
  /// or is invalid gives an error of kind `settings`.
  public static func load(
    declared: [Setting], of program: String = "aggregator", flags: [String: String] = [:], environment: [String: String],
    chosen: KeyFile?, workingDirectory: String
  ) throws(SourceError) -> Settings {
    try load(
      declared: declared, of: program, flags: flags, environment: environment, chosen: chosen,
      workingDirectory: workingDirectory, reader: SystemFiles())
  }

  package static func load(
    declared: [Setting], of program: String = "aggregator", flags: [String: String] = [:], environment: [String: String],
    chosen: KeyFile? = nil, workingDirectory: String, reader: some FileReading
  ) throws(SourceError) -> Settings {
    var file = FileValues()
    let personal = KeyFile.personal(of: program, environment: environment).first?.path
    let candidates = KeyFile.candidates(
      of: program, environment: environment, chosen: chosen, workingDirectory: workingDirectory)
    for candidate in candidates {
      guard let contents = try candidate.contents(reader: reader, warn: { file.warnings.append($0) }) else { continue }
      let config = try XCConfig(contents, at: candidate.path, reader: reader)
      (file.path, file.isFound) = (candidate.path, candidate.isFound)
      var filesWithSecrets: Set<String> = []
      for setting in Settings.unique(declared) {
        try file.add(commandFor: setting, from: config) { writers in
          KeyFile.refusal(
            of: writers, openToAll: config.writableFiles, isFound: candidate.isFound, personal: personal,
            workingDirectory: workingDirectory)
        }
        filesWithSecrets.formUnion(try file.add(valueOf: setting, from: config))
      }
      file.warnings += config.warnings
      file.warnings += config.openFiles.filter(filesWithSecrets.contains).map {
        "other users can read the key file \($0); type chmod 600 \(Paths.quoted($0))"
      }
      file.warnings += config.misspelled(declared.filter { (environment[$0.name] ?? "").isEmpty }.map(\.name))
      break
    }
    return Settings(declared: declared, flags: flags, environment: environment, file: file)
  }
}

extension Settings.FileValues {
  /// Adds the command that prints the setting's value, if the file names one.
  fileprivate mutating func add(
    commandFor setting: Setting, from config: XCConfig, refusal: (Set<String>) -> String?
  ) throws(SourceError) {
    guard setting.isSecret, let command = try config.value(of: KeyCommand.name(for: setting.name)) else { return }
    let (path, line) = (command.location.path, command.location.line)
    let writers = command.writers.union([path])
    commands[setting.name] = KeyCommand(
      name: setting.name, text: command.text, path: path, line: line, writers: writers, refusal: refusal(writers))
  }

  /// Adds the setting's value, if the file has one. Returns the files that hold it, if it may be a secret.
  fileprivate mutating func add(valueOf setting: Setting, from config: XCConfig) throws(SourceError) -> Set<String> {
    guard let value = try config.value(of: setting.name) else { return [] }
    let (path, line) = (value.location.path, value.location.line)
    if let command = commands[setting.name] {
      warnings.append(
        "\(command.path):\(command.line): \(setting.name) has a value too (\(path):\(line)), and the command is not run")
    }
    values[setting.name] = (value.text, path, line, value.writers.union([path]))
    // An address with a user in it may contain a password.
    let mayHoldPassword = value.text.reveal().utf8.contains(UInt8(ascii: "@"))
    return setting.isSecret || mayHoldPassword ? value.writers : []
  }
}
