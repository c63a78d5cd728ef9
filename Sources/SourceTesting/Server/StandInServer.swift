public import AggregatorCore
import Platform
import Synchronization

/// A server on the loopback that runs a script on every connection, each on a thread of its own: for tests that must cross
/// a real socket.
///
/// ```swift
/// let server = try StandInServer { connection in
///   while let request = connection.request() { connection.answer("you asked \(request.line)") }
/// }
/// let response = try await transport.send(HTTPRequest(.get, server.address("/x")))
/// ```
///
/// It stops by itself: when the server goes, so do its listener and every connection. Nothing in it sleeps; what is to come late
/// waits at a ``Turnstile``.
public final class StandInServer: Sendable {
  /// On 127.0.0.1; the system chose it.
  public let port: Int
  private let listener: ServerListener

  /// Runs `script` on each connection until it returns; `clock` is what the times in the log are read from.
  public init(clock: any Timekeeper = SystemTime(), _ script: @escaping @Sendable (ServerConnection) -> Void) throws {
    let (socket, port) = try Socket.listening(backlog: 128)
    self.port = port
    listener = ServerListener(socket, clock: clock)
    listener.open(script)
  }

  /// One that never answers: further connections are not accepted.
  public init(deafTo clients: Int) throws {
    let (socket, port) = try Socket.listening(backlog: 0)
    self.port = port
    listener = ServerListener(socket, clock: SystemTime())
    for _ in 0..<clients { Socket.knock(at: port) }
  }

  deinit { listener.stop() }

  /// Where a path of this server is.
  public func address(_ path: String = "/") throws -> WebAddress {
    guard let address = WebAddress("http://127.0.0.1:\(port)\(path)") else {
      throw SourceError(.badRequest, "\"\(path)\" is not a path")
    }
    return address
  }

  /// How many connections there were.
  public var connections: Int { listener.state.withLock { $0.connections } }

  /// Every request that was read so far, with the time at which it was, in that order.
  public var requests: [ServerRequest] { listener.state.withLock { $0.requests } }
}

/// What the server and its connections share, so that neither keeps the other alive.
final class ServerListener: Sendable {
  struct State: Sendable {
    var connections = 0
    var requests: [ServerRequest] = []
    var isClosed = false
    /// The connections that are open.
    var sockets: Set<Int32> = []
  }

  let state = Mutex(State())
  let clock: any Timekeeper
  private let listener: Int32

  init(_ listener: Int32, clock: any Timekeeper) {
    self.listener = listener
    self.clock = clock
  }

  // The accepting thread keeps the listener alive while it waits; it is closed after that.
  deinit { close(listener) }

  func open(_ script: @escaping @Sendable (ServerConnection) -> Void) {
    SystemThread.start { [self] in
      while let socket = Socket.client(of: listener) {
        guard admit(socket) else { break }
        SystemThread.start { [self] in
          Socket.ignoreClosedPipes()
          script(ServerConnection(socket, listener: self))
          end(socket)
        }
      }
    }
  }

  /// Ends what waits on a socket, on every thread.
  func stop() {
    state.withLock { state in
      state.isClosed = true
      for socket in state.sockets { Socket.shutDown(socket) }
    }
    Socket.shutDown(listener)
  }

  private func admit(_ socket: Int32) -> Bool {
    let isAdmitted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.connections += 1
      state.sockets.insert(socket)
      return true
    }
    if !isAdmitted { close(socket) }
    return isAdmitted
  }

  /// Forgotten before it is closed: its number may be another socket's right after.
  private func end(_ socket: Int32) {
    _ = state.withLock { $0.sockets.remove(socket) }
    close(socket)
  }
}

extension StandInServer {
  /// A server that answers from recordings, as a `Replay` does, whichever host they were made of.
  ///
  /// ```swift
  /// let server = try StandInServer(serving: Fixture(contentsOf: "Fixtures/heroes.har"))
  /// run("heroes", "list", environment: ["COMIC_VINE_BASE_URL": "\(try server.address("/api/"))"])
  /// ```
  ///
  /// A request that was not recorded gets a status of 501 and the reason; one that failed when it was recorded has its connection cut.
  public convenience init(serving fixture: Fixture, repeatsLast: Bool = false) throws {
    let replay = Replay([fixture], repeatsLast: repeatsLast, atAnyHost: true)
    // Whatever the client sends where the recording has a placeholder fits, and nothing else does.
    let items = fixture.exchanges.flatMap(\.request.address.queryItems)
    let hidden = items.filter { $0.value == Scrubber.placeholder }.map(\.name)
    let names = SecretNames(queries: hidden, sparing: items.map(\.name))
    // One request for each connection: over a kept one that is cut a client may ask again unseen.
    try self.init { connection in
      guard let request = connection.request() else { return }
      do {
        guard let address = WebAddress("http://127.0.0.1\(request.target)") else {
          throw SourceError(.badRequest, "\(request.line) cannot be looked up")
        }
        let body = request.bytes.isEmpty ? nil : request.bytes
        let asked = RecordedRequest(request.method, address, headers: request.headers, body: body)
        let exchange = try replay.take(asked, hiding: names)
        guard exchange.failure == nil else { return }
        let kept = exchange.response.headers.filter { $0.name.lowercased() != "connection" }
        let headers = kept.map { "\($0.name): \($0.value)\r\n" }.joined() + "Connection: close\r\n"
        connection.answer(status: "\(exchange.response.status) Recorded", headers: headers, bytes: exchange.response.body)
      } catch {
        connection.answer(
          status: "501 Not Recorded", headers: "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n", "\(error)\n")
      }
    }
  }
}
