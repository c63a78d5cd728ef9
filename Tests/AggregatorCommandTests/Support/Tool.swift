import Platform

/// Other programs that a test may use where they are installed.
enum Tool {
  static func path(_ name: String) -> String? {
    let folders = variable("PATH")?.split(separator: ":").map(String.init) ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  static func exists(_ name: String) -> Bool { path(name) != nil }
}

extension Tool {
  /// Whether a test can run something without the administrator's powers.
  static var isAbleToBeNobody: Bool { geteuid() == 0 && exists("setpriv") }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The checkout that these tests were built from; nil where it is gone.
  static var checkout: String? {
    let folder = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    return access("\(folder)/Package.swift", R_OK) == 0 ? folder : nil
  }
}
