import AggregatorCore
import Platform
import Synchronization

/// One run of a program, in a group of processes of its own. Its output comes line by line, within bounds; its errors are kept as far as
/// they help. One thread at a time reads; any may stop it.
final class ProgramRun: ProgramOutput {
  /// The limits of a run.
  struct Bounds {
    /// The greatest number of bytes in a line, and in all of the output; nil for no limit.
    var line = ProgramRun.longestLine, output: Int?
    /// The time that the program may be silent, and the time until the end of its output; nil for no limit.
    var silence = Duration.seconds(300), total: Duration?
    /// The time it has to end after its output has, and its output has to go on after the program has ended.
    var end = Duration.seconds(10)
  }

  /// The usual greatest number of bytes in a line, and the number of bytes of a line of errors that are read.
  static let longestLine = 32 << 20
  private static let longestError = 8 << 10
  /// The time between SIGTERM and SIGKILL.
  private static let grace = Duration.seconds(5)

  private struct Reading {
    var output: CInt
    var errors: CInt
    var buffer: [UInt8] = []
    /// The part of the buffer that was given as lines already, and the part in which no line ends.
    var start = 0, seen = 0
    /// The number of bytes that were read.
    var count = 0
    var isAtEnd = false
    /// True when something else held the output after the program had ended, so that its end is not known.
    var isHeld = false
    /// The beginning of the line of errors that has not ended yet.
    var openError: [UInt8] = []
    /// The last line of errors that says something.
    var lastError = ""
  }

  private struct Ending {
    var isStopped = false
    /// The status with which the program ended; nil while it runs.
    var status: CInt?
  }

  /// The words of the command, for a person.
  private let name: String
  /// True when somebody listens to the talk.
  private let isHeard: Bool
  private let isSecret: Bool
  private let bounds: Bounds
  /// The events that were not told yet. The thread that reads has no listener.
  private let events = Mutex<[Event]>([])
  private let process: pid_t
  private let stopping: Pipe
  private let scrubber: Scrubber
  private let began = ContinuousClock.now
  private let reading: Mutex<Reading>
  private let ending = Mutex(Ending())

