import AggregatorCore
import Asking
import RecordFormats
import Synchronization

/// A reply that a task writes. It is sent with its length and all its headers if it is small and ends soon; else what is there is sent
/// while the rest is made.
final class Writing: Sendable {
  /// The facts that are known at the end.
  struct Conclusion: Sendable {
    var headers: [Request.Header] = []
    /// True when something is missing that nothing in the bytes tells.
    var isBroken = false
  }

  private enum Start: Sendable {
    case begun
    case ended(Conclusion)
    case failed(any Error)
  }

  let outlet = Outlet()
  private let headers = Mutex<[Request.Header]>([])
  private let starts: AsyncStream<Start>.Continuation
  /// True when the client wants each row as it comes.
  private let isStream: Bool

  private static let mostCollected = 256 << 10
  /// The headers that tell of an answer as a whole. Where the head is sent before its end, they follow as trailers for those who take them.
  static let trailers = ["Aggregator-Verdict", "Aggregator-Notice"]

  private init(_ starts: AsyncStream<Start>.Continuation, isStream: Bool) { (self.starts, self.isStream) = (starts, isStream) }

  /// Adds headers that are known before the first byte is sent.
  func head(_ more: [Request.Header]) { headers.withLock { $0 += more } }

  /// Lets the server send what was written, and waits while the client is slower. Throws if the client has left.
  func flush() async throws {
    if isStream || outlet.count > Self.mostCollected { starts.yield(.begun) }
    if isStream || outlet.count > Self.mostCollected { try await outlet.drained() }
  }

  /// Writes a comment now and then, which tells whether the client is still there, and keeps what is between from closing the connection.
  private func ping(by clock: any Timekeeper) async throws {
    while true {
      try await clock.sleep(for: .seconds(15))
      try outlet.write(": \n\n")
    }
  }

  /// Replies with what `write` writes. `done` is called when the last byte was made.
  static func reply(
    _ type: String, isStream: Bool = false, pingingBy clock: (any Timekeeper)? = nil,
    ending done: @escaping @Sendable () -> Void = {},
    _ write: @escaping @Sendable (Writing) async throws -> Conclusion
  ) async throws -> Reply {
    let (stream, continuation) = AsyncStream<Start>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let writing = Writing(continuation, isStream: isStream)
    let work = Task {
      let pings = clock.map { clock in Task { try await writing.ping(by: clock) } }
      defer {
        pings?.cancel()
        done()
      }
      do {
        let conclusion = try await write(writing)
        let trailers = conclusion.headers.filter { Self.trailers.contains($0.name) }
        writing.outlet.end(conclusion.isBroken ? .broken : .whole, saying: trailers)
        continuation.yield(.ended(conclusion))
      } catch {
        writing.outlet.end(.broken)
        continuation.yield(.failed(error))
      }
      continuation.finish()
    }
    writing.outlet.attach(work)
    return try await withTaskCancellationHandler {
      try await writing.reply(type, at: stream)
    } onCancel: {
      writing.outlet.close()
    }
  }

  /// The reply as soon as enough was written: all of it, or what is sent while the rest is made.
  private func reply(_ type: String, at starts: AsyncStream<Start>) async throws -> Reply {
    for await start in starts {
      let headers = headers.withLock(\.self)
      switch start {
      case .failed(let error): throw error
      case .begun: return Reply(200, type, .stream(outlet), headers: headers)
      case .ended(let conclusion):
        let body = outlet.takeWhole().map { Reply.Body.bytes($0) } ?? .stream(outlet)
        return Reply(200, type, body, headers: headers + conclusion.headers)
      }
    }
    throw CancellationError()
  }
}

/// Writes the records of a walk as server-sent events: `page` with an array of records, and what the walk adds to it.
struct EventStream: Renderer {
  private let columns: Columns
  private let sink: any Sink
  private var edits: [String: [FieldPath]] = [:]

  init(_ columns: Columns, into sink: any Sink) { (self.columns, self.sink) = (columns, sink) }

  mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }

  mutating func print(_ records: [ShownRecord]) throws {
    guard !records.isEmpty else { return }
    try Self.send("page", .list(records.map { columns.value(of: $0, marking: edits) }), into: sink)
  }

  /// Writes one event. `id` is the place from which a client that lost the connection continues.
  static func send(_ name: String, _ value: Value, id: String? = nil, into sink: any Sink) throws {
    // In one piece, since a comment may come between two.
    try sink.write(
      Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8) + .ofJSON(value) + [UInt8(ascii: "\n")])
  }
}
