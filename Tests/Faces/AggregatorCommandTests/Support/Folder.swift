import Platform

/// Folders of a test's own, which are deleted when the tests end.
enum Folder {
  /// A new, empty folder.
  static func fresh() throws -> String {
    var template = Array("\(root)/XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Spawned.Failed(reason: "no temporary folder: \(String(cString: strerror(errno)))") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// An environment in which all stored files are in `folder`.
  static func homes(_ folder: String) -> [String: String] {
    ["XDG_DATA_HOME": "\(folder)/data", "XDG_STATE_HOME": "\(folder)/state", "XDG_CACHE_HOME": "\(folder)/cache"]
  }

  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw Spawned.Failed(reason: "\(path): \(String(cString: strerror(errno)))") }
    defer { fclose(file) }
    fputs(text, file)
  }

  static func read(_ path: String) throws -> String { try Scratch(reading: path).text() }

  private static let root: String = {
    var template = Array("/tmp/aggregator-tests.XXXXXX".utf8CString)
    let path = mkdtemp(&template) == nil ? "/tmp" : String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    if path != "/tmp" { atexit { Folder.remove() } }
    return path
  }()

  private static func remove() {
    _ = try? Spawned(["/bin/rm", "-rf", root], environment: [:], in: "/", descriptors: [0, 1, 2]).wait()
  }
}

/// Other programs that a test may use if they are installed.
enum Tool {
  static func path(_ name: String) -> String? {
    let folders = variable("PATH")?.split(separator: ":").map(String.init) ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  static func exists(_ name: String) -> Bool { path(name) != nil }
}

extension Tool {
  /// True when a test can run a command without the administrator's rights.
  static var isAbleToBeNobody: Bool { geteuid() == 0 && exists("setpriv") }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The checkout that these tests were built from; nil if it no longer exists.
  static var checkout: String? {
    let folder = #filePath.split(separator: "/").dropLast(5).map { "/\($0)" }.joined()
    return access("\(folder)/Package.swift", R_OK) == 0 ? folder : nil
  }
}
