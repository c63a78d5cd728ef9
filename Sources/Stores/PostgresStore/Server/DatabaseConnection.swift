import AggregatorCore
import CPostgres
import Platform
import Synchronization

/// One connection to the server, which one task uses at a time.
///
/// @unchecked Sendable: libpq allows one thread at a time on a connection. A task that has taken a connection
/// from its `DatabaseServer` has it alone until it gives it back, and only a connection at rest is given back.
final class DatabaseConnection: @unchecked Sendable {
  private let connection: OpaquePointer
  /// True when the connection waits for nothing; only then may another task have it.
  private(set) var isAtRest = true

  private init(_ connection: OpaquePointer) { self.connection = connection }

  deinit { cpg_finish(connection) }

  var isUsable: Bool { isAtRest && cpg_is_connected(connection) }

  // MARK: Connecting

  /// Connects on a thread of its own, since looking up a host's name blocks, perhaps for longer than the caller wants to wait.
  static func open(_ address: ServerAddress, until end: ContinuousClock.Instant) async throws -> DatabaseConnection {
    if let problem = cpg_open() {
      throw SourceError(
        ofStore: "cannot open the library libpq for the store \(address): \(String(cString: problem))",
        remedy: .advice("type apt-get install libpq5").or(.useAnotherStore))
    }
    guard let attempt = Attempt(end: end), SystemThread.start({ attempt.run(address) }) else {
      throw ServerFailure.unreachable("no thread or file is left")
    }
    defer { attempt.result.withLock { $0 = $0 ?? .failure(CancellationError()) } }
    switch await PollLoop.shared.wait(for: attempt.bell.reading, CInt(POLLIN), until: end) {
    case .ready: return try (attempt.result.withLock { $0 } ?? .failure(ServerFailure.late)).get()
    case .late: throw ServerFailure.late
    case .cancelled: throw CancellationError()
    }
  }

  /// One attempt to connect. It is over once it has a result; a caller who gives up sets one.
  private final class Attempt: Sendable {
    let end: ContinuousClock.Instant
    let bell: Pipe
    let result = Mutex<Result<DatabaseConnection, any Error>?>(nil)

    init?(end: ContinuousClock.Instant) {
      guard let bell = Pipe() else { return nil }
      (self.end, self.bell) = (end, bell)
    }

    deinit { for file in [bell.reading, bell.writing] { close(file) } }

    func run(_ address: ServerAddress) {
      let outcome = Result { try connect(address) }
      result.withLock { $0 = $0 ?? outcome }
      Pipe.send(to: bell.writing)
    }

    func connect(_ address: ServerAddress) throws -> DatabaseConnection {
      let parameters = [
        ("dbname", address.text.reveal()), ("client_encoding", "UTF8"), ("fallback_application_name", "aggregator"),
      ]
      let started = Self.withStrings(parameters.map(\.0)) { keywords in
        Self.withStrings(parameters.map(\.1)) { values in cpg_connect(keywords, values) }
      }
      guard let started else { throw ServerFailure.unreachable("no memory left") }
      let connection = DatabaseConnection(started)
      var progress = CPG_WANTS_TO_WRITE
      while true {
        let file = cpg_socket(started)
        guard progress != CPG_FAILED, file >= 0 else { throw connection.refusal }
        if progress == CPG_CONNECTED { break }
        let event = CInt(progress == CPG_WANTS_TO_READ ? POLLIN : POLLOUT)
        while Descriptor.ready([(file, event)], within: 100)?[0] != true {
          guard ContinuousClock.now < end, result.withLock({ $0 == nil }) else { throw ServerFailure.late }
        }
        progress = cpg_connect_further(started)
      }
      guard cpg_prepare(started) else { throw connection.refusal }
      return connection
    }

    private static func withStrings<Result>(
      _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result?
    ) -> Result? {
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { $0.baseAddress.flatMap(body) }
    }
  }

  /// The reason why the server was not reached or refused us. libpq gives no code for it, only words.
  private var refusal: ServerFailure {
    let text = ServerFailure.plain(String(cString: cpg_error(connection)))
    let codes = [
      ("password authentication failed", "28P01"), ("no password supplied", "28P01"), ("no pg_hba.conf entry", "28000"),
      (" does not exist", text.hasPrefix("database \"") ? "3D000" : "28000"), ("too many clients", "53300"),
      ("remaining connection slots", "53300"),
    ]
    if let known = codes.first(where: { text.contains($0.0) }) { return ServerFailure(code: known.1, text) }
    return .unreachable(text)
  }

