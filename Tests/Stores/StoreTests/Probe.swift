import AggregatorCore
import CSpawn
import Platform
import ScratchFolders
import StoreTables
import Testing

@testable import Store

/// A process of `store-probe`, which tells in lines what it has done.
final class Probe: Sendable {
  private let process: pid_t
  private let output: CInt

  /// Starts the program, as another user if `user` names one. It gets no descriptor
  /// of other tests, so that a socket or a pipe that a test closes is really closed.
  init(_ arguments: String..., as user: String? = nil) throws {
    var command = [Self.path] + arguments
    if let user { command = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"] + command }
    let words = command.map { strdup($0) } + [nil]
    // A sanitizer has the same options there.
    let options = ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { (name: String) in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    let variables = ["SWIFT_BACKTRACE=enable=no"] + options
    let environment = variables.map { strdup($0) } + [nil]
    defer { for text in words + environment { free(text) } }
    let pipe = try #require(Pipe())
    output = pipe.reading
    process = cspawn(words, environment, nil, nil, [0, pipe.writing, pipe.writing], 3)
    close(pipe.writing)
    try #require(process > 0, "\(command[0]): \(String(cString: strerror(errno)))")
  }

  deinit { close(output) }

  /// The path of `store-probe`, which is beside the tests' own program.
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

  /// Reads until at least `count` bytes have come.
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

  /// Waits for the end, and returns the remaining lines and the status.
  @discardableResult func end() -> (lines: [String], status: CInt) {
    let text = read(atLeast: .max)
    var status: CInt = 0
    waitpid(process, &status, 0)
    return (text.split(separator: "\n").map(String.init), status)
  }
}

@Suite("Killing a process") struct CrashTests {
  @Test("a process that a test starts keeps no descriptor open that another test closes", .timeLimit(.minutes(30)))
  func descriptors() throws {
    let scratch = try ScratchFolder()
    let pipe = try #require(Pipe())
    defer { close(pipe.reading) }
    let probe = try Probe("land", scratch["store.db"])
    _ = probe.read(atLeast: 1)
    close(pipe.writing)
    // The end of the file comes while the process still runs.
    var byte: UInt8 = 0
    #expect(read(pipe.reading, &byte, 1) == 0)
    probe.kill()
    #expect(probe.end().status == SIGKILL)
  }

  @Test("after a kill at any moment the store opens, has what the process told, and has no half batch")
  func landing() async throws {
    let scratch = try ScratchFolder()
    let random = SeededDice(seed: 7)
    for round in 1...40 {
      let probe = try Probe("land", scratch["store.db"])
      // The process is killed after some output, at a random moment.
      let text = probe.read(atLeast: 1 + random.index(below: 60))
      probe.kill()
      let rest = probe.end().lines.joined(separator: "\n")
      let told = (text + rest).split(separator: "\n").compactMap { Int($0) }.max() ?? 0
      let store = try Connection(scratch["store.db"])
      let count = try store.number("SELECT count(*) FROM users_record")
      #expect(count >= told && count.isMultiple(of: 50), "round \(round)")
      #expect(try store.number("SELECT records FROM source_info") == count)
      #expect(try store.indexed("exa", of: RecordKind("users")).count == count)
      #expect(try store.first("PRAGMA quick_check") { $0.text(0) } == "ok")
    }
  }
}
