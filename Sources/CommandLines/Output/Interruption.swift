import AggregatorCore
import Platform
import Synchronization
import Terminal

/// What Ctrl-C does: it restores the terminal and ends the process at once.
///
/// Everything that was stored was committed before; nothing else has to be waited for. Before ``install()`` nothing here does anything.
package enum Interruption {
  package static func install() {
    // Made now: a signal handler may not be the first to touch them.
    shared.isInstalled.value = true
    HiddenInput.prepare()
    FullScreen.prepare()
    signal(SIGINT) { _ in
      // The key was for the pager, which has the terminal.
      if isPagerOpen() { return }
      restoreTerminal()
      // Deferred work ends soon, or at the second Ctrl-C.
      if shared.isPutOff.value, !shared.hasCome.exchange(true, ordering: .sequentiallyConsistent) {
        // Another thread may be waiting for a slow reader, and no signal wakes that thread.
        Pipe.send(to: shared.wakeWriteEnd.value)
        return
      }
      removeFile()
      _exit(ExitCode.interrupted.rawValue)
    }
    for fatal in [SIGTERM, SIGHUP, SIGQUIT] {
      signal(fatal) { number in
        restoreTerminal()
        removeFile()
        // The parent process learns which signal ended it.
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// From now on the terminal is restored before the process ends by a mistake of its own, a stack that is used up included, or by a signal
  /// that nobody sends on purpose; then the signal does what it did before.
  package static func restoreTerminalOnCrash() {
    let size = 1 << 16
    // It is there until the process ends.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    sigaltstack(&stack, nil)
    let crashes = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE]
    for number in crashes + [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU, SIGXFSZ] {
      var action = sigaction()
      let handler: @convention(c) (CInt) -> Void = { number in
        FullScreen.leave()
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
  /// Runs `body`, in which Ctrl-C is an error that is thrown, so that something can be put back in order; a second one ends at once.
  package static func putOff<Result>(during body: () async throws -> Result) async throws -> Result {
    putOff()
    defer { endAtOnce() }
    return try await hearing(body)
  }

  /// What `body` gives, as a task that Ctrl-C cancels so that it stores what it has. After two seconds in which it did not end, since the
  /// store may be busy, `giveUp` is called and the process ends; a second Ctrl-C ends it at once.
  package static func cancelling<Answer: Sendable>(
    orElse giveUp: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard shared.isInstalled.value, let end = Pipe() else { return try await body() }
    putOff()
    let (task, wake) = (Task { try await body() }, shared.wakeReadEnd.value)
    defer {
      endAtOnce()
      close(end.writing)
    }
    SystemThread.start {
      var ready: [Bool]?
      while ready == nil { ready = Descriptor.ready([(wake, POLLIN), (end.reading, POLLIN)]) }
      if ready == [true, false] {
        task.cancel()
        if Descriptor.ready([(end.reading, POLLIN)], within: 2_000) == [false] {
          giveUp()
          restoreTerminal()
          removeFile()
          _exit(ExitCode.interrupted.rawValue)
        }
      }
      close(end.reading)
    }
    return try await task.value
  }

  /// Runs `body`, which does not wait for a locked store once Ctrl-C was put off.
  package static func hearing<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await Deadline.hearing({ shared.hasCome.value }, body)
  }

  /// From now on Ctrl-C is an error that ``check()`` and writing results throw.
  package static func putOff() {
    guard shared.isInstalled.value, !shared.isPutOff.value else { return }
    if shared.wakeReadEnd.value < 0 {
      // The pipe stays: a signal may be on its way into it.
      guard let pipe = Pipe() else { return }
      (shared.wakeReadEnd.value, shared.wakeWriteEnd.value) = (pipe.reading, pipe.writing)
    }
    shared.isPutOff.value = true
  }

  /// From now on Ctrl-C ends the process at once, and what came of the work that it ended can be printed.
  package static func heed() {
    endAtOnce()
    shared.hasCome.value = false
  }

  package static func endAtOnce() { shared.isPutOff.value = false }

  /// Throws where Ctrl-C was put off.
  package static func check() throws {
    if shared.hasCome.value { throw CancellationError() }
  }

  /// Waits until `descriptor` takes as many bytes as a pipe takes at once, or Ctrl-C comes where it is put off; says how many of
  /// `count` may be written without waiting, none where it has come.
  static func room(for count: Int, at descriptor: Int32) -> Int {
    guard shared.isPutOff.value else { return count }
    while true {
      guard let ready = Descriptor.ready([(descriptor, POLLOUT), (shared.wakeReadEnd.value, POLLIN)]) else { continue }
      return ready[1] ? 0 : min(count, Int(PIPE_BUF))
    }
  }
}

// MARK: - What a signal handler reads

extension Interruption {
  static func removesFile(at path: String?) {
    // Never freed: a signal handler may be reading the one before.
    guard shared.isInstalled.value else { return }
    shared.draft.store(path.flatMap { strdup($0) }.map { Int(bitPattern: $0) } ?? 0, ordering: .sequentiallyConsistent)
  }

  /// The process that shows what is printed, a screen at a time; 0 where there is none. While it lives Ctrl-C is for it alone, and so it is
  /// while the command only waits for its end: then this is -1.
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
  /// The path of a file that is not whole, as C has it; 0 where there is none.
  let draft = Atomic(0)
  let hasStatusLine = Atomic(false)
  /// Whether signals are heard at all: not where the command runs in somebody else's process.
  let isInstalled = Atomic(false)
  let isPutOff = Atomic(false)
  let hasCome = Atomic(false)
  /// The two ends of a pipe, by which a signal reaches who waits.
  let wakeReadEnd = Atomic(Int32(-1))
  let wakeWriteEnd = Atomic(Int32(-1))
}

private let shared = Shared()

// MARK: - They call nothing but what a signal handler may call

/// It leaves the process to whoever waits for it.
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
}
