import AggregatorCore
import Platform

/// Another program, run without a shell.
enum Child {
  static func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Returns the path of the program `name`, or nil if no folder in `PATH` has it.
  /// Relative folders are skipped, since they do not belong to the system.
  static func find(_ name: String, in environment: [String: String]) -> String? {
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return folders.map { "\($0)/\(name)" }.first(where: canRun)
  }

  /// Starts the program at `path` with our output and errors; it reads what is written to `input`. Returns nil if it cannot be started.
  static func reader(_ path: String, _ arguments: [String], environment: [String: String]) -> (
    process: pid_t, input: Int32
  )? {
    guard let pipe = Pipe() else { return nil }
    let process = spawn(path, arguments, environment) { posix_spawn_file_actions_adddup2(&$0, pipe.reading, 0) }
    close(pipe.reading)
    if let process { return (process, pipe.writing) }
    close(pipe.writing)
    return nil
  }

  /// Runs the program at `path` with our streams, and waits until it ends. Ctrl-C is for that program. Returns its exit code; nil if it
  /// cannot be started, or if a signal ended it.
  static func attended(_ path: String, _ arguments: [String], environment: [String: String]) -> Int32? {
    guard let process = spawn(path, arguments, environment, { _ in }) else { return nil }
    Interruption.pager = process
    let status = wait(for: process)
    Interruption.pager = 0
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  /// Starts the program at `path` apart from this one: without its streams, and in a group of its own, so that Ctrl-C is not for it.
  /// Returns at once; false if it cannot be started.
  static func detached(_ path: String, _ arguments: [String], environment: [String: String]) -> Bool {
    let process = spawn(path, arguments, environment, hasOwnGroup: true) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for stream: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0) }
    }
    // A process that has ended stays in the system's table until it is waited for.
    if let process { SystemThread.start { wait(for: process) } }
    return process != nil
  }

  /// Waits until a process ends, and returns its status.
  @discardableResult static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// Returns what the program at `path` writes. Returns nil and kills the program if it fails,
  /// writes more than `limit` bytes, takes longer than `patience`, or when `isWanted` turns false.
  static func output(
    of path: String, _ arguments: [String], environment: [String: String], limit: Int = 32 << 20,
    patience: Duration = .seconds(10), clock: any Timekeeper, while isWanted: () -> Bool = { true }
  ) -> [UInt8]? {
    guard let pipe = Pipe() else { return nil }
    defer { close(pipe.reading) }
    let process = spawn(path, arguments, environment) { actions in
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

  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], hasOwnGroup: Bool = false,
    _ prepare: (inout Actions) -> Void
  ) -> pid_t? {
    #if canImport(Darwin)
      var (actions, attributes): (Actions, Attributes) = (nil, nil)
    #else
      var (actions, attributes) = (Actions(), Attributes())
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    // This process ignores broken pipes and files that are too long; another program may rely on being ended by them.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    let group = hasOwnGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | group)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    return posix_spawn(&process, path, &actions, &attributes, words, variables) == 0 ? process : nil
  }
}