  // MARK: Asking

  /// Sends all of `queries` at once and returns their results. An error in one ends all of them.
  ///
  /// Outside of a transaction they form one. Without an answer by `end`, the server is asked to stop; if `last` is
  /// given, it has until then to say what came of it. A connection that was given up halfway is not used again.
  func run(
    _ queries: [ServerQuery], until end: ContinuousClock.Instant, stoppingUntil last: ContinuousClock.Instant? = nil
  ) async throws -> [Rows] {
    isAtRest = false
    do {
      for query in queries { try send(query) }
      guard cpg_sync(connection) else { throw loss }
      let results: Result<[Rows], any Error>
      do {
        results = try await receive(until: end)
      } catch let failure as ServerFailure where failure.isLate && last != nil {
        cancel()
        results = try await receive(until: last ?? end)
      }
      isAtRest = true
      return try results.get()
    } catch {
      if !isAtRest { cancel() }
      throw error
    }
  }

  private func send(_ query: ServerQuery) throws {
    let types = query.values.map(\.type)
    let lengths = query.values.map { CInt($0.bytes?.count ?? 0) }
    let formats = query.values.map { CInt($0.isBinary ? 1 : 0) }
    // libpq needs a zero at the end of a text. It copies all of them before it returns.
    let buffers = query.values.map { value in value.bytes.map { value.isBinary ? $0 : $0 + [0] } }
    let isSent = Self.withPointers(buffers[...]) { pointers in
      cpg_send(connection, query.text, CInt(pointers.count), types, pointers, lengths, formats)
    }
    guard isSent else { throw loss }
  }

  private static func withPointers<Result>(
    _ buffers: ArraySlice<[UInt8]?>, _ pointers: [UnsafePointer<CChar>?] = [], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    guard let first = buffers.first else { return body(pointers) }
    guard let first else { return withPointers(buffers.dropFirst(), pointers + [nil], body) }
    return first.withUnsafeBytes { bytes in
      withPointers(buffers.dropFirst(), pointers + [bytes.baseAddress?.assumingMemoryBound(to: CChar.self)], body)
    }
  }

  private func receive(until end: ContinuousClock.Instant) async throws -> Result<[Rows], any Error> {
    var rows: [Rows] = []
    var failure: ServerFailure?
    while true {
      let unsent = cpg_flush(connection)
      if unsent < 0 { throw failure ?? loss }
      while !cpg_is_busy(connection) {
        // A null ends the results of one statement; those of the next one follow.
        guard let result = cpg_next_result(connection) else {
          if cpg_is_connected(connection) { continue }
          throw failure ?? loss
        }
        let kind = cpg_result_kind(result)
        let found = Rows(result)
        switch kind {
        case CPG_END_OF_SYNC: return failure.map { .failure($0) } ?? .success(rows)
        case CPG_ERROR:
          let message = String(cString: cpg_error_text(result)).trimmingSpaces
          failure =
            failure ?? cpg_error_code(result).map { ServerFailure(code: String(cString: $0), message) } ?? .lost(message)
        case CPG_SKIPPED: break
        default: rows.append(found)
        }
      }
      try await wait(for: CInt(POLLIN) | (unsent > 0 ? CInt(POLLOUT) : 0), until: end)
      if !cpg_consume(connection) { throw failure ?? loss }
    }
  }

  private func wait(for events: CInt, until end: ContinuousClock.Instant) async throws {
    while true {
      // A deadline may pass without a cancellation, so the task checks it now and then.
      // An answer that has come is taken even if this task was late to look.
      switch await PollLoop.shared.wait(for: cpg_socket(connection), events, until: min(end, .now + .milliseconds(200))) {
      case .ready: return
      case .cancelled: throw CancellationError()
      case .late: do { try Deadline.check() } catch is SourceError { throw ServerFailure.late }
      }
      guard .now < end else { throw ServerFailure.late }
    }
  }

  private var loss: ServerFailure {
    .lost(ServerFailure.plain(String(cString: cpg_error(connection))))
  }

  /// Asks the server to stop. On a thread of its own, since a server that does not answer blocks it.
  private func cancel() {
    guard cpg_is_connected(connection), let cancel = cpg_cancel_new(connection) else { return }
    let number = UInt(bitPattern: cancel)
    SystemThread.start {
      guard let cancel = OpaquePointer(bitPattern: number) else { return }
      cpg_cancel_send(cancel)
      cpg_cancel_free(cancel)
    }
  }
}
