import AggregatorCore
import Platform
import Synchronization
import Terminal

/// The reaction to Ctrl-C: it restores the terminal and ends the process at once.
///
/// Everything that was stored was committed before, so there is nothing to wait for. Before ``install()`` nothing here has an effect.
package enum Interruption {
  static func install() {
    // Made now: a signal handler must not be the first to touch them.
    shared.isInstalled.value = true
    HiddenInput.prepare()
    FullScreen.prepare()
    LineInput.prepare()
    ChildGroups.prepare()
    signal(SIGINT) { _ in
      // The key was for the pager, which has the terminal.
      if isPagerOpen() { return }
      restoreTerminal()
      // Work that put the signal off ends soon, or at the second Ctrl-C. A prompt lives on.
      if shared.isPutOff.value, !shared.hasCome.exchange(true, ordering: .sequentiallyConsistent) || shared.livesOn.value {
        // Another thread may be waiting for a slow reader, and no signal wakes that thread.
        Pipe.send(to: shared.wakeWriteEnd.value)
        return
      }
      removeFile()
      ChildGroups.endAll()
      _exit(ExitCode.interrupted.rawValue)
    }
    for fatal in [SIGTERM, SIGHUP, SIGQUIT] {
      signal(fatal) { number in
        restoreTerminal()
        removeFile()
        ChildGroups.endAll()
        // The parent process learns which signal ended this one.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Makes the terminal be restored before a crash ends the process, including a stack overflow, or
  /// before a signal does that is rarely sent on purpose. After that the signal has its usual effect.
  package static func restoreTerminalOnCrash() {
    let size = 1 << 16
    // The stack is needed until the process ends.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    sigaltstack(&stack, nil)
    let crashes = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE]
    for number in crashes + [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU, SIGXFSZ] {
      var action = sigaction()
      let handler: @convention(c) (CInt) -> Void = { number in
        FullScreen.leave()
        LineInput.leave()
        signal(number, SIG_DFL)
        raise(number)
      }
      #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
      #elseif canImport(Musl)
        action.__sa_handler.sa_handler = handler
      #else
        action.__sigaction_u.__sa_handler = handler
      #endif
      action.sa_flags = SA_ONSTACK
      sigaction(number, &action, nil)
    }
  }
}

// MARK: - Work that Ctrl-C waits for

extension Interruption {
  /// Runs `body`, in which Ctrl-C is an error that is thrown, so that `body` can clean up. A second Ctrl-C ends the process at once.
  static func putOff<Result>(during body: () async throws -> Result) async throws -> Result {
    putOff()
    defer { endAtOnce() }
    return try await hearing(body)
  }

  /// Runs `body` as a task. Ctrl-C cancels the task, so that it stores what it has. If it has not ended after two seconds,
  /// since the store may be busy, `giveUp` is called and the process ends. A second Ctrl-C ends the process at once.
  static func cancelling<Answer: Sendable>(
    orElse giveUp: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard shared.isInstalled.value, let end = Pipe() else { return try await body() }
    putOff()
    let task = Task { try await body() }
    defer {
      endAtOnce()
      close(end.writing)
    }
    cancel(task, until: end) {
      giveUp()
      restoreTerminal()
      removeFile()
      ChildGroups.endAll()
      _exit(ExitCode.interrupted.rawValue)
    }
    return try await task.value
  }

  /// Runs `body` as a task for a server: Ctrl-C and SIGTERM cancel the task, and a second one ends the process at once.
  package static func ending<Answer: Sendable>(_ body: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    guard shared.isInstalled.value, let end = Pipe() else { return try await body() }
    putOff()
    signal(SIGTERM) { _ in raise(SIGINT) }
    let task = Task { try await body() }
    defer {
      endAtOnce()
      close(end.writing)
    }
    cancel(task, until: end) {}
    return try await task.value
  }

  /// Runs `body` as a task for a command that lives on: Ctrl-C cancels the task, and ends the process only if the task has not ended
  /// two seconds later and `isLate` was called. Ctrl-C that came since ``forget()`` counts. The command has called ``liveOn()``.
  static func stopping<Answer: Sendable>(
    orElse isLate: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard shared.isPutOff.value, let end = Pipe() else { return try await body() }
    let task = Task { try await hearing(body) }
    defer {
      close(end.writing)
      shared.livesOn.value = true
      forget()
    }
    cancel(task, until: end) {
      shared.livesOn.value = false
      isLate()
    }
    return try await task.value
  }

  /// Cancels the task when Ctrl-C comes, and calls `isLate` if the task has not ended two seconds later. The caller
  /// closes the writing end of `end` once the task has ended.
  private static func cancel<Answer>(
    _ task: Task<Answer, any Error>, until end: Pipe, orElse isLate: @escaping @Sendable () -> Void
  ) {
    let wake = shared.wakeReadEnd.value
    SystemThread.start {
      var ready: [Bool]?
      while ready == nil { ready = Descriptor.ready([(wake, POLLIN), (end.reading, POLLIN)]) }
      if ready == [true, false] {
        task.cancel()
        if Descriptor.ready([(end.reading, POLLIN)], within: 2_000) == [false] { isLate() }
      }
      close(end.reading)
    }
  }

  /// Keeps Ctrl-C from ending the process until it ends by itself.
  static func liveOn() {
    shared.livesOn.value = true
    putOff()
  }

  /// Forgets the Ctrl-C that came while it was put off.
  static func forget() {
    shared.hasCome.value = false
    var bytes: (UInt64, UInt64) = (0, 0)
    while shared.wakeReadEnd.value >= 0, Descriptor.ready([(shared.wakeReadEnd.value, POLLIN)], within: 0) == [true] {
      _ = withUnsafeMutableBytes(of: &bytes) { Descriptor.read(shared.wakeReadEnd.value, into: $0) }
    }
  }

  /// Runs `body`, which stops waiting for a locked store once Ctrl-C has come while it was put off.
  static func hearing<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await Deadline.hearing({ shared.hasCome.value }, body)
  }

  /// Puts Ctrl-C off: from now on ``check()`` and writing results throw it as an error.
  static func putOff() {
    guard shared.isInstalled.value, !shared.isPutOff.value else { return }
    if shared.wakeReadEnd.value < 0 {
      // The pipe is never closed: a signal handler may be about to write into it.
      guard let pipe = Pipe() else { return }
      (shared.wakeReadEnd.value, shared.wakeWriteEnd.value) = (pipe.reading, pipe.writing)
    }
    shared.isPutOff.value = true
  }

  /// Lets Ctrl-C end the process at once again, and clears the one that came, so that results of the work it ended can be printed.
  static func heed() {
    endAtOnce()
    shared.hasCome.value = false
  }

  static func endAtOnce() { shared.isPutOff.value = false }

  /// Throws if Ctrl-C has come while it was put off.
  static func check() throws {
    if shared.hasCome.value { throw CancellationError() }
  }

  /// Waits until `descriptor` takes as many bytes as a pipe takes at once, or until Ctrl-C comes while
  /// it is put off. Returns how many of `count` bytes may be written without waiting; 0 after Ctrl-C.
  static func room(for count: Int, at descriptor: Int32) -> Int {
    guard shared.isPutOff.value else { return count }
    while true {
      guard let ready = Descriptor.ready([(descriptor, POLLOUT), (shared.wakeReadEnd.value, POLLIN)]) else { continue }
      return ready[1] ? 0 : min(count, Int(PIPE_BUF))
    }
  }
}

// MARK: - State that a signal handler reads

extension Interruption {
  static func removesFile(at path: String?) {
    // The old path is never freed: a signal handler may be reading it.
    guard shared.isInstalled.value else { return }
    shared.draft.store(path.flatMap { strdup($0) }.map { Int(bitPattern: $0) } ?? 0, ordering: .sequentiallyConsistent)
  }

  /// The process of the pager or editor; 0 without one, and -1 while the command only waits for its
  /// end. Unless it is 0, Ctrl-C is for the pager alone.
  static var pager: pid_t {
    get { shared.pager.value }
    set { shared.pager.value = newValue }
  }

  static var hasStatusLine: Bool {
    get { shared.hasStatusLine.value }
    set { shared.hasStatusLine.value = newValue }
  }
}

private struct Shared: ~Copyable {
  let pager = Atomic(pid_t(0))
  /// The path of an unfinished file, as a C string; 0 without one.
  let draft = Atomic(0)
  let hasStatusLine = Atomic(false)
  /// True when signals are handled; false where the command runs in a process of another program.
  let isInstalled = Atomic(false)
  let isPutOff = Atomic(false)
  let hasCome = Atomic(false)
  /// True when Ctrl-C never ends the process while it is put off.
  let livesOn = Atomic(false)
  /// The two ends of a pipe by which a signal handler wakes a waiting thread.
  let wakeReadEnd = Atomic(Int32(-1))
  let wakeWriteEnd = Atomic(Int32(-1))
}

private let shared = Shared()

// MARK: - Functions for signal handlers, which call only what a handler may call

/// True when the pager runs. `WNOWAIT` leaves the ended process to the thread that waits for it.
private func isPagerOpen() -> Bool {
  let process = shared.pager.value
  guard process > 0 else { return process < 0 }
  var state = siginfo_t()
  return waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_signo != SIGCHLD
}

private func removeFile() {
  if let path = UnsafeMutablePointer<CChar>(bitPattern: shared.draft.load(ordering: .sequentiallyConsistent)) { unlink(path) }
}

private func restoreTerminal() {
  if shared.hasStatusLine.exchange(false, ordering: .sequentiallyConsistent) {
    Descriptor.write("\r\u{1B}[K", to: 2, within: 200)
  }
  HiddenInput.end()
  FullScreen.leave()
  LineInput.leave()
}
