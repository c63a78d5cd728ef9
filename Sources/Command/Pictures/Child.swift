import AggregatorCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Another program, run without a shell.
enum Child {
  static func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// What the program at `path` writes; nil if it fails, writes more than `limit` bytes or takes longer than `patience`.
  static func output(
    of path: String, _ arguments: [String], environment: [String: String], limit: Int = 32 << 20,
    patience: Duration = .seconds(10), clock: any Timekeeper
  ) -> [UInt8]? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = spawn(path, arguments, environment, output: ends[1])
    close(ends[1])
    guard let process else { return nil }
    let output = read(ends[0], upTo: limit, patience: patience, clock)
    // It is waited for in any case, so it must not go on forever.
    if output == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 { if errno != EINTR { return nil } }
    return status == 0 ? output : nil
  }

  private static func spawn(_ path: String, _ arguments: [String], _ environment: [String: String], output: Int32) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    return posix_spawn(&process, path, &actions, nil, words, variables) == 0 ? process : nil
  }

  private static func read(_ descriptor: Int32, upTo limit: Int, patience: Duration, _ clock: any Timekeeper) -> [UInt8]? {
    let end = clock.now + patience
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
