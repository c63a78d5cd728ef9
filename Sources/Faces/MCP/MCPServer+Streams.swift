import AggregatorCore
import Asking
import Platform
import RecordFormats
import Synchronization

extension MCPServer {
  /// Takes a message a line from one descriptor, and writes to the other. When the input ends, what runs has a second and a half for its
  /// answer. Returns the number of requests that had none by then.
  @discardableResult
  public func run(reading input: CInt = 0, writing output: CInt = 1) async -> Int {
    let talk = Talk(with: self)
    let (ends, end) = AsyncStream<Void>.makeStream()
    SystemThread.start {
      talk.read(input)
      end.finish()
    }
    SystemThread.start {
      talk.write(to: output)
      end.finish()
    }
    await withTaskCancellationHandler {
      for await _ in ends {}
    } onCancel: {
      end.finish()
    }
    let left = await talk.finish()
    await jobs?.end()
    return left
  }
}

/// The talk with one client: its requests run beside each other, and one thread writes the answers.
private final class Talk: Sendable {
  private struct State {
    /// True after a handshake.
    var isAgreed = false
    /// The requests that have no answer yet.
    var asked: [Value: Task<Void, Never>] = [:]
    /// The number of tasks, those of cancelled requests included.
    var tasks = 0
    var unwritten: [UInt8] = []
    /// The number of answers that are not written yet.
    var answers = 0
    /// True when no more input is taken.
    var isClosing = false
    /// True while a thread waits at its pipe.
    var isReaderWaiting = false, isWriterWaiting = false

    var isFull: Bool { tasks >= Talk.atOnce || unwritten.count >= Talk.mostUnwritten }
    var isOver: Bool { isClosing && tasks == 0 && unwritten.isEmpty }
  }

  private let server: MCPServer
  private let state = Mutex(State())
  private let (toWrite, toRead) = (Pipe(), Pipe())
  /// Ends when everything has been written.
  private let (ends, end) = AsyncStream<Void>.makeStream()

  /// The number of requests that are worked on at once, and the bytes that a client leaves unread. Beyond them nothing more is taken.
  private static let atOnce = 256, mostUnwritten = 8 << 20
  /// The greatest number of bytes in a message.
  private static let mostBytes = 1 << 20

  /// The time for answers after the end of the input, by the clock of the client: it ends a server that is not gone two seconds later.
  private static let grace = Duration.milliseconds(1_500)

  init(with server: MCPServer) { self.server = server }

  /// Takes messages until the input ends, on this thread.
  func read(_ input: CInt) {
    var line: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while let count = part.withUnsafeMutableBytes({ Descriptor.read(input, into: $0) }), count > 0 {
      var rest = part[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        take(line + rest[..<end])
        (line, rest) = ([], rest[(end + 1)...])
      }
      line += rest
      // Of a message that is too long, one byte too many is kept until its end comes.
      line.removeLast(max(0, line.count - Self.mostBytes - 1))
    }
    take(line)
  }

  private func take(_ line: [UInt8]) {
    if line.allSatisfy({ " \t\r".utf8.contains($0) }) { return }
    if line.count > Self.mostBytes { return send(Fault(.request, "a message has more than \(Self.mostBytes) bytes").answer()) }
    let message: Message
    do throws(Fault) { message = try Message(line) } catch { return send(error.answer()) }
    guard let id = message.id else { return note(message) }
    while state.withLock({ state in
      state.isReaderWaiting = state.isFull
      return state.isFull
    }) { toRead?.wait() }
    let isNew = state.withLock { state in
      if state.asked[id] != nil { return false }
      // Whatever comes after it was sent by a client that has shaken hands.
      if message.method == "initialize", message.revision == nil { state.isAgreed = true }
      state.tasks += 1
      state.asked[id] = Task { [isAgreed = state.isAgreed] in await answer(message, id, isAgreed) }
      return true
    }
    if !isNew { send(Fault(.request, "a request with this id has no answer yet", id: id).answer()) }
  }

  private func note(_ message: Message) {
    guard message.method == "notifications/cancelled", let id = message["requestId"] else { return }
    state.withLock { $0.asked.removeValue(forKey: id) }?.cancel()
  }

  private func answer(_ message: Message, _ id: Value, _ isAgreed: Bool) async {
    let answer = await server.answer(to: message, isAgreed: isAgreed) { [self] in send($0) }
    // A request that was cancelled has no answer.
    let isWanted = state.withLock { $0.asked.removeValue(forKey: id) } != nil
    change { state in
      state.tasks -= 1
      guard isWanted, let answer else { return }
      state.answers += 1
      state.unwritten += Self.line(answer)
    }
  }

  private func send(_ message: Value) { change { $0.unwritten += Self.line(message) } }

  private static func line(_ message: Value) -> [UInt8] { message.bytes + [UInt8(ascii: "\n")] }

  /// Changes the state, and wakes the threads that wait for a change.
  private func change(_ change: (inout State) -> Void) {
    let (wakesReader, wakesWriter) = state.withLock { state in
      change(&state)
      defer { (state.isReaderWaiting, state.isWriterWaiting) = (false, false) }
      return (state.isReaderWaiting, state.isWriterWaiting)
    }
    if wakesReader, let toRead { Pipe.send(to: toRead.writing) }
    if wakesWriter, let toWrite { Pipe.send(to: toWrite.writing) }
  }

  /// Writes what is sent until the end of the talk, or until the client closes its end, on this thread.
  func write(to output: CInt) {
    defer { end.finish() }
    while true {
      let (bytes, answers, isOver) = state.withLock { state in
        defer { state.unwritten = [] }
        state.isWriterWaiting = state.unwritten.isEmpty && !state.isOver
        return (state.unwritten, state.answers, state.isOver)
      }
      if isOver { return }
      if bytes.isEmpty {
        toWrite?.wait()
      } else {
        if bytes.withUnsafeBytes({ Descriptor.write($0, to: output) }) != nil { return }
        change { $0.answers -= answers }
      }
    }
  }

  /// Waits until everything that was asked is answered and written, as long as a client waits. Then cancels the rest, and returns its number.
  func finish() async -> Int {
    change { $0.isClosing = true }
    await withTaskGroup { group in
      group.addTask { [ends] in for await _ in ends {} }
      group.addTask { try? await Task.sleep(for: Self.grace) }
      await group.next()
      group.cancelAll()
    }
    let (tasks, unwritten) = state.withLock { (Array($0.asked.values), $0.answers) }
    for task in tasks { task.cancel() }
    return tasks.count + unwritten
  }
}
