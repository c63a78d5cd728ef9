import Platform

/// The folders of a program's own files, by the XDG Base Directory Specification. A folder is nil if neither its variable nor `HOME` names
/// one. Variables that are empty or hold a relative path count as not set.
public struct Folders: Sendable, Hashable {
  /// `$XDG_DATA_HOME/PROGRAM`, else `~/.local/share/PROGRAM`.
  public let data: String?
  /// `$XDG_CACHE_HOME/PROGRAM`, else `~/.cache/PROGRAM`.
  public let cache: String?
  /// `$XDG_CONFIG_HOME/PROGRAM`, else `~/.config/PROGRAM`.
  public let config: String?
  /// `$XDG_STATE_HOME/aggregator`, else `~/.local/state/aggregator`, the same for every program: a service counts all requests of one key
  /// together.
  public let state: String?

  /// Reads the folders from an environment.
  public init(environment: [String: String], program: String = "aggregator") {
    func folder(_ variable: String, _ fallback: String, of program: String = program) -> String? {
      let candidates = [environment[variable], environment["HOME"].map { Paths.join($0, fallback) }]
      return candidates.compactMap { $0 }.first(where: Paths.isAbsolute).map { Paths.join($0, program) }
    }
    data = folder("XDG_DATA_HOME", ".local/share")
    cache = folder("XDG_CACHE_HOME", ".cache")
    config = folder("XDG_CONFIG_HOME", ".config")
    state = folder("XDG_STATE_HOME", ".local/state", of: "aggregator")
  }
}
