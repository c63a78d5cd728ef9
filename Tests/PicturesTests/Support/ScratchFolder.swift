import AggregatorCore

@testable import Pictures

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A folder of one test's own, gone when the test is over.
final class ScratchFolder: Sendable {
  struct Failed: Error {}

  let path: String

  init() throws {
    var template = Array("/tmp/aggregator-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try PictureFile.replace(file(name), with: bytes, mode: 0o600)
  }

  func bytes(_ name: String) throws -> [UInt8] { try SystemFiles().read(file(name), upTo: 1 << 20).bytes }

  func link(_ name: String, to target: String) throws { guard symlink(target, file(name)) == 0 else { throw Failed() } }

  /// What lies in it, hidden files too.
  func names(in folder: String = ".") throws -> [String] { try SystemFiles().list(file(folder)).sorted() }

  private static func remove(_ path: String) {
    for name in (try? SystemFiles().list(path)) ?? [] where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }
}

/// The last nine bits of a file's mode.
func mode(of path: String) -> UInt32 {
  var status = stat()
  return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
}
