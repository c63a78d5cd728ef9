import Glibc
import Synchronization
import Testing

/// A process of `store-probe`, which tells in lines what it has done.
final class Probe: Sendable {
  private let process: pid_t
  private let output: CInt
  /// One at a time: a process must not inherit the pipe of another, which would then never end.
  private static let starting = Mutex(())

  /// Starts it, as nobody in particular when `user` says so.
  init(_ arguments: String..., as user: String? = nil) throws {
    var command = [Self.path] + arguments
    if let user { command = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"] + command }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words = command.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { environment.forEach { free($0) } }
    let code: CInt
    (process, output, code) = Self.starting.withLock { _ in
      var ends: [CInt] = [-1, -1]
      pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
      var process: pid_t = 0
      let code = posix_spawn(&process, command[0], &actions, nil, &words, &environment)
      close(ends[1])
      return (process, ends[0], code)
    }
    try #require(code == 0, "\(command[0]): \(String(cString: strerror(code)))")
  }

  deinit { close(output) }

  /// The tests' own program lies beside it.
  static var path: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let places = [own, CommandLine.arguments[0]] + CommandLine.arguments
    for place in places {
      guard let slash = place.lastIndex(of: "/") else { continue }
      let path = place[..<slash] + "/store-probe"
      if access(String(path), X_OK) == 0 { return String(path) }
    }
    return "store-probe"
  }

  /// Reads until `count` bytes or more have come.
  func read(atLeast count: Int) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < count {
      let count = Glibc.read(output, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func kill() { Glibc.kill(process, SIGKILL) }

  /// What is left to read, once it has ended, and how that was.
  @discardableResult func end() -> (lines: [String], status: CInt) {
    let text = read(atLeast: .max)
    var status: CInt = 0
    waitpid(process, &status, 0)
    return (text.split(separator: "\n").map(String.init), status)
  }
}

/// A folder of a test's own.
final class Scratch: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/store-tests-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    path = String(cString: made)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  subscript(name: String) -> String { "\(path)/\(name)" }

  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func bytes(_ name: String) -> [UInt8] {
    guard let file = fopen(self[name], "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return bytes
  }

  func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(self[name], "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
  }
}