  /// Starts the program at `path` in `folder`. `files` are written for it alone, and given as arguments after the option that names each.
  /// If what it prints is a secret, no event tells of the talk.
  init(
    _ path: String, _ arguments: [String], in folder: String, with files: PrivateFiles, hiding settings: Settings,
    within bounds: Bounds = Bounds(), isSecret: Bool = false
  ) throws {
    (self.bounds, self.isSecret, isHeard) = (bounds, isSecret, Event.isHeard && !isSecret)
    name = Printable.clean(([path] + arguments).joined(separator: " "))
    scrubber = Scrubber(settings.secrets).ofAnswers
    guard let output = Pipe(), let errors = Pipe(), let stopping = Pipe() else {
      throw SourceError(.noTransport, "no descriptors are left to start a program")
    }
    let environment = PrivateFiles.environment(without: settings)
    let started = ChildProcess.spawn(path, arguments + files.arguments, environment, hasOwnGroup: true, in: folder) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
      posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
    }
    let reason = errno
    close(output.writing)
    close(errors.writing)
    self.stopping = stopping
    reading = Mutex(Reading(output: output.reading, errors: errors.reading))
    process = started ?? 0
    guard let started else {
      throw SourceError(.noTransport, "\(path) cannot be started: \(SystemFiles.reason(reason))")
    }
    guard ChildGroups.add(started, folder: files.folder, files: files.names) else {
      stop()
      throw SourceError(.noTransport, "too many programs are running")
    }
    tell(
      .programStarted(
        scrubber.scrub(
          ([name] + files.arguments.filter { $0.hasPrefix("--") }.map { "\($0) (private file)" }).joined(separator: " "))))
  }

  deinit {
    stop()
    reading.withLock { reading in
      close(reading.output)
      close(reading.errors)
    }
    close(stopping.reading)
    close(stopping.writing)
  }

  // MARK: - Events

  /// The most events that are remembered between two pages.
  private static let mostEvents = 1_000

  private func tell(_ event: @autoclosure () -> Event) {
    guard isHeard else { return }
    events.withLock { if $0.count < Self.mostEvents { $0.append(event()) } }
  }

  /// Tells the listener of this task what happened since.
  func emit() {
    guard isHeard else { return }
    let told = events.withLock { events in
      defer { events = [] }
      return events
    }
    for event in told { Event.emit(event) }
  }

  // MARK: - Reading

  /// Returns the next line, without its break and without secrets; nil at the end of the output. Blocks this thread. `isOver` says that the
  /// program has told its end, so that what else holds its output need not be waited for.
  func line(isOver: Bool) throws -> [UInt8]? {
    try reading.withLock { reading in
      while true {
        if let line = try takeLine(&reading) {
          let clean = scrubber.scrub(line)
          tell(.programSaid(Printable.clean(String(decoding: clean.prefix(500), as: UTF8.self)), isError: false))
          return clean
        }
        if reading.isAtEnd { return nil }
        let silence = ContinuousClock.now + bounds.silence
        try wait(&reading, isOver: isOver, until: bounds.total.map { min(silence, began + $0) } ?? silence)
        if let most = bounds.output, reading.count > most {
          throw SourceError(.malformed, "the program printed more than \(most >> 10) kB")
        }
      }
    }
  }

  func isSilent(for wait: Duration) -> Bool {
    reading.withLock { reading in
      if reading.isAtEnd || reading.buffer[reading.seen...].contains(Byte.newline) { return false }
      let ready = Descriptor.ready(
        [(reading.output, POLLIN), (stopping.reading, POLLIN)], within: CInt(wait / .milliseconds(1)))
      return ready == [false, false]
    }
  }

  private func takeLine(_ reading: inout Reading) throws -> [UInt8]? {
    guard let end = reading.buffer[reading.seen...].firstIndex(of: Byte.newline) else {
      reading.seen = reading.buffer.count
      guard reading.seen - reading.start <= bounds.line else {
        throw SourceError(.malformed, "the program printed a line of more than \(bounds.line >> 20) MB")
      }
      guard reading.isAtEnd, reading.start < reading.buffer.count else { return nil }
      defer { (reading.buffer, reading.start, reading.seen) = ([], 0, 0) }
      return Array(reading.buffer[reading.start...])
    }
    var line = reading.buffer[reading.start..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    (reading.start, reading.seen) = (end + 1, end + 1)
    return Array(line)
  }

  /// Waits until something comes, from either stream, and takes it.
  private func wait(_ reading: inout Reading, isOver: Bool, until deadline: ContinuousClock.Instant) throws {
    let end = ContinuousClock.now + bounds.end
    while true {
      let errors: [(file: CInt, event: CInt)] = reading.errors >= 0 ? [(reading.errors, POLLIN)] : []
      // Looked at before the pipes: what a program wrote before its end can be read by then.
      let success = ending.withLock(\.status) == nil ? ChildProcess.hasSucceeded(process) : true
      let ready = Descriptor.ready([(reading.output, POLLIN), (stopping.reading, POLLIN)] + errors, within: 50)
      if ending.withLock(\.isStopped) { throw CancellationError() }
      guard let ready else { continue }
      if ready.count > 2, ready[2] { takeErrors(&reading) }
      if ready[0] { return takeOutput(&reading) }
      // What the program has started may still hold the pipe, and write.
      if !ready.contains(true), let success, isOver || !success || .now >= end {
        ChildGroups.waitIfEnding()
        tell(.programSaid("it left a process behind, which was ended", isError: true))
        return (reading.isAtEnd, reading.isHeld) = (true, !isOver)
      }
      guard .now < deadline else {
        stop()
        let isOver = bounds.total.map { began + $0 <= .now } ?? false
        throw SourceError(
          .programFailed,
          isOver
            ? "the program had not ended after \((bounds.total ?? .zero).inWords)"
            : "the program printed nothing for \(bounds.silence.inWords)")
      }
    }
  }

  private func takeOutput(_ reading: inout Reading) {
    if reading.start > 1 << 20 || reading.start == reading.buffer.count {
      reading.buffer.removeFirst(reading.start)
      (reading.seen, reading.start) = (reading.seen - reading.start, 0)
    }
    let count = Self.read(reading.output, into: &reading.buffer)
    reading.count = reading.count.adding(count)
    ChildGroups.waitIfEnding()
    if count == 0 { reading.isAtEnd = true }
  }

  private func takeErrors(_ reading: inout Reading) {
    var part: [UInt8] = []
    if Self.read(reading.errors, into: &part) == 0 {
      close(reading.errors)
      reading.errors = -1
    }
    var rest = part[...]
    while let end = rest.firstIndex(of: Byte.newline) {
      add(rest[..<end], &reading)
      endError(&reading)
      rest = rest[(end + 1)...]
    }
    add(rest, &reading)
  }

  private func add(_ errors: ArraySlice<UInt8>, _ reading: inout Reading) {
    reading.openError += errors.prefix(Self.longestError - reading.openError.count)
  }

  /// Takes the line of errors that has ended. It is cut after its secrets are removed, since a part of a secret is not recognized.
  private func endError(_ reading: inout Reading) {
    let line = Printable.clean(String(decoding: scrubber.scrub(reading.openError), as: UTF8.self)).trimmingSpaces
    reading.openError = []
    // What a program that prints a secret says of its trouble may hold it too.
    guard !line.isEmpty, !isSecret else { return }
    reading.lastError = line.count > 300 ? "\(line.prefix(300))…" : line
    tell(.programSaid(String(line.prefix(500)), isError: true))
  }

  private static func read(_ file: CInt, into bytes: inout [UInt8]) -> Int {
    let size = 1 << 16
    let old = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: size))
    let count = bytes.withUnsafeMutableBytes {
      Descriptor.read(file, into: UnsafeMutableRawBufferPointer(rebasing: $0[old...]))
    }
    bytes.removeLast(size - (count ?? 0))
    return count ?? 0
  }

  // MARK: - The end

  /// Returns the reason why a program that has ended its output did not end well; nil if it did.
  func failure() throws -> SourceError? {
    try reading.withLock { reading in
      let deadline = ContinuousClock.now + bounds.end
      // The program may still have errors to tell, and waits until they are read.
      while !hasEnded {
        let files: [(file: CInt, event: CInt)] =
          [(stopping.reading, POLLIN)] + (reading.errors >= 0 ? [(reading.errors, POLLIN)] : [])
        let ready = Descriptor.ready(files, within: 10)
        if ending.withLock(\.isStopped) { throw CancellationError() }
        if let ready, ready.count > 1, ready[1] { takeErrors(&reading) }
        guard .now < deadline else {
          stop()
          return SourceError(.programFailed, "the program closed its output, and had not ended \(bounds.end.inWords) later")
        }
      }
      while reading.errors >= 0, Descriptor.ready([(reading.errors, POLLIN)], within: 0)?[0] == true { takeErrors(&reading) }
      endError(&reading)
      ChildGroups.waitIfEnding()
      let status = reap()
      tell(.programEnded(Self.words(status), took: began.duration(to: .now)))
      if status == 0 {
        return !reading.isHeld
          ? nil : SourceError(.programFailed, "the program ended, and what it had started held its output: rows may be missing")
      }
      return SourceError(
        .programFailed, "the program \(Self.words(status))\(reading.lastError.isEmpty ? "" : ": \(reading.lastError)")")
    }
  }

  private static func words(_ status: CInt) -> String {
    status & 0x7F == 0 ? "ended with exit code \(status >> 8 & 0xFF)" : "was ended by signal \(status & 0x7F)"
  }

  /// True when the program itself has ended, whatever it left behind. It is not waited for, so that the number of its group stays its own.
  private var hasEnded: Bool {
    if ending.withLock({ $0.status != nil }) { return true }
    return ChildProcess.hasEnded(process)
  }

  /// Ends what an ended program left behind, and returns its status.
  @discardableResult private func reap() -> CInt {
    ending.withLock { ending in
      if let status = ending.status { return status }
      // Another thread waits for it already.
      if ending.isStopped { return SIGTERM }
      kill(-process, SIGKILL)
      let status = ChildProcess.wait(for: process)
      (ending.status, ending.isStopped) = (status, true)
      ChildGroups.remove(process)
      return status
    }
  }

  /// Ends the program: it is asked to, and killed five seconds later. Returns at once, and tells the thread that reads.
  func stop() {
    let isNew = ending.withLock { ending in
      defer { ending.isStopped = true }
      return !ending.isStopped
    }
    guard isNew, process > 0 else { return }
    kill(-process, SIGTERM)
    Pipe.send(to: stopping.writing)
    let process = process
    let isWatched = SystemThread.start { Self.end(process) }
    if !isWatched { Self.end(process, within: .zero) }
  }

  /// Waits for the end of a program that was asked to end. The run itself may be gone by then.
  private static func end(_ process: pid_t, within grace: Duration = ProgramRun.grace) {
    let deadline = ContinuousClock.now + grace
    while .now < deadline, !ChildProcess.hasEnded(process) { usleep(10_000) }
    kill(-process, SIGKILL)
    ChildProcess.wait(for: process)
    ChildGroups.remove(process)
  }
}
