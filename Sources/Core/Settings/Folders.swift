import Platform

/// Where a program's own files lie, after the XDG Base Directory Specification: nil where neither the variable nor `HOME` names a place.
/// Variables that are empty or hold a relative path count as not set.
public struct Folders: Sendable, Hashable {
  /// `$XDG_DATA_HOME/PROGRAM`, else `~/.local/share/PROGRAM`.
  public let data: String?
  /// `$XDG_CACHE_HOME/PROGRAM`, else `~/.cache/PROGRAM`.
  public let cache: String?
  /// `$XDG_CONFIG_HOME/PROGRAM`, else `~/.config/PROGRAM`.
  public let config: String?
  /// `$XDG_STATE_HOME/aggregator`, else `~/.local/state/aggregator`, whatever the program: a service counts all requests of one key together.
  public let state: String?

  /// The folders of somebody with that environment.
  public init(environment: [String: String], program: String = "aggregator") {
    func folder(_ variable: String, _ fallback: String, of program: String = program) -> String? {
      let places = [environment[variable], environment["HOME"].map { Paths.join($0, fallback) }]
      return places.compactMap { $0 }.first(where: Paths.isAbsolute).map { Paths.join($0, program) }
    }
    data = folder("XDG_DATA_HOME", ".local/share")
    cache = folder("XDG_CACHE_HOME", ".cache")
    config = folder("XDG_CONFIG_HOME", ".config")
    state = folder("XDG_STATE_HOME", ".local/state", of: "aggregator")
  }
}
