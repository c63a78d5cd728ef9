import AggregatorCore
import Platform

/// Another program, run without a shell.
package enum Child {
  /// Returns the path of the program `name`, or nil if no folder in `PATH` has it.
  package static func find(_ name: String, in environment: [String: String]) -> String? {
    ChildProcess.find(name, in: environment["PATH"] ?? "")
  }

  /// Starts the program at `path` with our output and errors; it reads what is written to `input`. Returns nil if it cannot be started.
  static func reader(_ path: String, _ arguments: [String], environment: [String: String]) -> (
    process: pid_t, input: Int32
  )? {
    guard let pipe = Pipe() else { return nil }
    let process = ChildProcess.spawn(path, arguments, environment) { posix_spawn_file_actions_adddup2(&$0, pipe.reading, 0) }
    close(pipe.reading)
    if let process { return (process, pipe.writing) }
    close(pipe.writing)
    return nil
  }

  /// Runs the program at `path` with our streams, and waits until it ends. Ctrl-C is for that program. Returns its exit code; nil if it
  /// cannot be started, or if a signal ended it.
  package static func attended(_ path: String, _ arguments: [String], environment: [String: String]) -> Int32? {
    guard let process = ChildProcess.spawn(path, arguments, environment, { _ in }) else { return nil }
    Interruption.pager = process
    let status = ChildProcess.wait(for: process)
    Interruption.pager = 0
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  /// Starts the program at `path` apart from this one: without its streams, and in a group of its own, so that Ctrl-C is not for it.
  /// Returns at once; false if it cannot be started.
  static func detached(_ path: String, _ arguments: [String], environment: [String: String]) -> Bool {
    let process = ChildProcess.spawn(path, arguments, environment, hasOwnGroup: true) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for stream: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0) }
    }
    // A process that has ended stays in the system's table until it is waited for.
    if let process { SystemThread.start { ChildProcess.wait(for: process) } }
    return process != nil
  }

  /// Returns what the program at `path` writes. Returns nil and kills the program if it fails,
  /// writes more than `limit` bytes, takes longer than `patience`, or when `isWanted` turns false.
  static func output(
    of path: String, _ arguments: [String], environment: [String: String], limit: Int = 32 << 20,
    patience: Duration = .seconds(10), clock: any Timekeeper, while isWanted: () -> Bool = { true }
  ) -> [UInt8]? {
    guard let pipe = Pipe() else { return nil }
    defer { close(pipe.reading) }
    let process = ChildProcess.spawn(path, arguments, environment) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, pipe.writing, 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    close(pipe.writing)
    guard let process else { return nil }
    let end = clock.now + patience
    func mayGoOn() -> Bool { isWanted() && clock.now < end }
    let stream = FileStream(descriptor: pipe.reading)
    let output = try? stream.rest(upTo: limit) { () throws(FileProblem) in
      repeat { if !mayGoOn() { throw .failed("cancelled") } } while try !stream.isReady(within: .milliseconds(20))
    }
    if output == nil { kill(process, SIGKILL) }
    // Every child is waited for, so it must not run for ever; most end once they have written. No descriptor reports the end of a process
    // on every system, and the signal that does belongs to the whole program. So the thread polls; it does nothing else meanwhile.
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status == 0 ? output : nil }
      if ended == -1, errno != EINTR { return nil }
      if !mayGoOn() { kill(process, SIGKILL) }
      usleep(1000)
    }
  }
}
