import AggregatorCore
import CMicrohttpd
import Platform
import Synchronization

/// libmicrohttpd with a loop of our own: its own threads stall when many connections are ready at once, do not cut a client that sends a
/// byte now and then, and do not see a client leave while its request is worked on.
///
/// Unchecked, because the thread of ``run(_:)`` alone touches what is not a constant.
final class MicroHTTPServer: Server, @unchecked Sendable {
  struct Limits: Sendable {
    var connections = 512
    /// The number of connections of one client; 0 for any.
    var perAddress = 0
    /// The time in which the head of a request, or its body, has to come.
    var head = Duration.seconds(10)
    /// The time in which a client has to take a whole reply.
    var reply = Duration.seconds(3600)
    /// The time for which a connection may be idle.
    var idle = Duration.seconds(30)
    var bodyBytes = 64 << 10
    var headBytes = 32 << 10
    /// The time for what still runs when the server ends.
    var drain = Duration.seconds(5)
  }

  private let listener: CInt
  private let limits: Limits
  private let wake: Pipe
  private let say: @Sendable (String) -> Void
  /// The exchanges that can go on.
  private let ready = Mutex<[Conversation]>([])
  private let isStopping = Atomic(false)

  private var answer = refusal
  private var connections: [OpaquePointer: Connection] = [:]
  private var suspended: [CInt: Conversation] = [:]
  /// The milliseconds until the next run, where the library does not say the right ones.
  private var pause: Int64?

  private struct Connection {
    let descriptor: CInt
    /// The moment by which something has to come.
    var due: ContinuousClock.Instant?
    /// The request that is read, worked on or answered.
    var exchange: Conversation?
  }

