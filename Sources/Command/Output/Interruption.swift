import AggregatorCore
import Platform
import Synchronization
import Terminal

/// What Ctrl-C does: it restores the terminal and ends the process at once.
///
/// Everything that was stored was committed before; nothing else has to be waited for. Before ``install()`` nothing here does anything.
enum Interruption {
  static func install() {
    // Made now: a signal handler may not be the first to touch them.
    hasStatusLine = false
    HiddenInput.prepare()
    FullScreen.prepare()
    isPutOff.store(false, ordering: .sequentiallyConsistent)
    hasCome.store(false, ordering: .sequentiallyConsistent)
    isEnding.store(false, ordering: .sequentiallyConsistent)
    wakeReadEnd.store(-1, ordering: .sequentiallyConsistent)
    wakeWriteEnd.store(-1, ordering: .sequentiallyConsistent)
    keeper.store(-1, ordering: .sequentiallyConsistent)
    pagerProcess.store(0, ordering: .sequentiallyConsistent)
    unfinished.store(0, ordering: .sequentiallyConsistent)
    isInstalled.store(true, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      // The key was for the pager, which has the terminal.
      if isPagerOpen() { return }
      restoreTerminal()
      // Deferred work ends soon, or at the second Ctrl-C.
      if isPutOff.load(ordering: .sequentiallyConsistent), !hasCome.exchange(true, ordering: .sequentiallyConsistent) {
        // Another thread may be waiting for a slow reader, and no signal wakes that thread.
        _ = write(wakeWriteEnd.load(ordering: .sequentiallyConsistent), "!", 1)
        return
      }
      // The thread of `keeping` ends the process, unless a second Ctrl-C does.
      let keeper = keeper.load(ordering: .sequentiallyConsistent)
      if keeper >= 0, !hasCome.exchange(true, ordering: .sequentiallyConsistent) {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        if write(keeper, "!", 1) == 1 { return }
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

  /// Runs `body`, in which Ctrl-C is an error that is thrown, so that something can be put back in order; a second one ends at once.
  static func putOff<Result>(during body: () async throws -> Result) async throws -> Result {
    putOff()
    defer { endAtOnce() }
    return try await hearing(body)
  }

  /// Runs `body`, which does not wait for a locked store once Ctrl-C was put off.
  static func hearing<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await Deadline.hearing({ hasCome.load(ordering: .sequentiallyConsistent) }, body)
  }

  /// From now on Ctrl-C is an error that ``check()`` and writing results throw.
  static func putOff() {
    guard isInstalled.load(ordering: .sequentiallyConsistent), !isPutOff.load(ordering: .sequentiallyConsistent) else { return }
    if wakeReadEnd.load(ordering: .sequentiallyConsistent) < 0 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      // The pipe stays: a signal may be on its way into it.
      wakeReadEnd.store(ends[0], ordering: .sequentiallyConsistent)
      wakeWriteEnd.store(ends[1], ordering: .sequentiallyConsistent)
    }
    isPutOff.store(true, ordering: .sequentiallyConsistent)
  }

  /// Ctrl-C ends the process at once again.
  static func endAtOnce() { isPutOff.store(false, ordering: .sequentiallyConsistent) }

  /// Runs `body`, in which Ctrl-C first calls `keep`, on a thread of its own, and then ends the process; a second one ends it at once.
  ///
  /// `keep` waits for `body` only if it wants to; nobody goes on with what `body` gives. Where no thread can be started, Ctrl-C ends the
  /// process as usual.
  static func keeping<Result>(
    _ keep: @escaping @Sendable () -> Void, during body: () async throws -> Result
  ) async throws -> Result {
    var ends: [Int32] = [-1, -1]
    guard isInstalled.load(ordering: .sequentiallyConsistent), pipe(&ends) == 0 else { return try await body() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (heard, told) = (ends[0], ends[1])
    // The thread outlives the work, and holds on to nothing of it: a store would stay open.
    let held = Found<@Sendable () -> Void>()
    held.answer.withLock { $0 = keep }
    defer { held.answer.withLock { $0 = nil } }
    let isHeard = SystemThread.start {
      var byte: UInt8 = 0
      while read(heard, &byte, 1) < 0, errno == EINTR {}
      held.answer.withLock { $0 }?()
      restoreTerminal()
      removeFile()
      _exit(ExitCode.interrupted.rawValue)
    }
    guard isHeard else { return try await body() }
    keeper.store(told, ordering: .sequentiallyConsistent)
    // Thread and pipe stay: a signal may be on its way.
    defer { keeper.store(-1, ordering: .sequentiallyConsistent) }
    let result = await Swift.Result { try await body() }
    // That thread ends the process, and may have something to say of what `body` came to: nothing goes on behind it.
    if isEnding.load(ordering: .sequentiallyConsistent) { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    return try result.get()
  }

  /// What `question` finds out, for a thread that is no task's; nil where that takes longer than `patience`.
  static func answer<Answer: Sendable>(within patience: Duration, _ question: @escaping @Sendable () async -> Answer?) -> Answer? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let told = ends[1]
    let found = Found<Answer>()
    Task {
      let answer = await question()
      found.answer.withLock { $0 = answer }
      _ = write(told, "!", 1)
    }
    var waiting = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, Int32(patience.components.seconds * 1000))
    return found.answer.withLock { $0 }
  }

  private final class Found<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)
  }

  /// A file to remove where a signal ends the process.
  static func removesFile(at path: String?) {
    guard isInstalled.load(ordering: .sequentiallyConsistent) else { return }
    // Never freed: a signal handler may be reading the one before.
    unfinished.store(path.flatMap { strdup($0) }.map { Int(bitPattern: $0) } ?? 0, ordering: .sequentiallyConsistent)
  }

  /// Throws where Ctrl-C was put off.
  static func check() throws {
    if hasCome.load(ordering: .sequentiallyConsistent) { throw CancellationError() }
  }

  /// Waits until `descriptor` takes as many bytes as a pipe takes at once, or Ctrl-C comes where it is put off; says how many of
  /// `count` may be written without waiting, none where it has come.
  static func room(for count: Int, at descriptor: Int32) -> Int {
    guard isPutOff.load(ordering: .sequentiallyConsistent) else { return count }
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: wakeReadEnd.load(ordering: .sequentiallyConsistent), events: Int16(POLLIN), revents: 0),
    ]
    while poll(&waiting, 2, -1) < 0, errno == EINTR {}
    return waiting[1].revents == 0 ? min(count, Int(PIPE_BUF)) : 0
  }

  /// The process that shows what is printed, a screen at a time; 0 where there is none. While it lives Ctrl-C is for it alone, and so it is
  /// while the command only waits for its end: then this is -1.
  static var pager: pid_t {
    get { pagerProcess.load(ordering: .sequentiallyConsistent) }
    set { pagerProcess.store(newValue, ordering: .sequentiallyConsistent) }
  }

  static var isPaging: Bool { pager != 0 }

  /// Whether a status line stands on the terminal.
  static var hasStatusLine: Bool {
    get { isStatusShown.load(ordering: .sequentiallyConsistent) }
    set { isStatusShown.store(newValue, ordering: .sequentiallyConsistent) }
  }
}

