public import AggregatorCore
import Platform
import Synchronization

/// A server on the loopback that runs a script on every connection, each on its own thread. It is for tests that need a real socket.
///
/// ```swift
/// let server = try StandInServer { connection in
///   while let request = connection.request() { connection.answer("you asked \(request.line)") }
/// }
/// let response = try await transport.send(HTTPRequest(.get, server.address("/x")))
/// ```
///
/// It stops by itself: when the server is released, its listener and every connection close. It never
/// sleeps; a late answer waits at a ``Turnstile``.
public final class StandInServer: Sendable {
  /// The port on 127.0.0.1, which the system chose.
  public let port: Int
  private let listener: ServerListener

  /// Runs `script` on each connection until the script returns. The times in the log come from `clock`.
  public init(clock: any Timekeeper = SystemTime(), _ script: @escaping @Sendable (ServerConnection) -> Void) throws {
    let (socket, port) = try Socket.listening(backlog: 128)
    self.port = port
    listener = ServerListener(socket, clock: clock)
    listener.open(script)
  }

  /// A server that never answers: connections after the first `clients` ones are not accepted.
  public init(deafTo clients: Int) throws {
    let (socket, port) = try Socket.listening(backlog: 0)
    self.port = port
    listener = ServerListener(socket, clock: SystemTime())
    for _ in 0..<clients { Socket.knock(at: port) }
  }

  deinit { listener.stop() }

  /// Returns the address of a path on this server.
  public func address(_ path: String = "/") throws -> WebAddress {
    guard let address = WebAddress("http://127.0.0.1:\(port)\(path)") else {
      throw SourceError(.badRequest, "\"\(path)\" is not a path")
    }
    return address
  }

  /// The number of connections so far.
  public var connections: Int { listener.state.withLock { $0.connections } }

  /// The requests that were read so far, in order, each with the time when it was read.
  public var requests: [ServerRequest] { listener.state.withLock { $0.requests } }
}

/// The state that the server and its connections share, so that neither keeps the other alive.
final class ServerListener: Sendable {
  struct State: Sendable {
    var connections = 0
    var requests: [ServerRequest] = []
    var isClosed = false
    /// The open connections.
    var sockets: Set<Int32> = []
  }

  let state = Mutex(State())
  let clock: any Timekeeper
  private let listener: Int32

  init(_ listener: Int32, clock: any Timekeeper) {
    self.listener = listener
    self.clock = clock
  }

  // The accepting thread keeps the listener alive while it waits; the socket is closed after that.
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

  /// Ends every wait on a socket, on all threads.
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

  /// Removes the socket from the list before it closes it, because its number may be used again at once.
  private func end(_ socket: Int32) {
    _ = state.withLock { $0.sockets.remove(socket) }
    close(socket)
  }
}

extension StandInServer {
  /// A server that answers from recordings as a `Replay` does, whatever host they are from.
  ///
  /// ```swift
  /// let server = try StandInServer(serving: Fixture(contentsOf: "Fixtures/heroes.har"))
  /// run("heroes", "list", environment: ["COMIC_VINE_BASE_URL": "\(try server.address("/api/"))"])
  /// ```
  ///
  /// A request that was not recorded gets the status 501 and the reason. If a recorded request failed, its connection is cut.
  public convenience init(serving fixture: Fixture, repeatsLast: Bool = false) throws {
    let replay = Replay([fixture], repeatsLast: repeatsLast, atAnyHost: true)
    // A placeholder in the recording matches any value from the client; other values must be equal.
    let items = fixture.exchanges.flatMap(\.request.address.queryItems)
    let hidden = items.filter { $0.value == Scrubber.placeholder }.map(\.name)
    let names = SecretNames(queries: hidden, sparing: items.map(\.name))
    // Each connection serves one request. If a reused connection is cut, a client may send its request again without notice.
    try self.init { connection in
      guard let request = connection.request() else { return }
      do {
        guard let address = WebAddress("http://127.0.0.1\(request.target)") else {
          throw SourceError(.badRequest, "\(request.line) cannot be looked up")
        }
        let body = request.bytes.isEmpty ? nil : request.bytes
        let asked = TapedRequest(request.method, address, headers: request.headers, body: body)
        let exchange = try replay.take(asked, hiding: names)
        guard exchange.failure == nil else { return }
        let remaining = exchange.response.headers.filter { $0.name.lowercased() != "connection" }
        let headers = remaining.map { "\($0.name): \($0.value)\r\n" }.joined() + "Connection: close\r\n"
        connection.answer(status: "\(exchange.response.status) Recorded", headers: headers, bytes: exchange.response.body)
      } catch {
        connection.answer(
          status: "501 Not Recorded", headers: "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n", "\(error)\n")
      }
    }
  }
}
