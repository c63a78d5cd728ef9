import CSpawn
import Platform
import SourceTesting
import Synchronization

/// A process that was started with descriptors of the test's choosing and no others. A socket that a test closes is really closed, and does
/// not stay open in another test's child.
struct Spawned: Sendable {
  struct Failed: Error { let reason: String }

  let id: pid_t

  /// Starts `command`, whose first word is the path, with copies of `descriptors`: standard input, output, error and further ones.
  ///
  /// With `terminal` it leads a session of its own on that terminal.
  init(
    _ command: [String], environment: [String: String], in folder: String, descriptors: [Int32], terminal: String? = nil
  ) throws {
    let words = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    id = cspawn(words, variables, folder, terminal, descriptors, Int32(descriptors.count))
    guard id > 0 else { throw Failed(reason: "\(command[0]): \(String(cString: strerror(errno)))") }
  }

  /// Waits for the end, and returns the exit code, or the negative number of the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }

  /// True when it has ended; does not wait.
  var hasEnded: Bool {
    var state = siginfo_t()
    return waitid(P_PID, id_t(id), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_signo == SIGCHLD
  }

  func send(_ signal: Int32) { kill(id, signal) }
}

/// An event that happens once, and for which a thread of a server or a test can wait.
final class Signal: Sendable {
  private let turnstile = Turnstile()
  private let isSent = Atomic(false)

  var hasCome: Bool { isSent.load(ordering: .relaxed) }

  /// Sends the signal. Sending it again has no effect.
  func send() {
    isSent.store(true, ordering: .relaxed)
    turnstile.open()
  }

  func wait() { turnstile.pass() }
}

/// The output of a process while it runs, through a pipe.
final class Piped {
  private(set) var said = ""
  /// The reading descriptor; -1 after it was closed.
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws {
    guard let pipe = Pipe() else { throw Spawned.Failed(reason: "there is no pipe to be had") }
    (reading, writing) = (pipe.reading, pipe.writing)
  }

  deinit {
    closeReading()
    closeWriting()
  }

  /// Closes this process's writing end; other processes keep theirs.
  func closeWriting() { Self.close(&writing) }

  func closeReading() { Self.close(&reading) }

  private static func close(_ end: inout Int32) {
    if end >= 0 { Platform.close(end) }
    end = -1
  }

  /// Reads until the process has printed `text`, or has ended, and returns everything that it has printed.
  @discardableResult
  func read(until text: String? = nil) -> String {
    while text.map({ !said.contains($0) }) ?? true, let more = Self.read(reading) { said += more }
    return said
  }

  /// Waits for the next output and returns it; nil once the process has ended.
  static func read(_ descriptor: Int32) -> String? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = chunk.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
    return count > 0 ? String(decoding: chunk[..<count], as: UTF8.self) : nil
  }
}
