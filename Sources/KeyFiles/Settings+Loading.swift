public import AggregatorCore
package import Platform

extension Settings {
  /// The settings that hold for a program started with this environment in this folder.
  ///
  /// - Parameters:
  ///   - flags: values given on the command line, by the settings' names.
  ///   - configFlag: the file given with `--config`.
  /// - Throws: a `SourceError` of kind `settings` if a named key file cannot be read, if one that is merely looked for is there and
  ///   cannot be read, or if one makes no sense. A file that is merely looked for and missing is no error.
  public static func load(
    declared: [Setting], flags: [String: String] = [:], environment: [String: String], configFlag: String?, workingDirectory: String
  ) throws(SourceError) -> Settings {
    try load(
      declared: declared, flags: flags, environment: environment, configFlag: configFlag, workingDirectory: workingDirectory,
      reader: SystemFiles())
  }

  package static func load(
    declared: [Setting], flags: [String: String] = [:], environment: [String: String], configFlag: String? = nil,
    workingDirectory: String, reader: some FileReading
  ) throws(SourceError) -> Settings {
    var warnings: [String] = []
    let candidates = KeyFile.candidates(environment: environment, configFlag: configFlag, workingDirectory: workingDirectory)
    for candidate in candidates {
      let contents: FileContents
      do throws(FileProblem) {
        contents = try reader.read(candidate.path, upTo: XCConfig.largestFile)
      } catch {
        if candidate.namedBy == nil {
          if case .missing = error { continue }
          // Perhaps it is not even there; that must not stop who cannot enter the folder anyway.
          if case .hidden = error {
            warnings.append("skipped the key file \(candidate.path): \(error.reason)")
            continue
          }
        }
        throw candidate.unreadable(error)
      }
      let config = try XCConfig(contents, at: candidate.path, reader: reader)
      var file = try FileValues(of: config, declared: declared, environment: environment)
      file.warnings.insert(contentsOf: warnings, at: 0)
      file.isFound = candidate.isFound
      return Settings(declared: declared, flags: flags, environment: environment, file: file)
    }
    return Settings(
      declared: declared, flags: flags, environment: environment, file: FileValues(path: nil, values: [:], warnings: warnings))
  }
}

extension KeyFile {
  fileprivate func unreadable(_ problem: FileProblem) -> SourceError {
    let name = namedBy.map { " (from \($0))" } ?? ""
    let remedy: Remedy =
      switch problem {
      case .missing: .createKeyFile
      case .denied: "type chmod 600 \(Paths.quoted(path)), or move it away"
      case .hidden, .failed: "name another file with --config FILE\(namedBy == nil ? ", or move it away" : "")"
      }
    return SourceError(.settings, "cannot read the key file \(path)\(name): \(problem.reason)", remedy: remedy)
  }
}

extension Settings.FileValues {
  fileprivate init(of config: XCConfig, declared: [Setting], environment: [String: String]) throws(SourceError) {
    self.init(path: config.files.first?.path, warnings: config.warnings)
    var filesWithSecrets: Set<Int> = []
    for setting in declared where values[setting.name] == nil {
      guard let value = try config.value(of: setting.name) else { continue }
      values[setting.name] = Value(
        text: value.text, path: config.files[value.place.file].path, line: value.place.line,
        writers: Set(value.files.union([value.place.file]).map { config.files[$0].path }))
      warnings += value.warnings
    }
    for setting in declared where setting.isSecret {
      filesWithSecrets.formUnion(try config.files(writing: setting.name))
    }
    for file in filesWithSecrets.sorted() where config.files[file].isOpenToOthers {
      let path = config.files[file].path
      warnings.append("other users can read the key file \(path); type chmod 600 \(Paths.quoted(path))")
    }
    warnings += config.misspelled(declared.filter { (environment[$0.name] ?? "").isEmpty }.map(\.name))
  }
}
