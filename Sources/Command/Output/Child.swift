import AggregatorCore
import Platform
import Synchronization

/// Another program, run without a shell.
enum Child {
  static func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Where the program `name` is; nil if none of the folders in `PATH` has it. A relative one is skipped: it is not the system's.
  static func find(_ name: String, in environment: [String: String]) -> String? {
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return folders.map { "\($0)/\(name)" }.first(where: canRun)
  }

  /// Starts the program at `path`, which reads what is written to `input` and has our output and errors; nil if it cannot be started.
  static func reader(_ path: String, _ arguments: [String], environment: [String: String]) -> (process: pid_t, input: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawn(path, arguments, environment) { posix_spawn_file_actions_adddup2(&$0, ends[0], 0) }
    close(ends[0])
    guard let process else {
      close(ends[1])
      return nil
    }
    return (process, ends[1])
  }

  /// Waits until a process ends; its status, nil where nobody knows.
  @discardableResult
  static func wait(for process: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 { if errno != EINTR { return nil } }
    return status
  }

  /// Whether somebody still wants what a program writes; it is killed where nobody does.
  final class Wish: Sendable {
    private let state = Mutex<(process: pid_t?, isOver: Bool)>((nil, false))

    func end() {
      state.withLock { state in
        state.isOver = true
        if let process = state.process { kill(process, SIGKILL) }
      }
    }

    fileprivate func begin(_ process: pid_t) {
      state.withLock { state in
        state.process = process
        if state.isOver { kill(process, SIGKILL) }
      }
    }

    /// Takes the end of the process over, after which its number may be another one's; nil while it goes on.
    fileprivate func reap(_ process: pid_t) -> Int32? {
      state.withLock { state in
        var status: Int32 = 0
        let ended = waitpid(process, &status, WNOHANG)
        guard ended != 0, ended != -1 || errno != EINTR else { return nil }
        state.process = nil
        return ended == process ? status : -1
      }
    }
  }

  /// What the program at `path` writes; nil if it fails, writes more than `limit` bytes or takes longer than `patience`.
  static func output(
    of path: String, _ arguments: [String], environment: [String: String], limit: Int = 32 << 20,
    patience: Duration = .seconds(10), clock: any Timekeeper, as wish: Wish = Wish()
  ) -> [UInt8]? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = spawn(path, arguments, environment) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    close(ends[1])
    guard let process else { return nil }
    wish.begin(process)
    let end = clock.now + patience
    let output = read(ends[0], upTo: limit, until: end, clock)
    // It is waited for in any case, so it must not go on for ever; most end with what they write.
    if output == nil { wish.end() }
    while true {
      if let status = wish.reap(process) { return status == 0 ? output : nil }
      if clock.now >= end { wish.end() }
      _ = poll(nil, 0, 1)
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
    _ path: String, _ arguments: [String], _ environment: [String: String], _ prepare: (inout Actions) -> Void
  ) -> pid_t? {
    #if canImport(Darwin)
      var (actions, attributes): (Actions, Attributes) = (nil, nil)
    #else
      var (actions, attributes) = (Actions(), Attributes())
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    // We ignore broken pipes and files that are too long; another program may count on being ended by one.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    return posix_spawn(&process, path, &actions, &attributes, words, variables) == 0 ? process : nil
  }

  private static func read(_ descriptor: Int32, upTo limit: Int, until end: Moment, _ clock: any Timekeeper) -> [UInt8]? {
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let left = (end - clock.now).inSeconds * 1000
      guard left > 0 else { return nil }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(left.rounded(.up)))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = systemRead(descriptor, &chunk)
      if count == 0 { return output }
      guard count > 0, output.count + count <= limit else { return nil }
      output += chunk[..<count]
    }
  }
}

/// Outside the type, whose own `read` would hide it.
private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int { read(descriptor, &buffer, buffer.count) }
