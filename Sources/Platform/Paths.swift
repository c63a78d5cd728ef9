/// Functions on paths, which are compared as bytes: a combining mark after a slash does not make it another character.
package enum Paths {
  private static let slash = UInt8(ascii: "/")

  package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

  /// Returns `path` as seen from `folder`; an absolute path stays what it is.
  package static func join(_ folder: String, _ path: String) -> String {
    if isAbsolute(path) || folder.isEmpty { return path }
    return folder.utf8.last == slash ? folder + path : "\(folder)/\(path)"
  }

  /// Returns the folder that contains `path`.
  package static func folder(of path: String) -> String {
    guard let last = path.utf8.lastIndex(of: slash) else { return "." }
    return last == path.startIndex ? "/" : String(path[..<last])
  }

  /// Returns the path of a file beside `path`, with `ending` inserted before the dot of the name's extension.
  package static func named(_ path: String, _ ending: String) -> String {
    let name = path.utf8.lastIndex(of: slash).map { path.utf8.index(after: $0) } ?? path.startIndex
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name else { return path + ending }
    return path[..<dot] + ending + path[dot...]
  }

  /// Returns the one path of an existing file or folder, without links; `path` itself if it does not exist.
  package static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns `path` as one word for a shell.
  package static func quoted(_ path: String) -> String {
    let isPlain = path.unicodeScalars.allSatisfy {
      !$0.isASCII || "+,-./_@".unicodeScalars.contains($0) || $0.properties.isAlphabetic || "0"..."9" ~= $0
    }
    if isPlain { return path }
    let parts = path.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
