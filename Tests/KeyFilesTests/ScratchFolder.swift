import AggregatorCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A folder of one test's own, under `/tmp`, gone when the test is over.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/aggregator-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ScratchError() }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  @discardableResult
  func write(_ name: String, _ text: String, mode: UInt32 = 0o600) throws -> String {
    let path = file(name)
    let handle = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode_t(mode))
    guard handle >= 0 else { throw ScratchError() }
    defer { close(handle) }
    let bytes = Array(text.utf8)
    guard systemWrite(handle, bytes) == bytes.count, fchmod(handle, mode_t(mode)) == 0 else { throw ScratchError() }
    return path
  }

  func folder(_ name: String) throws { guard mkdir(file(name), 0o700) == 0 else { throw ScratchError() } }

  func link(_ name: String, to target: String) throws { guard symlink(target, file(name)) == 0 else { throw ScratchError() } }

  func pipe(_ name: String) throws { guard mkfifo(file(name), 0o600) == 0 else { throw ScratchError() } }

  func text(_ name: String) throws -> String {
    String(decoding: try SystemFiles().read(file(name), upTo: 1 << 20).bytes, as: UTF8.self)
  }

  /// The mode's last nine bits, or nil if nothing is there.
  func mode(_ name: String) -> UInt32? {
    var status = stat()
    return stat(file(name), &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
  }

  func isLink(_ name: String) -> Bool {
    var status = stat()
    return lstat(file(name), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// What lies in it, by name.
  func names(in folder: String = ".") -> [String] { Self.names(in: file(folder)) }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      // The name is an array in C, and so a tuple here; it ends in NUL and lies inside the entry until the next `readdir`.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(in: path) {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { remove(inner) }
    }
    rmdir(path)
  }
}

struct ScratchError: Error {}

private func systemWrite(_ file: CInt, _ bytes: [UInt8]) -> Int { write(file, bytes, bytes.count) }
