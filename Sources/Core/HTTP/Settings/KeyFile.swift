import Platform

/// A file with keys and addresses, and the reason why it is used.
public struct KeyFile: Sendable, Hashable {
  /// The path, with the working directory before it unless it is absolute.
  public let path: String
  /// The option or variable that named the file. Nil if the file was only looked for; it may be missing then.
  public let namedBy: String?
  /// True for the file in the folder `Configuration` of the working directory, which must not
  /// be trusted, even if a variable chose its name.
  public let isFound: Bool

  /// Makes a key file that `name` has named, such as an option of a command.
  public init(at path: String, namedBy name: String) { self.init(path: path, namedBy: name, isFound: false) }

  private init(path: String, namedBy name: String?, isFound: Bool) {
    (self.path, namedBy, self.isFound) = (path, name, isFound)
  }

  /// Returns the possible key files, of which the first existing one is used. A named file is the only one.
  ///
  /// In order: the file that a person chose, `$AGGREGATOR_CONFIG`, `Configuration/Debug.xcconfig` in the working directory (or the one that
  /// `$AGGREGATOR_CONFIGURATION` names), `$XDG_CONFIG_HOME/PROGRAM/PROGRAM.xcconfig`. Empty variables count as not set.
  public static func candidates(
    of program: String = "aggregator", environment: [String: String], chosen: KeyFile?, workingDirectory: String
  ) -> [KeyFile] {
    func file(_ path: String, by name: String?, isFound: Bool = false) -> KeyFile {
      KeyFile(path: Paths.join(workingDirectory, path), namedBy: name, isFound: isFound)
    }
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    if let chosen { return [file(chosen.path, by: chosen.namedBy)] }
    if let path = variable("AGGREGATOR_CONFIG") { return [file(path, by: "AGGREGATOR_CONFIG")] }
    if let name = variable("AGGREGATOR_CONFIGURATION") {
      return [file("Configuration/\(name).xcconfig", by: "AGGREGATOR_CONFIGURATION", isFound: true)]
    }
    return [file("Configuration/Debug.xcconfig", by: nil, isFound: true)] + personal(of: program, environment: environment)
  }

  static func personal(of program: String, environment: [String: String]) -> [KeyFile] {
    let folder = Folders(environment: environment, program: program).config
    return folder.map { [KeyFile(path: Paths.join($0, "\(program).xcconfig"), namedBy: nil, isFound: false)] } ?? []
  }

  /// Returns the file that `config set` writes: the key file in use, or else the person's own, which it creates.
  ///
  /// Nil if no variable names a folder for it; then a person has to choose one.
  public static func destination(
    of program: String = "aggregator", environment: [String: String], chosen: KeyFile?, workingDirectory: String
  ) -> KeyFile? {
    let inUse = candidates(
      of: program, environment: environment, chosen: chosen, workingDirectory: workingDirectory
    ).first { candidate in
      // A file that cannot be read is still in use.
      do throws(SourceError) { return try candidate.contents(reader: SystemFiles()) != nil } catch { return true }
    }
    return inUse ?? personal(of: program, environment: environment).first
  }

  static let nameAnother = Remedy.give([.init("config", "FILE")], "to name another")

  /// Returns the contents. For a file that was not named, returns nil if it is missing, or if its folder
  /// cannot be entered; `warn` gets the second reason.
  func contents(reader: some FileReading, warn: (String) -> Void = { _ in }) throws(SourceError) -> FileContents? {
    do throws(FileProblem) {
      return try reader.read(path, upTo: XCConfig.largestFile)
    } catch {
      let remedy: Remedy
      switch error {
      case .missing where namedBy == nil: return nil
      case .hidden(let reason) where namedBy == nil:
        warn("skipped the key file \(path): \(reason)")
        return nil
      case .missing: remedy = .set(["KEY"], "to create it").or("name another file")
      case .denied: remedy = "type chmod 600 \(Paths.quoted(path)), or move it away"
      case .hidden, .failed: remedy = namedBy == nil ? Self.nameAnother.or("move it away") : Self.nameAnother
      }
      let name = namedBy.map { " (from \($0))" } ?? ""
      throw SourceError(.settings, "cannot read the key file \(path)\(name): \(error.reason)", remedy: remedy)
    }
  }
}
