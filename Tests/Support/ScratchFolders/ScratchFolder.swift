import AggregatorCore
import Platform

/// A folder of one test's own, under `/tmp`; it is removed when the test is over.
package final class ScratchFolder: Sendable {
  package struct Failed: Error {}

  package let path: String

  package init() throws {
    var template = Array("/tmp/aggregator-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  package subscript(name: String) -> String { "\(path)/\(name)" }

  package func file(_ name: String) -> String { self[name] }

  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws -> String {
    let handle = open(self[name], O_WRONLY | O_CREAT | O_TRUNC, mode_t(mode))
    guard handle >= 0 else { throw Failed() }
    defer { close(handle) }
    try SystemFiles.write(bytes, to: handle)
    guard fchmod(handle, mode_t(mode)) == 0 else { throw Failed() }
    return self[name]
  }

  @discardableResult
  package func write(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
    try write(name, Array(text.utf8), mode: mode)
  }

  package func folder(_ name: String) throws { guard mkdir(self[name], 0o700) == 0 else { throw Failed() } }

  package func link(_ name: String, to target: String) throws { guard symlink(target, self[name]) == 0 else { throw Failed() } }

  package func pipe(_ name: String) throws { guard mkfifo(self[name], 0o600) == 0 else { throw Failed() } }

  package func bytes(_ name: String) throws -> [UInt8] { try SystemFiles().read(self[name], upTo: 1 << 28).bytes }

  package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// Returns the last nine bits of the mode; nil if no file is there.
  package func mode(_ name: String) -> UInt32? {
    var status = stat()
    return stat(self[name], &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
  }

  package func isLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(self[name], &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns the names in the folder, including hidden files, in order.
  package func names(in folder: String = ".") -> [String] { (try? SystemFiles().list(self[folder]))?.sorted() ?? [] }

  private static func remove(_ path: String) {
    for name in (try? SystemFiles().list(path)) ?? [] where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
