import AggregatorCore
import CSpawn
import Platform
import ScratchFolders
import Testing

@testable import Store

/// A process of `store-probe`, which tells in lines what it has done.
final class Probe: Sendable {
  private let process: pid_t
  private let output: CInt

  /// Starts it, as nobody in particular when `user` says so. It has no descriptor of any other test: a socket or a pipe that one
  /// closes is closed.
  init(_ arguments: String..., as user: String? = nil) throws {
    var command = [Self.path] + arguments
    if let user { command = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"] + command }
    let words = command.map { strdup($0) } + [nil]
    let environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for text in words + environment { free(text) } }
    let pipe = try #require(Pipe())
    output = pipe.reading
    process = cspawn(words, environment, nil, nil, [0, pipe.writing, pipe.writing], 3)
    close(pipe.writing)
    try #require(process > 0, "\(command[0]): \(String(cString: strerror(errno)))")
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

@Suite("Killing a process") struct CrashTests {
  @Test("a process that a test starts keeps nothing open that another test closes", .timeLimit(.minutes(30)))
  func descriptors() throws {
    let scratch = try ScratchFolder()
    let pipe = try #require(Pipe())
    defer { close(pipe.reading) }
    let probe = try Probe("land", scratch["store.db"])
    _ = probe.read(atLeast: 1)
    close(pipe.writing)
    // The end comes while the process goes on.
    var byte: UInt8 = 0
    #expect(read(pipe.reading, &byte, 1) == 0)
    probe.kill()
    #expect(probe.end().status == SIGKILL)
  }

  @Test("whenever it is killed, the store opens, what it told is there, and no batch is half there")
  func landing() async throws {
    let scratch = try ScratchFolder()
    let random = SeededDice(seed: 7)
    for round in 1...40 {
      let probe = try Probe("land", scratch["store.db"])
      // Killed after some output, at a moment that nobody chooses.
      let text = probe.read(atLeast: 1 + random.index(below: 60))
      probe.kill()
      let rest = probe.end().lines.joined(separator: "\n")
      let told = (text + rest).split(separator: "\n").compactMap { Int($0) }.max() ?? 0
      let store = try Connection(scratch["store.db"])
      let count = try store.number("SELECT count(*) FROM users_record")
      #expect(count >= told && count.isMultiple(of: 50), "round \(round)")
      #expect(try store.number("SELECT records FROM source_info") == count)
      #expect(try store.number("SELECT count(*) FROM users_index WHERE users_index MATCH '\"exa\"'") == count)
      #expect(try store.first("PRAGMA quick_check") { $0.text(0) } == "ok")
    }
  }
}
