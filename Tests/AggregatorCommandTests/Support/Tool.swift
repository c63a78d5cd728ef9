#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Other programs that a test may use where they are installed.
enum Tool {
  static func path(_ name: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0).split(separator: ":").map(String.init) } ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  static func exists(_ name: String) -> Bool { path(name) != nil }
}

extension Tool {
  /// Whether a test can run something without the administrator's powers.
  static var isAbleToBeNobody: Bool { geteuid() == 0 && exists("setpriv") }
}
