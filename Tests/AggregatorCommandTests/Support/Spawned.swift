import CSpawn
import Platform

/// A process that was started with descriptors of the test's choosing and no others: a socket that a test closes is
/// closed, and does not live on in another test's child.
struct Spawned: Sendable {
  struct Failed: Error { let reason: String }

  let id: pid_t

  /// Starts `command`, its first word being the path, with copies of `descriptors`: standard input, output, error and on.
  ///
  /// With `terminal` it leads a session of its own, which that terminal controls.
  init(
    _ command: [String], environment: [String: String], in folder: String, descriptors: [Int32], terminal: String? = nil
  ) throws {
    let words = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    id = cspawn(words, variables, folder, terminal, descriptors, Int32(descriptors.count))
    guard id > 0 else { throw Failed(reason: "\(command[0]): \(String(cString: strerror(errno)))") }
  }

  /// Waits until it ends: its exit code, or the number of the signal that ended it, made negative.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }

  /// Whether it has ended, without waiting.
  var hasEnded: Bool {
    var state = siginfo_t()
    return waitid(P_PID, id_t(id), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_signo == SIGCHLD
  }

  func send(_ signal: Int32) { kill(id, signal) }
}