private let pagerProcess = Atomic(pid_t(0))
/// The path of a file that is not whole, as C has it; 0 where there is none.
private let unfinished = Atomic(0)
private let isStatusShown = Atomic(false)
/// Whether signals are heard at all: not where the command runs in somebody else's process.
private let isInstalled = Atomic(false)
private let isPutOff = Atomic(false)
private let hasCome = Atomic(false)
/// Whether the thread of `keeping` was told to end the process.
private let isEnding = Atomic(false)
/// The two ends of a pipe, by which a signal reaches who waits.
private let wakeReadEnd = Atomic(Int32(-1))
private let wakeWriteEnd = Atomic(Int32(-1))
/// Where a signal wakes the thread of `keeping`; -1 where there is none.
private let keeper = Atomic(Int32(-1))

/// Calls nothing but what a signal handler may call, and leaves the process to whoever waits for it.
private func isPagerOpen() -> Bool {
  let process = pagerProcess.load(ordering: .sequentiallyConsistent)
  guard process > 0 else { return process < 0 }
  var state = siginfo_t()
  return waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_signo != SIGCHLD
}

/// Calls nothing but what a signal handler may call.
private func removeFile() {
  if let path = UnsafeMutablePointer<CChar>(bitPattern: unfinished.load(ordering: .sequentiallyConsistent)) { unlink(path) }
}

/// Calls nothing but what a signal handler may call.
private func restoreTerminal() {
  if isStatusShown.exchange(false, ordering: .sequentiallyConsistent) { send("\r\u{1B}[K") }
  HiddenInput.end()
  FullScreen.leave()
}

private func send(_ text: StaticString) { _ = write(2, text.utf8Start, text.utf8CodeUnitCount) }
