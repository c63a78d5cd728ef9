import AggregatorCore
import Platform
import RecordFormats
import Synchronization

/// The bytes of a reply that is still being made: a task writes them, and the server takes them.
///
/// The task waits while the client is slower than it, so that a reply of any size needs little memory.
final class Outlet: Sink {
  /// The end of the bytes.
  enum Ending: Sendable {
    /// Everything came.
    case whole
    /// Something is missing. The transfer breaks off, so that no client takes what came for everything.
    case broken
  }

  /// The error for a task that writes to a client who has left.
  struct Closed: Error {}

  private struct State {
    var bytes: [UInt8] = []
    var taken = 0
    var ending: Ending?
    var trailers: [Request.Header] = []
    var isClosed = false
    /// The task that waits until there is room.
    var writer: CheckedContinuation<Void, Never>?
    /// The reader that waits for the next bytes, or for the end.
    var reader: (@Sendable () -> Void)?
    var work: Task<Void, Never>?
    var left: Int { bytes.count - taken }

    mutating func takeReader() -> (@Sendable () -> Void)? {
      defer { reader = nil }
      return reader
    }
  }

  /// The number of bytes above which the writer waits.
  private static let room = 128 << 10

  private let state = Mutex(State())

  func write(_ bytes: [UInt8]) throws {
    let reader = try state.withLock { state in
      if state.isClosed { throw Closed() }
      state.bytes += bytes
      return state.takeReader()
    }
    reader?()
  }

  /// Waits until the client has taken most of what was written. Throws if the client has left.
  func drained() async throws {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.isClosed || state.left < Self.room { return true }
        state.writer = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
    if state.withLock(\.isClosed) { throw Closed() }
  }

  /// The number of bytes that were not taken yet.
  var count: Int { state.withLock(\.left) }

  /// The headers that are known at the end, and follow the bytes of a reply whose head was sent before.
  var trailers: [Request.Header] { state.withLock(\.trailers) }

  /// Ends the bytes.
  func end(_ ending: Ending, saying trailers: [Request.Header] = []) {
    let reader = state.withLock { state in
      if state.ending == nil { state.trailers = trailers }
      state.ending = state.ending ?? ending
      return state.takeReader()
    }
    reader?()
  }

  /// The task that writes. It is cancelled when the client leaves.
  func attach(_ work: Task<Void, Never>) {
    let isClosed = state.withLock { state in
      state.work = work
      return state.isClosed
    }
    if isClosed { work.cancel() }
  }

  /// Ends the writer's work, because its bytes will not be taken.
  func close() {
    let (writer, work) = state.withLock { state in
      defer { (state.writer, state.work, state.reader) = (nil, nil, nil) }
      (state.isClosed, state.ending) = (true, state.ending ?? .broken)
      return (state.writer, state.work)
    }
    work?.cancel()
    writer?.resume()
  }

  /// Takes all bytes of a reply that has ended, to send them with their length; nil if it has not.
  func takeWhole() -> [UInt8]? {
    state.withLock { state in
      guard state.ending == .whole, state.taken == 0 else { return nil }
      defer { state.bytes = [] }
      return state.bytes
    }
  }

  /// Takes the next bytes. Returns their number; nil at the end. If it returns 0, `reader` is called once when something comes.
  func take(into buffer: UnsafeMutableRawBufferPointer, orCall reader: @escaping @Sendable () -> Void) -> (Int?, Ending) {
    let (count, ending, writer) = state.withLock { state -> (Int?, Ending, CheckedContinuation<Void, Never>?) in
      let count = min(buffer.count, state.left)
      guard count > 0 else {
        if let ending = state.ending { return (nil, ending, nil) }
        state.reader = reader
        return (0, .whole, nil)
      }
      state.bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[state.taken..<state.taken + count])) }
      state.taken += count
      if state.left == 0 { (state.bytes, state.taken) = ([], 0) }
      guard state.left < Self.room / 2 else { return (count, .whole, nil) }
      defer { state.writer = nil }
      return (count, .whole, state.writer)
    }
    writer?.resume()
    return (count, ending)
  }
}
