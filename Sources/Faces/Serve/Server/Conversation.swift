import AggregatorCore
import CMicrohttpd
import Synchronization

/// One request and its reply.
///
/// Unchecked, because the server's thread alone touches what no mutex guards: a task that answers only leaves its reply.
final class Conversation: @unchecked Sendable {
  var request: Request
  /// True when the head has come.
  var hasHead = false
  /// True when the request was given to be answered.
  var isAsked = false
  /// The connection, while it is suspended.
  var suspended: OpaquePointer?
  private(set) var outlet: Outlet?
  private let reply = Mutex<Reply?>(nil)
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ target: String) { request = Request(asSent: target) }

  /// Runs `work` as a task, and calls `done` when its reply can be taken.
  func start(_ work: @escaping @Sendable () async -> Reply, _ done: @escaping @Sendable () -> Void) {
    let task = Task { [self] in
      let found = await work()
      reply.withLock { $0 = found }
      done()
    }
    self.task.withLock { $0 = task }
  }

  func takeReply() -> Reply? {
    reply.withLock { reply in
      defer { reply = nil }
      return reply
    }
  }

  /// Ends the work for a client who has left, or whose reply was sent.
  func cancel() {
    task.withLock { $0 }?.cancel()
    outlet?.close()
    if case .stream(let outlet) = takeReply()?.body { outlet.close() }
  }

  /// Sends a reply. Returns false if the connection has to be closed. `wake` is called once when a stream has more bytes, after its
  /// connection was suspended by `suspend`.
  func send(
    _ reply: Reply, on connection: OpaquePointer, suspend: @escaping () -> Void, wake: @escaping @Sendable () -> Void
  ) -> Bool {
    var reply = reply
    // Foundation's client on Linux ends its process at a trailer that it did not ask for.
    let takesTrailers = request.values(of: "te").contains { $0.lowercased().contains("trailers") }
    if takesTrailers, case .stream = reply.body {
      reply.headers.append(("Trailer", Writing.trailers.joined(separator: ", ")))
    }
    return withHeaders(reply.headers) { headers in
      switch reply.body {
      case .bytes(let bytes):
        return bytes.withUnsafeBytes {
          chttp_reply(connection, CUnsignedInt(reply.status), headers.baseAddress, headers.count, $0.baseAddress, $0.count)
        }
      case .stream(let outlet):
        self.outlet = outlet
        let source = StreamSource(outlet, takesTrailers, suspend: suspend, wake: wake)
        return chttp_stream(
          connection, CUnsignedInt(reply.status), headers.baseAddress, headers.count, request.method != "HEAD",
          Unmanaged.passRetained(source).toOpaque(),
          { context, reply, buffer, room in
            StreamSource.of(context).read(UnsafeMutableRawBufferPointer(start: buffer, count: room), of: reply)
          },
          { context in Unmanaged<StreamSource>.fromOpaque(context).release() })
      }
    }
  }
}

/// The bytes of a stream, as the library asks for them.
private final class StreamSource {
  let outlet: Outlet
  let takesTrailers: Bool
  let suspend: () -> Void
  let wake: @Sendable () -> Void

  init(_ outlet: Outlet, _ takesTrailers: Bool, suspend: @escaping () -> Void, wake: @escaping @Sendable () -> Void) {
    (self.outlet, self.takesTrailers, self.suspend, self.wake) = (outlet, takesTrailers, suspend, wake)
  }

  static func of(_ context: UnsafeMutableRawPointer) -> StreamSource { Unmanaged.fromOpaque(context).takeUnretainedValue() }

  func read(_ buffer: UnsafeMutableRawBufferPointer, of reply: OpaquePointer) -> Int {
    let (count, ending) = outlet.take(into: buffer, orCall: wake)
    guard let count else {
      guard ending == .whole else { return Int(CHTTP_BROKEN) }
      withHeaders(takesTrailers ? outlet.trailers : []) {
        for trailer in $0 { chttp_trailer(reply, trailer.name, trailer.value) }
      }
      return Int(CHTTP_END)
    }
    if count == 0 { suspend() }
    return count
  }
}

/// Calls `body` with the headers as C strings. A name or value with a zero byte ends there.
private func withHeaders<Result>(
  _ headers: [Request.Header], _ body: (UnsafeBufferPointer<chttp_header>) -> Result
) -> Result {
  var bytes: [CChar] = []
  var places: [(name: Int, value: Int)] = []
  for header in headers {
    let name = bytes.count
    for byte in header.name.utf8 { bytes.append(CChar(bitPattern: byte)) }
    bytes.append(0)
    places.append((name, bytes.count))
    // A header that a text from outside is part of must not begin another one.
    for byte in header.value.utf8 { bytes.append(CChar(bitPattern: byte < 0x20 ? UInt8(ascii: " ") : byte)) }
    bytes.append(0)
  }
  return bytes.withUnsafeBufferPointer { all in
    guard let base = all.baseAddress else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    return places.map { chttp_header(name: base + $0.name, value: base + $0.value) }.withUnsafeBufferPointer(body)
  }
}
