import AggregatorCore
import Platform

/// The file that keeps keys and addresses, and why it is that one.
public struct KeyFile: Sendable, Hashable {
  public let path: String

  /// What named it: `--config` or a variable. Nil for one that is merely looked for and may be missing.
  public let namedBy: String?

  /// Whether it was found in the working directory without being named, and so must not be trusted.
  public let isFound: Bool

  /// The files that may be the key file, the first that exists being it; a named one stands alone.
  ///
  /// In order: `--config FILE`, `$AGGREGATOR_CONFIG`, `Configuration/Debug.xcconfig` in the working directory (or the one that
  /// `$AGGREGATOR_CONFIGURATION` names), `$XDG_CONFIG_HOME/aggregator/aggregator.xcconfig`. Empty variables count as not set.
  public static func candidates(
    environment: [String: String], configFlag: String?, workingDirectory: String
  ) -> [KeyFile] {
    func named(_ path: String, by name: String, isFound: Bool = false) -> [KeyFile] {
      [KeyFile(path: Paths.join(workingDirectory, path), namedBy: name, isFound: isFound)]
    }
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    if let configFlag { return named(configFlag, by: "--config") }
    if let path = variable("AGGREGATOR_CONFIG") { return named(path, by: "AGGREGATOR_CONFIG") }
    if let name = variable("AGGREGATOR_CONFIGURATION") {
      return named("Configuration/\(name).xcconfig", by: "AGGREGATOR_CONFIGURATION", isFound: true)
    }
    let beside = KeyFile(path: Paths.join(workingDirectory, "Configuration/Debug.xcconfig"), namedBy: nil, isFound: true)
    return [beside] + [personal(environment: environment)].compactMap { $0 }
  }

  /// The file that `config set` writes: the key file in use, or else the person's own, which it creates.
  ///
  /// Nil if nothing names a place for it: then only `--config` can.
  public static func destination(environment: [String: String], configFlag: String?, workingDirectory: String) -> KeyFile? {
    destination(environment: environment, configFlag: configFlag, workingDirectory: workingDirectory, reader: SystemFiles())
  }

  static func destination(
    environment: [String: String], configFlag: String?, workingDirectory: String, reader: some FileReading
  ) -> KeyFile? {
    let candidates = candidates(environment: environment, configFlag: configFlag, workingDirectory: workingDirectory)
    let chosen = candidates.first { candidate in
      if candidate.namedBy != nil { return true }
      do throws(FileProblem) { _ = try reader.read(candidate.path, upTo: XCConfig.largestFile) } catch {
        switch error {
        case .denied, .failed: return true
        case .missing, .hidden: return false
        }
      }
      return true
    }
    return chosen ?? personal(environment: environment)
  }

  private static func personal(environment: [String: String]) -> KeyFile? {
    Folders(environment: environment).config.map { KeyFile(path: Paths.join($0, "aggregator.xcconfig"), namedBy: nil, isFound: false) }
  }
}
