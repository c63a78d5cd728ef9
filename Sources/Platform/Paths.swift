/// Paths as bytes: a combining mark after a slash does not make it another character.
package enum Paths {
  private static let slash = UInt8(ascii: "/")

  package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == slash }

  /// `path` as seen from `folder`; an absolute one stays what it is.
  package static func join(_ folder: String, _ path: String) -> String {
    if isAbsolute(path) || folder.isEmpty { return path }
    return folder.utf8.last == slash ? folder + path : "\(folder)/\(path)"
  }

  /// The folder that `path` lies in.
  package static func folder(of path: String) -> String {
    guard let last = path.utf8.lastIndex(of: slash) else { return "." }
    return last == path.startIndex ? "/" : String(path[..<last])
  }

  /// `path` as one word for a shell.
  package static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "@"):
        true
      default: byte >= 0x80
      }
    }
    return isPlain
      ? path
      : "'"
        + path.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }.joined(
          separator: "'\\''")
        + "'"
  }
}
