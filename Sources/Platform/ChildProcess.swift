import Synchronization

/// The start of other programs without a shell, and the wait for their end.
package enum ChildProcess {
  /// Held while a program is started, and while descriptors are made that no program may get.
  static let starts = Mutex(())

  package static func canRun(_ path: String) -> Bool {
    var status = stat()
    return access(path, X_OK) == 0 && stat(path, &status) == 0 && mode_t(status.st_mode) & S_IFMT == S_IFREG
  }

  /// Returns the path of the program `name`, or nil if no folder in `folders`, the value of `PATH`, has it. Relative folders are skipped,
  /// since they do not belong to the system.
  package static func find(_ name: String, in folders: String) -> String? {
    folders.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first(where: canRun)
  }

  /// Waits until a process ends, and returns its status.
  @discardableResult package static func wait(for process: pid_t) -> CInt {
    var status: CInt = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// True when a process has ended. It is not waited for, so that its number stays its own. No descriptor reports the end of a process on
  /// every system, and the signal that does belongs to the whole program. So a thread that waits for the end looks again and again.
  package static func hasEnded(_ process: pid_t) -> Bool { hasSucceeded(process) != nil }

  /// Returns whether a process has ended with exit code 0; nil while it runs. It is not waited for.
  package static func hasSucceeded(_ process: pid_t) -> Bool? {
    var information = siginfo_t()
    guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return true }
    #if canImport(Glibc)
      let (number, status) = (information._sifields._sigchld.si_pid, information._sifields._sigchld.si_status)
    #else
      let (number, status) = (information.si_pid, information.si_status)
    #endif
    return number == process ? Int(information.si_code) == Int(CLD_EXITED) && status == 0 : nil
  }

  #if canImport(Darwin)
    package typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    package typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Starts the program at `path`; `prepare` says what becomes of its streams. With a group of its own, Ctrl-C is not for it. In a `folder`,
  /// it starts there. Returns nil if it cannot be started; `errno` has the reason.
  package static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String], hasOwnGroup: Bool = false, in folder: String? = nil,
    _ prepare: (inout Actions) -> Void
  ) -> pid_t? {
    #if canImport(Darwin)
      var (actions, attributes): (Actions, Attributes) = (nil, nil)
    #else
      var (actions, attributes) = (Actions(), Attributes())
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let folder {
      guard let change = changeFolder else { return nil }
      _ = withUnsafeMutablePointer(to: &actions) { change($0, folder) }
    }
    prepare(&actions)
    // A descriptor that the program held would stay open for those at its other end.
    if let closeFrom { _ = withUnsafeMutablePointer(to: &actions) { closeFrom($0, 3) } }
    // This process ignores broken pipes and files that are too long; another program may rely on being ended by them. Threads of the pool
    // block most signals, and a program that inherits that cannot be asked to end.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var usual = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    sigaddset(&usual, SIGTERM)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    let group = hasOwnGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | group)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = starts.withLock { _ in posix_spawn(&process, path, &actions, &attributes, words, variables) }
    errno = code
    return code == 0 ? process : nil
  }

  /// Makes a program start in a folder. Like the next one, it is looked up, since the module of the system library does not declare it.
  private static let changeFolder: (@convention(c) (UnsafeMutablePointer<Actions>, UnsafePointer<CChar>) -> CInt)? =
    action("addchdir_np").map {
      unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<Actions>, UnsafePointer<CChar>) -> CInt).self)
    }

  /// Closes the descriptors from a number on in a program that starts. Old systems lack it; there a program inherits what another thread
  /// opens without `O_CLOEXEC`.
  private static let closeFrom: (@convention(c) (UnsafeMutablePointer<Actions>, CInt) -> CInt)? =
    action("addclosefrom_np").map { unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<Actions>, CInt) -> CInt).self) }

  private static func action(_ name: String) -> UnsafeMutableRawPointer? {
    dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_\(name)")
  }
}