  /// A server that listens at this socket. `say` takes what the library has to say.
  init(listeningAt listener: CInt, limits: Limits = Limits(), saying say: @escaping @Sendable (String) -> Void)
    throws(SourceError)
  {
    if let problem = chttp_open() {
      throw SourceError(
        .noTransport, "serving needs libmicrohttpd: \(String(cString: problem))",
        remedy: "install it: apt install libmicrohttpd12")
    }
    guard let wake = Pipe() else { throw SourceError(.settings, "no file descriptor is left") }
    for end in [wake.reading, wake.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    (self.listener, self.limits, self.wake, self.say) = (listener, limits, wake, say)
  }

  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  func stop() {
    isStopping.value = true
    Pipe.send(to: wake.writing)
  }

  func run(_ answer: @escaping @Sendable (Request) -> Answering) -> SourceError? {
    self.answer = answer
    let context = Unmanaged.passUnretained(self).toOpaque()
    var handlers = chttp_handlers(
      context: context,
      connection: { MicroHTTPServer.of($0).connectionChanged($1, $2, isOpen: $3) },
      began: { MicroHTTPServer.of($0).began($1, String(cString: $2)) },
      came: {
        MicroHTTPServer.of($0).came(Conversation.of($1), on: $2, ($3, $4), UnsafeRawBufferPointer(start: $5, count: $6))
      },
      ended: { MicroHTTPServer.of($0).ended(Conversation.of($1), on: $2) },
      said: { MicroHTTPServer.of($0).said(String(cString: $1).trimmingSpaces) })
    return withExtendedLifetime(self) {
      withUnsafePointer(to: &handlers) { handlers in
        let idle = CUnsignedInt(max(1, limits.idle.inSeconds))
        guard
          let daemon = chttp_start(
            listener, handlers, CUnsignedInt(limits.connections), CUnsignedInt(limits.perAddress), idle, limits.headBytes)
        else { return SourceError(.noTransport, "cannot serve: libmicrohttpd does not start on this system") }
        loop(daemon)
        chttp_stop(daemon)
        return nil
      }
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer) -> MicroHTTPServer {
    Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: The loop

  private func loop(_ daemon: OpaquePointer) {
    var end: ContinuousClock.Instant?
    var nextLook = ContinuousClock.now + Self.look
    var polled: [pollfd] = []
    while true {
      if isStopping.value, end == nil {
        close(chttp_quiesce(daemon))
        end = .now + limits.drain
      }
      if let end, ContinuousClock.now >= end || !connections.values.contains(where: { $0.exchange?.isAsked ?? false }) { break }
      wait(for: daemon, atMost: connections.isEmpty && end == nil ? -1 : 250, &polled)
      for left in polled.dropFirst(2) where left.revents != 0 {
        guard let exchange = suspended[left.fd] else { continue }
        exchange.cancel()
        resume(exchange, left.fd)
      }
      if polled[1].revents != 0 { resumeReady() }
      chttp_run(daemon)
      if !connections.isEmpty, ContinuousClock.now >= nextLook {
        nextLook = .now + Self.look
        cutOffLate()
      }
    }
    // The library wants no connection suspended when it ends, so a request that comes in its last run is refused at once.
    answer = Self.refusal
    for connection in connections.values { connection.exchange?.cancel() }
    for (descriptor, exchange) in suspended { resume(exchange, descriptor) }
    chttp_run(daemon)
  }

  /// Waits until the library or this server has something to do: for this number of milliseconds at most, or without an end for a negative
  /// one. The first two of what it polled are the library and what wakes the server, the others the clients who wait for a reply.
  private func wait(for daemon: OpaquePointer, atMost most: Int64, _ polled: inout [pollfd]) {
    polled.removeAll(keepingCapacity: true)
    let isPaused = pause ?? 0 > 0
    polled.append(pollfd(fd: isPaused ? -1 : chttp_descriptor(daemon), events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0))
    for descriptor in suspended.keys { polled.append(pollfd(fd: descriptor, events: Self.leaving, revents: 0)) }
    let wait = pause ?? chttp_timeout(daemon)
    pause = nil
    _ = poll(&polled, nfds_t(polled.count), CInt(clamping: wait < 0 ? most : most < 0 ? wait : min(wait, most)))
  }

  /// Closes the connections from which nothing came in time.
  private func cutOffLate() {
    let now = ContinuousClock.now
    for (key, connection) in connections {
      guard let due = connection.due, due <= now else { continue }
      connections[key]?.due = nil
      shutdown(connection.descriptor, CInt(SHUT_RDWR))
    }
  }

  private static let refusal: @Sendable (Request) -> Answering = { _ in .now(Reply(503)) }
  private static let look = Duration.milliseconds(200)
  #if canImport(Darwin)
    private static let leaving = Int16(POLLHUP)
  #else
    private static let leaving = Int16(0x2000)  // POLLRDHUP, which Swift does not import
  #endif

  private func resumeReady() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while withUnsafeMutableBytes(of: &bytes, { read(wake.reading, $0.baseAddress, $0.count) }) > 0 {}
    let ready = ready.withLock { ready in
      defer { ready = [] }
      return ready
    }
    for exchange in ready {
      if let descriptor = exchange.suspended.flatMap({ connections[$0]?.descriptor }) { resume(exchange, descriptor) }
    }
  }

  private func resume(_ exchange: Conversation, _ descriptor: CInt) {
    guard let connection = exchange.suspended else { return }
    (exchange.suspended, suspended[descriptor]) = (nil, nil)
    chttp_resume(connection)
  }

  private func suspend(_ exchange: Conversation, _ connection: OpaquePointer) {
    guard let descriptor = connections[connection]?.descriptor else { return }
    (exchange.suspended, suspended[descriptor]) = (connection, exchange)
    chttp_suspend(connection)
  }

  /// Lets an exchange go on. Any thread may call it.
  private func goOn(_ exchange: Conversation) {
    let isFirst = ready.withLock { ready in
      ready.append(exchange)
      return ready.count == 1
    }
    if isFirst { Pipe.send(to: wake.writing) }
  }

  // MARK: What the library calls

  private func connectionChanged(_ connection: OpaquePointer, _ descriptor: CInt, isOpen: Bool) {
    if isOpen {
      connections[connection] = Connection(descriptor: descriptor, due: .now + limits.head)
    } else {
      connections.removeValue(forKey: connection)?.exchange?.cancel()
      // A library that was full accepts others again in its next run.
      pause = 0
    }
  }

  private func said(_ text: String) {
    say(text)
    // The library tries without a pause to accept its first connection while the process has no descriptor left.
    if connections.isEmpty { pause = 100 }
  }

  private func began(_ connection: OpaquePointer, _ target: String) -> UnsafeMutableRawPointer {
    let exchange = Conversation(target)
    connections[connection]?.exchange = exchange
    return Unmanaged.passUnretained(exchange).toOpaque()
  }

  private func came(
    _ exchange: Conversation, on connection: OpaquePointer,
    _ line: (method: UnsafePointer<CChar>, version: UnsafePointer<CChar>),
    _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard exchange.hasHead else {
      exchange.hasHead = true
      exchange.request.method = String(cString: line.method)
      exchange.request.seesBreaks = strcmp(line.version, "HTTP/1.1") == 0
      chttp_headers(connection, Unmanaged.passUnretained(exchange).toOpaque()) { exchange, name, nameCount, value, valueCount in
        Conversation.of(exchange).take(
          UnsafeRawBufferPointer(start: name, count: nameCount), UnsafeRawBufferPointer(start: value, count: valueCount))
      }
      connections[connection]?.due = .now + limits.head
      // A body that is too large is not waited for.
      guard exchange.request["content-length"].flatMap({ Int($0) }) ?? 0 > limits.bodyBytes else { return true }
      exchange.request.isTooLarge = true
      return ask(exchange, connection)
    }
    guard bytes.isEmpty else {
      let room = limits.bodyBytes - exchange.request.body.count
      if bytes.count > room { exchange.request.isTooLarge = true } else { exchange.request.body += bytes }
      return true
    }
    if !exchange.isAsked { return ask(exchange, connection) }
    guard let reply = exchange.takeReply() else { return false }
    return send(reply, exchange, connection)
  }

  private func ask(_ exchange: Conversation, _ connection: OpaquePointer) -> Bool {
    exchange.isAsked = true
    connections[connection]?.due = .now + limits.reply
    switch answer(exchange.request) {
    case .now(let reply): return send(reply, exchange, connection)
    case .later(let work):
      suspend(exchange, connection)
      exchange.start(work) { [weak self, weak exchange] in if let exchange { self?.goOn(exchange) } }
      return true
    }
  }

  private func send(_ reply: Reply, _ exchange: Conversation, _ connection: OpaquePointer) -> Bool {
    exchange.send(reply, on: connection) { [unowned self, unowned exchange] in
      suspend(exchange, connection)
    } wake: { [weak self, weak exchange] in
      if let exchange { self?.goOn(exchange) }
    }
  }

  private func ended(_ exchange: Conversation, on connection: OpaquePointer) {
    exchange.cancel()
    connections[connection]?.exchange = nil
    connections[connection]?.due = .now + limits.idle + limits.head
  }
}

extension Conversation {
  fileprivate static func of(_ context: UnsafeMutableRawPointer) -> Conversation {
    Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  fileprivate func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    if !isName || value.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) {
      request.hasBrokenHeader = true
    }
    // Blanks around a value are not part of it (RFC 9110, 5.5); the library leaves those after it.
    request.headers.append(
      (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self).trimmingSpaces))
  }
}
